"""Cameras that freeze, come late, die, repeat, tear and change places: none passes for one of now.

`make check-long` tries each twenty times, and prints the table of docs/safety.md (`-s`).
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from math import pi
from pathlib import Path
from time import monotonic, sleep, time

import numpy as np
import pytest

from core.errors import NoPicture, RobotError, RobotNotReady
from core.measured import Measured
from robots.ur5e.kinematics import pose_to_matrix
from robots.ur5e.vision import calibration_file, source_kind
from robots.ur5e.vision.camera_reader import CameraReader
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.camera_source import CameraSource, open_source
from robots.ur5e.vision.cameras import TableCameras
from robots.ur5e.vision.intrinsics import Intrinsics, RawFrame
from robots.ur5e.vision.source_kind import device_of
from tests.robots.ur5e.vision.fake_cameras import (
    HEIGHT,
    WIDTH,
    PictureWriter,
    network_camera,
    noisy_depth,
    scene,
    shown,
    write_whole,
)
from tests.robots.ur5e.vision.test_source_kind import film

PATIENCE = 0.4  # seconds for which a picture is waited for here; 5 at an arm
LATE = 5.0  # seconds


def now_shown() -> np.ndarray:
    return scene(monotonic() % 1000)


class Device:
    """A camera whose driver tells the truth about when it got a picture: `late` seconds ago, or `frozen`."""

    device, silence = "colour.png and depth.png", "The camera repeats a picture."

    def __init__(self, late: float = 0.0, frozen: bool = False) -> None:
        self.late, self.still = late, (scene(1.0), noisy_depth()) if frozen else None

    def read(self) -> Measured[RawFrame]:
        sleep(0.02)
        at = monotonic() - self.late
        bgr, depth = self.still or (scene(at % 1000), noisy_depth())
        return Measured(RawFrame(bgr[..., ::-1].copy(), depth * np.float32(0.001)), at, monotonic())

    def close(self) -> None:
        pass


@contextmanager
def cameras(
    folder: Path,
    source: str = "colour.png",
    open_: Callable[[CameraSetup], CameraSource] = open_source,
    device: str = "",
) -> Iterator[TableCameras]:
    """The camera of a real arm, calibrated with this device; "": the one that is there."""
    setup = CameraSetup(source=source, depth="depth.png").placed("overhead", folder)
    lens = Intrinsics(WIDTH, HEIGHT, 60, 60, 31.5, 23.5)
    pose = pose_to_matrix((0.5, 0, 1, pi, 0, 0))
    made = calibration_file.CameraCalibration(
        "overhead", "2026-01-01", 9, lens, 0.1, pose, 0, 0, (0.0, 0.0), device or device_of(setup)
    )
    calibration_file.write_calibration(folder / "overhead.toml", made)
    with closing(TableCameras((setup,), lambda: np.eye(4), {}, open_, real=True)) as found:
        yield found


def outcome(table: TableCameras) -> str:
    """Return why a picture of now is refused; "of now" if it is one, "FALSE" if it only claims to be."""
    try:
        table.wait_until_ready()
        moment = monotonic()
        picture = table.picture("overhead")
    except (NoPicture, RobotNotReady, RobotError) as error:
        return str(error)
    return "of now" if shown(picture.rgb[..., ::-1]) >= round(moment % 1000, 2) - 0.011 else "FALSE"


# --- the attacks; each yields the cameras under attack ----------------------------------------------------


@contextmanager
def frozen_device(folder: Path) -> Iterator[TableCameras]:
    with cameras(folder, open_=lambda _: Device(frozen=True)) as table:
        sleep(1.2)
        yield table


@contextmanager
def late_device(folder: Path) -> Iterator[TableCameras]:
    with cameras(folder, open_=lambda _: Device(late=LATE)) as table:
        sleep(0.1)
        yield table


@contextmanager
def network(folder: Path, draw: Callable[[], np.ndarray]) -> Iterator[TableCameras]:
    depth = PictureWriter({folder / "depth.png": noisy_depth})
    with closing(depth), network_camera(draw) as address, cameras(folder, address) as table:
        sleep(0.3)
        yield table


@contextmanager
def files(
    folder: Path, colour: Callable[[], np.ndarray] = now_shown, depth: Callable[[], np.ndarray] = noisy_depth
) -> Iterator[TableCameras]:
    drawn = {folder / "colour.png": colour, folder / "depth.png": depth}
    with closing(PictureWriter(drawn, 0.04)) as writer, cameras(folder) as table:
        table.writer = writer  # type: ignore[attr-defined]
        yield table


@contextmanager
def dead_files(folder: Path) -> Iterator[TableCameras]:
    """Their writer dies at a random moment."""
    with files(folder) as table:
        sleep(0.1 + 0.2 * random.random())
        table.writer.close()  # type: ignore[attr-defined]
        yield table


@contextmanager
def dead_for_an_hour(folder: Path) -> Iterator[TableCameras]:
    for name, picture in (("colour.png", now_shown()), ("depth.png", noisy_depth())):
        write_whole(folder / name, picture)
        os.utime(folder / name, (time() - 3600, time() - 3600))
    with cameras(folder) as table:
        yield table


@contextmanager
def dead_depth(folder: Path) -> Iterator[TableCameras]:
    with files(folder) as table:
        table.writer._files.pop(folder / "depth.png")  # type: ignore[attr-defined]
        sleep(0.3)
        yield table


@contextmanager
def half_files(folder: Path) -> Iterator[TableCameras]:
    with files(folder) as table:
        table.writer.close()  # type: ignore[attr-defined]
        whole = (folder / "colour.png").read_bytes()
        (folder / "colour.png").write_bytes(whole[: random.randrange(100, len(whole) - 1)])
        write_whole(folder / "depth.png", noisy_depth())
        yield table


@contextmanager
def swapped_devices(folder: Path) -> Iterator[TableCameras]:
    """After a reboot the number belongs to the other camera; udev's names say so."""
    links = folder / "by-id"
    links.mkdir(exist_ok=True)
    numbers = [film(folder / "video0"), film(folder / "video1")]
    before = source_kind.DEVICE_LINKS
    source_kind.DEVICE_LINKS = (links,)
    try:
        for name, number in (("usb-A", numbers[1]), ("usb-B", numbers[0])):
            (links / name).unlink(missing_ok=True)
            (links / name).symlink_to(number)
        with cameras(folder, "video0", device="usb-A and depth.png") as table:
            yield table
    finally:
        source_kind.DEVICE_LINKS = before


STILL, DEEP = scene(1.0), noisy_depth()
ATTACKS = {
    "frozen device, whose driver stamps anew": (frozen_device, "bit for bit the one before"),
    f"device {LATE:g} s late": (late_device, "last picture is 5."),
    "frozen network camera": (
        lambda folder: network(folder, lambda: STILL),
        "no time of its own|bit for bit",
    ),
    f"network camera {LATE:g} s late": (
        lambda folder: network(folder, lambda: scene(monotonic() % 1000 - LATE)),
        "no time of its own",
    ),
    "the files' writer dies": (dead_files, "No new picture"),
    "files last written an hour ago": (dead_for_an_hour, "was last written 3,6|last picture is 36"),
    "files written anew with the same bytes": (
        lambda folder: files(folder, lambda: STILL, lambda: DEEP),
        "No new picture",
    ),
    "only the depth's writer dies": (dead_depth, "No new picture"),
    "half a file": (half_files, "No new picture"),
    "two devices have changed places": (swapped_devices, "made with usb-A.*this camera is usb-B"),
}


@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.long)])
@pytest.mark.parametrize("name", ATTACKS)
def test_that_no_picture_of_an_attacked_camera_passes_for_one_of_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, times: int
) -> None:
    monkeypatch.setattr(CameraReader.next_frame_after, "__defaults__", (PATIENCE,))
    attack, says = ATTACKS[name]
    found = []
    for number in range(times):
        folder = tmp_path / str(number)
        folder.mkdir()
        with attack(folder) as table:
            found.append(outcome(table))
    refused = [sentence for sentence in found if re.search(says, sentence)]
    print(f"\n| {name} | {times} | {len(refused)} refused, {found.count('FALSE')} false |")
    assert len(refused) == times, set(found) - set(refused)


def test_that_a_camera_in_order_gives_pictures_of_now(tmp_path: Path) -> None:
    with files(tmp_path) as table:
        table.wait_until_ready()
        assert [outcome(table) for _ in range(5)] == ["of now"] * 5


def test_that_a_device_in_order_gives_pictures_of_now(tmp_path: Path) -> None:
    with cameras(tmp_path, open_=lambda _: Device()) as table:
        assert [outcome(table) for _ in range(5)] == ["of now"] * 5
