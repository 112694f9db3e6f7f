"""An arm that a person moves by hand from a terminal: no task, no cameras, no control program."""

from __future__ import annotations

from contextlib import ExitStack

from core.errors import RobotNotReady
from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.gripper.gripper import Gripper
from robots.ur5e.tabletop.hardware import require_setup


class ArmByHand(ArmServices):
    """Moves nothing but what a person asks for. `close` it."""

    def __init__(self, arm: Arm, gripper: Gripper) -> None:
        super().__init__(arm, gripper)
        self.embodiment = arm.embodiment

    def halt(self) -> int:
        return self._arm.halt()

    def close(self) -> None:
        self.close_services()
        self._gripper.close()
        self._arm.close()


def open_arm(named: str = "") -> ArmByHand:
    """Connect the arm named here or by ARM_ENV. Raises ConsoleError, also if another console moves it."""
    with ExitStack() as parts:
        arm = Arm(require_setup(named))
        parts.callback(arm.close)
        gripper = Gripper(arm)
        parts.callback(gripper.close)
        arm.connect()
        if refusal := arm.handover.refusal:
            raise RobotNotReady(f"{refusal}.")
        parts.pop_all()
        return ArmByHand(arm, gripper)
