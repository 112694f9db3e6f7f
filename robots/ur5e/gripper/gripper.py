"""The gripper for the console: read here, moved by the arm's control process."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from core.arm.arm_capabilities import GripperStatus
from core.errors import RobotError
from robots.remote.wire_message import JsonValue
from robots.ur5e.arm_setup import ArmSetup
from robots.ur5e.gripper.model import read_gripper
from robots.ur5e.gripper.protocols import PROTOCOLS, GripperReader
from robots.ur5e.movable_arm import MovableArm
from robots.ur5e.rtde_receiver import RtdeReceiver

_ANSWER_TIMEOUT_S = 3.0  # for the control process, in addition to the motion itself
_POLL_PERIOD_S = 0.02  # between two checks for an interruption


def gripper_reader(setup: ArmSetup, receiver: RtdeReceiver) -> GripperReader:
    """Return what reads the gripper of this setup. Its owner closes it. Raises UnknownName, BadFile."""
    model = read_gripper(setup.gripper)
    return PROTOCOLS[model.protocol].reader(setup.address, model, receiver)


class Gripper:
    """Reads the gripper from any thread, and has it moved on the open permit, one motion at a time.

    Raises RobotError if it does not answer or reports a fault.
    """

    def __init__(self, arm: MovableArm) -> None:
        self.model = read_gripper(arm.setup.gripper)
        self._control, self._reader = arm.control, gripper_reader(arm.setup, arm.receiver)

    def state(self) -> GripperStatus:
        return self._reader.state()

    def close(self) -> None:
        self._reader.close()

    def activate(self, interrupted: Callable[[], bool], seconds: float = 10.0) -> None:
        """Activate the gripper.

        A real hand opens and closes once, so this is a motion that a person must approve.

        When `interrupted` returns True the gripper is reset, which stops it where it is and leaves it
        inactive.
        """
        self._move("activate", interrupted, 2 * seconds, seconds=seconds)

    def move(
        self,
        opening: float,
        speed: float,
        force: float,
        interrupted: Callable[[], bool],
        seconds: float = 4.0,
    ) -> None:
        """Move, and wait until the fingers stand still, or stop them where `interrupted` returns True.

        `opening` in metres; 0 has a cup suck, anything else has it let go. `speed` and `force`: 0..1.
        """
        model = self.model
        closed = float(opening <= 0) if model.is_cup else 1 - min(1.0, max(0.0, opening / model.stroke))
        self._move("grip", interrupted, seconds, seconds=seconds, closed=closed, speed=speed, force=force)

    def _move(self, kind: str, interrupted: Callable[[], bool], longest: float, **body: JsonValue) -> None:
        control, model = self._control, self.model
        if interrupted():
            return
        control.start()
        operation = control.request(
            kind, protocol=model.protocol, valve=model.valve, switch=model.switch, **body
        )
        end = monotonic() + longest + _ANSWER_TIMEOUT_S
        while (answer := control.wait_for_result(operation, _POLL_PERIOD_S)) is None:
            if interrupted():
                control.end_motion()
            if monotonic() > end:
                raise RobotError("The gripper's motion did not end: look at it, and activate it again.")
        if (reason := answer.text("why")) and not interrupted():
            raise RobotError(reason)
