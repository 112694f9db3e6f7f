"""The setup of an installed arm: address, tool, payload, limits, viewpoints. Read from a TOML file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from pathlib import Path
from typing import Annotated, Literal, Self

from annotated_types import Ge, Interval
from pydantic import AfterValidator, StringConstraints, model_validator
from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml
from core.errors import BadFile
from robots.stop_pedal import PEDAL_PATH
from robots.ur5e.arm_name import arm_address
from robots.ur5e.gripper.model import DEFAULT_GRIPPER, GRIPPERS, read_gripper
from robots.ur5e.kinematics import TWO_PI, Joints, Pose
from robots.ur5e.scene_file import DEFAULT_SCENE, SCENES
from robots.ur5e.vision.camera_setup import CameraSetup

Point = tuple[float, float, float]
Byte = Annotated[int, Interval(ge=0, le=255)]


@dataclass(frozen=True, config=FILE)
class ArmLimits:
    """Limits that this program keeps in addition to the controller's own safety limits. SI units."""

    joint: Annotated[float, Interval(gt=0, le=TWO_PI)] = TWO_PI  # rad in either direction
    joint_speed: Annotated[float, Interval(gt=0, le=3.14)] = 1.0
    joint_acceleration: Annotated[float, Interval(gt=0, le=10)] = 1.4
    # m/s, the default of collaborative operation; raising it is a person's decision
    tool_speed: Annotated[float, Interval(gt=0, le=1)] = 0.25
    tool_acceleration: Annotated[float, Interval(gt=0, le=5)] = 0.8
    payload: Annotated[float, Interval(gt=0, le=5)] = 5.0
    lower: Point = (0.12, -0.55, 0.004)  # the box that the tool stays in
    upper: Point = (0.85, 0.55, 0.75)
    # metres that elbow and wrists keep above the table
    clearance: Annotated[float, Interval(ge=0, le=0.5)] = 0.05
    fresh: Annotated[float, Interval(gt=0, le=0.5)] = 0.1  # seconds; older data block motion

    @model_validator(mode="after")
    def _check(self) -> Self:
        if not all(a < b for a, b in zip(self.lower, self.upper, strict=True)):
            raise ValueError("the workspace box is empty: each of `lower` must be below its `upper`")
        return self


@dataclass(frozen=True, config=FILE)
class ArmSetup:
    """The setup of one arm.

    With `tcp` or `payload` None, the values of the pendant's installation apply; if they are unset there too,
    nothing moves.
    """

    address: Annotated[str, AfterValidator(arm_address)] = "127.0.0.1"
    tcp: Pose | None = None
    payload: Annotated[float, Ge(0)] | None = None
    centre: Point = (0.0, 0.0, 0.0)  # centre of gravity, from the flange
    limits: ArmLimits = field(default_factory=ArmLimits)
    # Hz; without a sign of life for 1/4 s the controller ends the program
    watchdog: Annotated[float, Interval(gt=0, le=20)] = 4.0
    gripper: str = DEFAULT_GRIPPER  # a shipped one, or the path of a file like it
    gripper_force: Byte = 60
    gripper_speed: Byte = 200
    pedal: Annotated[str, StringConstraints(pattern=PEDAL_PATH)] = ""  # a stop pedal, gamepad or key
    pedal_key: Annotated[int, Interval(ge=0, le=0x2FF)] = 0  # its code in linux/input-event-codes.h; 0: any
    viewpoints: tuple[Joints, ...] = ()  # where `find` looks from, after the clear pose
    grasp_network: str = ""  # path of a GG-CNN (ONNX) to use instead of the antipodal finder
    scene: str = DEFAULT_SCENE  # what stands on the table: a shipped scene, or the path of a file like it
    camera: Mapping[Literal["overhead", "wrist"], CameraSetup] = field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> Self:
        for mount, camera in self.camera.items():
            if camera.mount not in ("", mount):
                raise ValueError(f"camera.{mount}: mount is the table's name")
        return self

    @property
    def cameras(self) -> tuple[CameraSetup, ...]:
        return tuple(self.camera.values())


MIN_WATCHDOG_HZ = 1.0  # the least a setup file may ask for: a silent program ends within a second
EMULATED_SETUP = ArmSetup(
    tcp=(0.0, 0.0, 0.157, 0.0, 0.0, 0.0), payload=0.98, centre=(0.0, 0.0, 0.058), watchdog=2.0
)


def read_setup(path: Path) -> ArmSetup:
    """Read a setup file. Raises BadFile, which says what is wrong and where."""
    remedy = "docs/ur5e.md shows a setup file"
    made = load_toml(path, ArmSetup, remedy)
    if made.watchdog < MIN_WATCHDOG_HZ:
        reason = f"watchdog must be at least {MIN_WATCHDOG_HZ:g}, not {made.watchdog:g}"
        raise BadFile(path, reason, remedy=remedy)
    network = str(path.parent / made.grasp_network) if made.grasp_network else ""
    gripper, scene = GRIPPERS.beside(path, made.gripper), SCENES.beside(path, made.scene)
    if read_gripper(gripper).is_cup and network:
        raise BadFile(path, "grasp_network is for fingers, and this gripper is a cup", remedy=remedy)
    cameras = {mount: camera.placed(mount, path.parent) for mount, camera in made.camera.items()}
    return replace(made, grasp_network=network, gripper=gripper, scene=scene, camera=cameras)
