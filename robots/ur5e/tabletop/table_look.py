"""Measure what stands on the table in one picture: sizes and hues for a scene file. Nothing moves."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from core.arm.table_things import SeenThing
from core.data_file import check, parse_toml, read_text, replacing, write_text
from core.errors import BadValue
from core.install_paths import COMMAND
from core.pictures import encode_png
from robots.ur5e.dashboard import DashboardClient
from robots.ur5e.emulator.admin_client import verify_emulator
from robots.ur5e.rtde_receiver import RtdeReceiver
from robots.ur5e.scene_file import SceneFile
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.hardware import ARM_ENV, current_flange, resolve_setup
from robots.ur5e.tabletop.rgbd_image import CELL_SIZE_M, HeightMap, RgbdImage, cell_centre
from robots.ur5e.vision.camera_setup import main_camera
from robots.ur5e.vision.cameras import TableCameras

_LOWEST_M = 0.006  # over the table from which on something is a thing
_MIN_CELLS = 60  # that a thing covers
_MIN_SATURATION = 70  # of its median pixel; below it a hue means nothing
_HUE_MARGIN = 2  # to either side of the hues of all but a tenth of its pixels
_WIDEST_HUE = 40  # a wider range is two colours
_NEW_SCENE = """# What stands on the table, as the camera measured it: metres, from the arm's base. `half` is
# half a size, `paint` how an emulator draws it, `hue` how a camera finds it (as OpenCV has it).
goal_area = { drawn = false }
jitter = 0.0
"""


@dataclass(frozen=True)
class _Measured:
    """A thing with what the scene file needs. `paint` is RGB, `dim` its least saturation and value."""

    seen: SeenThing
    paint: tuple[float, float, float]
    dim: tuple[int, int]


class TableLook:
    """Implements `core.arm.table_things.TableThings` for one picture."""

    def __init__(self, picture: RgbdImage) -> None:
        self._picture, self._found = picture, measure_things(picture)

    @property
    def rgb(self) -> NDArray[np.uint8]:
        return self._picture.rgb

    @property
    def things(self) -> tuple[SeenThing, ...]:
        return tuple(found.seen for found in self._found)

    def write_picture(self, path: Path) -> None:
        shown = self._picture.rgb.copy()
        for found in self._found:
            at = (round(found.seen.pixel[0]) - 8, round(found.seen.pixel[1]) + 8)
            for colour, width in (((0, 0, 0), 5), ((255, 255, 255), 2)):
                cv2.putText(shown, str(found.seen.number), at, cv2.FONT_HERSHEY_SIMPLEX, 0.8, colour, width)
        with replacing(path) as part:
            part.write_bytes(encode_png(shown))

    def add(self, number: int, name: str, scene: Path, shape: str = "") -> str:
        found = next((found for found in self._found if found.seen.number == number), None)
        if found is None:
            raise BadValue(f"There is no thing {number} in the picture: it has 1 to {len(self._found)}.")
        if found.seen.fault:
            raise BadValue(f"Thing {number} {found.seen.fault}.")
        if not re.fullmatch(r"[a-z][a-z0-9_-]{0,60}", name):
            raise BadValue(f"{name!r} is no name for a thing: small letters, digits, - and _, as in PDDL.")
        text = read_text(scene) if scene.exists() else _NEW_SCENE
        if name in check(SceneFile, parse_toml(scene, text), scene).things:
            raise BadValue(f"{scene} already has {name}: give another name, or take its table out there.")
        text = text.rstrip() + "\n" + _table(name, found, shape)
        check(SceneFile, parse_toml(scene, text), scene)
        write_text(scene, text)
        return f"{scene} has {name}, {_millimetres(found.seen.size)}: use this name in your domain's tasks."


def look_at_table(arm: str = "") -> TableLook:
    """Take one picture of the table of the arm named here or in DKPROMPT_UR5E. Raises ConsoleError."""
    named = arm or os.environ.get(ARM_ENV, "")
    if not named:
        raise BadValue(
            f"No arm is named: give --arm its setup file, or start `{COMMAND} emulate ur5e` and give "
            "--arm 127.0.0.1."
        )
    setup = resolve_setup(named)
    with closing(DashboardClient(setup.address)) as dashboard:
        emulated = verify_emulator(setup.address, dashboard.ask("get serial number"))
    if emulated and not setup.cameras:
        with closing(EmulatedCamera(setup.address)) as camera:
            return TableLook(camera.picture("overhead"))
    with ExitStack() as parts:
        receiver = RtdeReceiver(setup.address)
        parts.callback(receiver.close)
        if not receiver.wait_for_data(5.0):
            raise receiver.no_answer()
        cameras = TableCameras(setup.cameras, lambda: current_flange(receiver), {}, real=not emulated)
        parts.callback(cameras.close)
        cameras.wait_until_ready()
        return TableLook(cameras.picture(main_camera(cameras.names)))


def measure_things(picture: RgbdImage) -> tuple[_Measured, ...]:
    """Return what stands on the table, from the left to the right of the picture."""
    heights = HeightMap.from_image(picture)
    standing = (heights.heights > _LOWEST_M).astype(np.uint8)
    whole = cv2.morphologyEx(standing, cv2.MORPH_CLOSE, np.ones((5, 5), np.uint8))
    count, labels, stats, _ = cv2.connectedComponentsWithStats(whole)
    big = [k for k in range(1, count) if stats[k, cv2.CC_STAT_AREA] >= _MIN_CELLS]
    found = [_measure(labels == k, heights, picture) for k in big]
    found.sort(key=lambda one: one.seen.pixel)
    return tuple(replace(one, seen=replace(one.seen, number=n)) for n, one in enumerate(found, 1))


def _measure(cells: NDArray[np.bool_], heights: HeightMap, picture: RgbdImage) -> _Measured:
    rows, columns = np.nonzero(cells)
    (i, j), (a, b), angle = cv2.minAreaRect(np.stack((rows, columns), axis=1).astype(np.float32))
    x, y = cell_centre(i, j)
    top = float(np.percentile(heights.heights[cells], 95))
    # The box's sides along x and y, as a scene file has them: it stands with its longer side as it is seen.
    long, short = ((max(a, b) + 1) * CELL_SIZE_M, (min(a, b) + 1) * CELL_SIZE_M)
    along_x = (a >= b) == (abs(np.cos(np.radians(angle))) > 0.7)
    size = (long, short, top) if along_x else (short, long, top)
    middle = heights.heights[max(int(i) - 2, 0) : int(i) + 3, max(int(j) - 2, 0) : int(j) + 3]
    hollow = bool(np.median(middle) < 0.6 * top) and short > 0.04
    inside = heights.cells[..., 0] >= 0
    pixels = np.zeros(inside.shape, bool)
    pixels[inside] = cells[tuple(heights.cells[inside].T)]
    hsv = np.asarray(cv2.cvtColor(picture.rgb, cv2.COLOR_RGB2HSV)[pixels], np.uint8)
    hue, fault = _hue(hsv)
    dim = [int(max(np.percentile(hsv[:, channel], 10) * 0.8, 25)) for channel in (1, 2)]
    paint = np.median(picture.rgb[pixels], axis=0) / 255
    at_rows, at_columns = np.nonzero(pixels)
    pixel = (float(np.mean(at_columns)), float(np.mean(at_rows)))
    seen = SeenThing(0, (x, y), size, hue, hollow, fault, pixel)
    return _Measured(seen, (float(paint[0]), float(paint[1]), float(paint[2])), (dim[0], dim[1]))


def _hue(hsv: NDArray[np.uint8]) -> tuple[tuple[int, int], str]:
    """Return the range of the pixels' hues, around the circle of 180, and why it tells nothing, or ""."""
    if np.median(hsv[:, 1]) < _MIN_SATURATION:
        return (0, 0), "is grey, black or white: put a coloured sticker on it, or paint it"
    coloured = hsv[hsv[:, 1] >= _MIN_SATURATION, 0].astype(int)
    turns = np.exp(2j * np.pi * coloured / 180)
    middle = round(float(np.angle(turns.mean())) * 90 / np.pi)
    off = (coloured - middle + 90) % 180 - 90
    low, high = np.percentile(off, 5), np.percentile(off, 95)
    if high - low > _WIDEST_HUE:
        return (0, 0), "has more than one colour, or touches something: move it, or put a sticker on it"
    return (int(middle + low - _HUE_MARGIN) % 180, int(middle + high + _HUE_MARGIN) % 180), ""


def _table(name: str, found: _Measured, shape: str) -> str:
    seen, (saturation, value) = found.seen, found.dim
    return f"""
[things.{name}]
shape = "{shape or ("bin" if seen.hollow else "box")}"
at = {_numbers(seen.at)}
half = {_numbers(max(side / 2, 0.003) for side in seen.size)}
paint = {_numbers(found.paint)}
hue = {{ low = {seen.hue[0]}, high = {seen.hue[1]}, saturation = {saturation}, value = {value} }}
"""


def _numbers(values: Iterable[float]) -> str:
    return "[" + ", ".join(f"{value:.3f}" for value in values) + "]"


def _millimetres(size: tuple[float, float, float]) -> str:
    return " x ".join(f"{1000 * side:.0f}" for side in size) + " mm"
