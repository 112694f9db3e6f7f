"""The setup of an installed arm: address, tool, payload, limits, viewpoints. Read from a TOML file."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from core.errors import BadFile, BadValue
from robots.ur5e.kinematics import TWO_PI, Joints, Pose
from robots.ur5e.vision.camera_setup import CameraSetup, camera_setups

Point = tuple[float, float, float]


@dataclass(frozen=True)
class ArmLimits:
    """Limits that this program keeps in addition to the controller's own safety limits. SI units."""

    joint: float = TWO_PI  # rad in either direction
    joint_speed: float = 1.0
    joint_acceleration: float = 1.4
    tool_speed: float = 0.25  # m/s, the default of collaborative operation; raising it is a person's decision
    tool_acceleration: float = 0.8
    payload: float = 5.0
    lower: Point = (0.12, -0.55, 0.004)  # the box that the tool stays in
    upper: Point = (0.85, 0.55, 0.75)
    clearance: float = 0.05  # metres that elbow and wrists keep above the table
    fresh: float = 0.1  # seconds; older data block motion

    def __post_init__(self) -> None:
        for name, most in _MAXIMUM.items():
            value = getattr(self, name)
            if not _is_number(value) or not 0 < value <= most:
                raise BadValue(f"The limit {name} is {value!r}: it must be above 0, and at most {most:g}.")
        if not _is_number(self.clearance) or not 0 <= self.clearance <= 0.5:
            raise BadValue(f"The limit clearance is {self.clearance!r}: it must be in 0 to 0.5 m.")
        _check_vector("The limit lower", self.lower, 3)
        _check_vector("The limit upper", self.upper, 3)
        if not all(a < b for a, b in zip(self.lower, self.upper, strict=True)):
            raise BadValue("The workspace box is empty: each of `lower` must be below its `upper`.")


_MAXIMUM = {
    "joint": TWO_PI,
    "joint_speed": 3.14,
    "joint_acceleration": 10.0,
    "tool_speed": 1.0,
    "tool_acceleration": 5.0,
    "payload": 5.0,
    "fresh": 0.5,
}


@dataclass(frozen=True)
class ArmSetup:
    """The setup of one arm.

    With `tcp` or `payload` None, the values of the pendant's installation apply; if they are unset there too,
    nothing moves.
    """

    address: str = "127.0.0.1"
    tcp: Pose | None = None
    payload: float | None = None
    centre: Point = (0.0, 0.0, 0.0)  # centre of gravity, from the flange
    limits: ArmLimits = field(default_factory=ArmLimits)
    watchdog: float = 4.0  # Hz; without a sign of life for 1/4 s the controller ends the program
    gripper_force: int = 60  # 0..255
    gripper_speed: int = 200
    viewpoints: tuple[Joints, ...] = ()  # where `find` looks from, after the clear pose
    grasp_network: str = ""  # path of a GG-CNN (ONNX) to use instead of the antipodal finder
    cameras: tuple[CameraSetup, ...] = ()  # the tables [camera.overhead] and [camera.wrist]

    def __post_init__(self) -> None:
        for name in ("address", "grasp_network"):
            if not isinstance(getattr(self, name), str):
                raise BadValue(f"The setting {name} is {getattr(self, name)!r}: write it in quotes.")
        if self.tcp is not None:
            _check_vector("The setting tcp", self.tcp, 6)
        if self.payload is not None and not _is_number(self.payload):
            raise BadValue(f"The payload is {self.payload!r}: give it in kg.")
        _check_vector("The setting centre", self.centre, 3)
        if not _is_number(self.watchdog) or not 0 < self.watchdog <= 20:
            raise BadValue(f"The watchdog is {self.watchdog!r}: it must be above 0, and at most 20 Hz.")
        for name in ("gripper_force", "gripper_speed"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= 255:
                raise BadValue(f"The setting {name} is {value!r}: it must be a whole number, 0 to 255.")
        if not isinstance(self.viewpoints, tuple):
            raise BadValue("The viewpoints are rows of six joints: [[3.14, -2.35, 2.45, -1.67, -1.57, 0]].")
        for viewpoint in self.viewpoints:
            _check_vector("A viewpoint", viewpoint, 6)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _check_vector(what: str, values: object, count: int) -> None:
    if not isinstance(values, tuple) or len(values) != count or not all(map(_is_number, values)):
        raise BadValue(f"{what} is {values!r}: it must be {count} numbers.")


MIN_WATCHDOG = 1.0  # Hz, the least a setup file may ask for: a silent program ends within a second
EMULATED_SETUP = ArmSetup(
    tcp=(0.0, 0.0, 0.157, 0.0, 0.0, 0.0), payload=0.98, centre=(0.0, 0.0, 0.058), watchdog=2.0
)


def read_setup(path: Path) -> ArmSetup:
    """Read a setup file. Raises BadFile, which says what is wrong and where."""
    try:
        data = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise BadFile(path, "there is no such file", remedy="docs/ur5e.md shows one") from None
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, str(error)) from error
    limits, cameras = data.pop("limits", {}), data.pop("camera", {})
    if not isinstance(limits, dict):
        raise BadFile(path, "the limits are a table, [limits]", remedy="docs/ur5e.md shows one")
    known, known_limits = (
        {f.name for f in fields(ArmSetup)} - {"limits", "cameras"},
        {f.name for f in fields(ArmLimits)},
    )
    for name in (*(data.keys() - known), *(limits.keys() - known_limits)):
        raise BadFile(path, f"{name!r} is no setting of an arm", remedy="docs/ur5e.md lists them")
    try:
        made = replace(ArmSetup(**_tuple_values(data)), limits=ArmLimits(**_tuple_values(limits)))
        if made.watchdog < MIN_WATCHDOG:
            raise BadValue(f"The watchdog is {made.watchdog:g} Hz: it must be {MIN_WATCHDOG:g} or more.")
        cameras_made = camera_setups(cameras, path.parent)
    except BadValue as error:
        raise BadFile(path, str(error).removesuffix(".")) from error
    network = str(path.parent / made.grasp_network) if made.grasp_network else ""
    return replace(made, grasp_network=network, cameras=cameras_made)


def _tuple_values(data: dict[str, Any]) -> dict[str, Any]:
    return {name: _as_tuple(value) for name, value in data.items()}


def _as_tuple(value: object) -> object:
    return tuple(_as_tuple(v) for v in value) if isinstance(value, list) else value
