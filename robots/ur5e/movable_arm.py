"""Define what motions and handover need of a UR5e's driver, so that they import no driver."""

from __future__ import annotations

from typing import Protocol

from robots.stop_latch import Latch
from robots.ur5e.arm_setup import ArmSetup
from robots.ur5e.control_client import ControlClient
from robots.ur5e.kinematics import Transform
from robots.ur5e.rtde_receiver import RtdeReceiver


class MovableArm(Protocol):
    """The side of `Arm` that they use; its attributes are as there."""

    setup: ArmSetup
    latch: Latch
    control: ControlClient
    receiver: RtdeReceiver
    fault_reason: str

    @property
    def tcp(self) -> Transform: ...

    def motion_refusal(self) -> str: ...

    def with_cause(self, fault: str) -> str: ...

    def halt(self) -> int: ...

    def give_up_control(self) -> None: ...
