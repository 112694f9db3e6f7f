"""The protocols that drive a gripper: how the console reads it, and how the control process moves it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.arm.arm_capabilities import GripperStatus
from robots.remote.wire_message import WireMessage
from robots.ur5e.gripper.motion import GripperMotion
from robots.ur5e.gripper.robotiq import RobotiqMotion, RobotiqReader
from robots.ur5e.gripper.vacuum import VacuumMotion, VacuumReader

if TYPE_CHECKING:  # the control process starts without pydantic
    from robots.ur5e.gripper.model import GripperModel
    from robots.ur5e.rtde_receiver import RtdeReceiver


class GripperReader(Protocol):
    """Reads a gripper, from any thread. Raises RobotError if it does not answer."""

    def state(self) -> GripperStatus: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class GripperProtocol:
    """`reader` and `motion` may read the arm's data too. A motion is for one message: `activate`, or `grip`,
    which says how far to close, how fast and how hard (0..1).
    """

    reader: Callable[[str, GripperModel, RtdeReceiver], GripperReader]
    motion: Callable[[str, WireMessage, RtdeReceiver], GripperMotion]


PROTOCOLS: Mapping[str, GripperProtocol] = {
    "robotiq": GripperProtocol(RobotiqReader, RobotiqMotion),
    "vacuum": GripperProtocol(VacuumReader, VacuumMotion),
}
