"""An arm as it is installed: address, tool, payload, limits, viewpoints. Read from a TOML file."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from core.errors import BadFile, BadValue
from robots.ur5e.kinematics import TURN, Joints, Pose
from robots.ur5e.vision.settings import CameraSetup, camera_setups

Point = tuple[float, float, float]


@dataclass(frozen=True)
class Limits:
    """What this program never asks of the arm, beside the controller's own safety limits. SI units."""

    joint: float = TURN  # rad either way
    joint_speed: float = 1.0
    joint_acceleration: float = 1.4
    tool_speed: float = 0.25  # the default of collaborative operation; raising it is a person's decision
    tool_acceleration: float = 0.8
    payload: float = 5.0
    lower: Point = (0.12, -0.55, 0.004)  # the box that the tool stays in
    upper: Point = (0.85, 0.55, 0.75)
    clearance: float = 0.05  # metres that elbow and wrists keep above the table
    fresh: float = 0.1  # seconds; older data block motion

    def __post_init__(self) -> None:
        if not all(a < b for a, b in zip(self.lower, self.upper, strict=True)):
            raise BadValue("The workspace box is empty: each of `lower` must be below its `upper`.")
        for name, most in (("joint", TURN), ("joint_speed", 3.14), ("tool_speed", 1.0), ("payload", 5.0)):
            if not 0 < getattr(self, name) <= most:
                raise BadValue(f"The limit {name} is {getattr(self, name):g}: it must be in 0 to {most:g}.")


@dataclass(frozen=True)
class Setup:
    """`tcp` and `payload` None: as the pendant's installation has them; unset there too, nothing moves."""

    address: str = "127.0.0.1"
    tcp: Pose | None = None
    payload: float | None = None
    centre: Point = (0.0, 0.0, 0.0)  # of gravity, from the flange
    limits: Limits = field(default_factory=Limits)
    watchdog: float = 4.0  # Hz; without a sign of life for 1/4 s the controller ends the program
    gripper_force: int = 60  # 0..255
    gripper_speed: int = 200
    viewpoints: tuple[Joints, ...] = ()  # where `find` looks from, after the clear pose
    grasp_network: str = ""  # a GG-CNN as ONNX instead of the antipodal finder
    cameras: tuple[CameraSetup, ...] = ()  # the tables [camera.overhead] and [camera.wrist]


EMULATED = Setup(tcp=(0.0, 0.0, 0.157, 0.0, 0.0, 0.0), payload=0.98, centre=(0.0, 0.0, 0.058), watchdog=2.0)


def read(path: Path) -> Setup:
    """A setup file. Raises BadFile, BadValue."""
    try:
        data = tomllib.loads(path.read_text())
    except FileNotFoundError:
        raise BadFile(path, "there is no such file", way_out="docs/ur5e.md shows one") from None
    except (OSError, tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, str(error)) from error
    limits, cameras = data.pop("limits", {}), data.pop("camera", {})
    known, known_limits = (
        {f.name for f in fields(Setup)} - {"limits", "cameras"},
        {f.name for f in fields(Limits)},
    )
    for name in (*(data.keys() - known), *(limits.keys() - known_limits)):
        raise BadFile(path, f"{name!r} is no setting of an arm", way_out="docs/ur5e.md lists them")
    try:
        made = replace(Setup(**_tuples(data)), limits=Limits(**_tuples(limits)))
        network = str(path.parent / made.grasp_network) if made.grasp_network else ""
        return replace(made, grasp_network=network, cameras=camera_setups(cameras, path.parent))
    except TypeError as error:
        raise BadFile(path, str(error)) from error


def _tuples(data: dict) -> dict:
    return {name: _tuple(value) for name, value in data.items()}


def _tuple(value: object) -> object:
    return tuple(_tuple(v) for v in value) if isinstance(value, list) else value
