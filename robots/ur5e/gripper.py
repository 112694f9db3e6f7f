"""The Robotiq Hand-E for the console: read here, moved by the arm's control process."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

from core.errors import RobotError
from robots.ur5e.control_client import ControlClient
from robots.ur5e.gripper_socket import GripperSocket, RobotiqState

_ANSWER_TIMEOUT = 3.0  # seconds for the control process, in addition to the motion itself
_POLL_PERIOD = 0.02  # seconds between two checks for an interruption


class RobotiqGripper:
    """Reads the gripper from any thread, and has it moved on the open permit, one motion at a time.

    Raises RobotError if it does not answer or reports a fault.
    """

    def __init__(self, address: str, control: ControlClient) -> None:
        self._control, self._socket = control, GripperSocket(address)

    def state(self) -> RobotiqState:
        return self._socket.state()

    def close(self) -> None:
        self._socket.close()

    def activate(self, interrupted: Callable[[], bool], seconds: float = 10.0) -> None:
        """Activate the gripper.

        A real hand opens and closes once, so this is a motion that a person must approve.

        When `interrupted` returns True the gripper is reset, which stops it where it is and leaves it
        inactive.
        """
        self._move("activate", interrupted, 2 * seconds, seconds=seconds)

    def move(
        self, position: int, speed: int, force: int, interrupted: Callable[[], bool], seconds: float = 4.0
    ) -> None:
        """Move, and wait until the fingers stand still, or stop them where `interrupted` returns True."""
        values = {"position": position, "speed": speed, "force": force}
        self._move("grip", interrupted, seconds, seconds=seconds, **values)

    def _move(self, kind: str, interrupted: Callable[[], bool], longest: float, **body: float) -> None:
        control = self._control
        if interrupted():
            return
        control.start()
        operation, end = control.request(kind, **body), monotonic() + longest + _ANSWER_TIMEOUT
        while (answer := control.wait_for_result(operation, _POLL_PERIOD)) is None:
            if interrupted():
                control.end_motion()
            if monotonic() > end:
                raise RobotError("The gripper's motion did not end: look at it, and activate it again.")
        if (reason := answer.text("why")) and not interrupted():
            raise RobotError(reason)
