"""Draw a scene of simple shapes with MuJoCo: a table with four marks at its corners, seen by cameras."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import RobotError
from robots import opengl
from robots.scenes.look import Colour, Look

Picture = NDArray[np.uint8]
Point = tuple[float, float, float]
Floats = NDArray[np.float64]
WHITE = 0.8  # of the marks
MARK = 0.1  # metres a side, with a white rim of a fifth; what is black is MARK * INNER wide
INNER = 0.6
FOV = 42.0  # degrees, from top to bottom


@dataclass(frozen=True)
class Eye:
    """A camera that looks at a point: azimuth 0 is from the front; degrees and metres."""

    at: Point
    distance: float
    azimuth: float
    elevation: float
    roll: float

    @property
    def axes(self) -> tuple[Floats, Floats]:
        """Return where it is, and its axes to the right, upwards and backwards as rows."""
        turn, rise, roll = np.radians((self.azimuth, self.elevation, self.roll))
        back = np.array([np.sin(turn) * np.cos(rise), -np.cos(turn) * np.cos(rise), np.sin(rise)])
        right = np.array([np.cos(turn), np.sin(turn), 0.0])
        up = np.cross(back, right)
        rolled = np.cos(roll) * right + np.sin(roll) * up, np.cos(roll) * up - np.sin(roll) * right
        return np.array(self.at) + self.distance * back, np.stack([*rolled, back])


def _numbers(values: Iterable[float]) -> str:
    return " ".join(f"{v:.4f}" for v in values)


def box(at: Point, half: Point, colour: Colour, yaw: float = 0.0) -> str:
    turn = f"{np.cos(yaw / 2):.5f} 0 0 {np.sin(yaw / 2):.5f}"
    sizes = f'pos="{_numbers(at)}" size="{_numbers(half)}" quat="{turn}"'
    flat = half[2] < 0.002  # what is flat would only speckle itself
    return f'<geom type="box" {sizes} rgba="{_numbers(colour)} 1" castshadow="{str(not flat).lower()}"/>'


def rod(start: Point, end: Point, radius: float, colour: Colour, kind: str = "cylinder") -> str:
    ends = f'fromto="{_numbers((*start, *end))}" size="{radius:.4f}"'
    return f'<geom type="{kind}" {ends} rgba="{_numbers(colour)} 1"/>'


def arm(foot: Point, elbow: Point, tip: Point, radius: float, colour: Colour) -> str:
    """Return an arm: a foot, a column up to the elbow's height, two links, and fingers."""
    shoulder = (foot[0], foot[1], elbow[2])
    links = ((foot, shoulder), (shoulder, elbow), (elbow, tip))
    parts = [rod(a, b, radius * 0.6, colour, "capsule") for a, b in links if a != b]
    base = rod(foot, (foot[0], foot[1], foot[2] + 0.008), radius, colour)
    return base + "".join(parts) + box(tip, (radius * 0.9, radius * 0.5, radius * 0.5), colour)


def corners(half: tuple[float, float], middle: tuple[float, float] = (0, 0)) -> list[tuple[float, float]]:
    """Return where the four marks lie, clockwise from the far left."""
    signs = ((-1, 1), (1, 1), (1, -1), (-1, -1))
    return [(middle[0] + x * half[0], middle[1] + y * half[1]) for x, y in signs]


@cache
def dictionary() -> Any:
    import cv2

    return cv2.aruco.getPredefinedDictionary(cv2.aruco.DICT_4X4_50)


@cache
def _mark(number: int) -> bytes:
    import cv2

    image = np.full((10, 10), 255, np.uint8)
    image[2:8, 2:8] = cv2.aruco.generateImageMarker(dictionary(), number, 6)
    large = np.kron(image, np.ones((16, 16), np.uint8)) * WHITE
    return bytes(cv2.imencode(".png", large.astype(np.uint8))[1])


def render(
    look: Look,
    shapes: Sequence[str],
    marks: Sequence[tuple[float, float]],
    eyes: Sequence[Eye],
    wide: int,
    high: int,
) -> list[Picture]:
    """Return a picture of each eye, high x wide x 3. Raises RobotError where nothing can draw."""
    import cv2

    assets = {f"mark{n}.png": _mark(n) for n in range(len(marks))}
    assets["table.png"] = bytes(cv2.imencode(".png", look.texture()[..., ::-1])[1])
    names = [f"mark{n}" for n in range(len(marks))] + ["table"]
    made = "".join(
        f'<texture name="{n}" type="2d" file="{n}.png"/><material name="{n}" texture="{n}" specular="0"/>'
        for n in names
    )
    flat = f'<geom type="plane" class="flat" size="{MARK / 2} {MARK / 2} 1"'
    planes = "".join(
        f'{flat} pos="{x:.4f} {y:.4f} 0.0005" material="mark{n}"/>' for n, (x, y) in enumerate(marks)
    )
    cameras = ""
    for n, eye in enumerate(eyes):
        at, axes = eye.axes
        lens = f'pos="{_numbers(at)}" xyaxes="{_numbers(axes[:2].ravel())}" fovy="{FOV}"'
        cameras += f'<camera name="eye{n}" {lens}/>'
    xml = (
        f'<mujoco><visual><global offwidth="{wide}" offheight="{high}"/><quality shadowsize="2048"/>'
        '<map zfar="3" znear="0.3" shadowclip="0.8"/></visual><statistic extent="0.8" center="0 0 0"/>'
        '<default><default class="flat"><geom castshadow="false"/></default></default>'
        f"<asset>{made}</asset>{look.lights()}<worldbody>"
        f'<geom type="plane" size="1.2 1.2 1" material="table" class="flat"/>'
        f"{planes}{''.join(shapes)}{cameras}"
        "</worldbody></mujoco>"
    )
    return _drawn(xml, assets, len(eyes), wide, high)


def _drawn(xml: str, assets: dict[str, bytes], count: int, wide: int, high: int) -> list[Picture]:
    if not (name := opengl.backend()):
        raise RobotError(opengl.unavailable_reason())
    opengl.select_backend(name)
    import mujoco

    model = mujoco.MjModel.from_xml_string(xml, assets)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, high, wide, max_geom=400) as renderer:
        pictures = []
        for camera in range(count):
            renderer.update_scene(data, camera)
            pictures.append(renderer.render())
        return pictures
