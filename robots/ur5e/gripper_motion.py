"""One motion of the gripper, which a stop ends from any thread. It runs in the arm's control process."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Lock, Thread
from time import monotonic, sleep

from core.errors import RobotError
from robots.remote.wire_message import WireMessage
from robots.ur5e.gripper_socket import FAULTS, PORT, GripperSocket, ObjectDetection, set_line

_POLL_PERIOD = 0.01  # seconds between two looks at the registers
_END_MOVE, _END_ACTIVATION = {"GTO": 0}, {"ACT": 0, "GTO": 0}


class _MotionStopped(RobotError):
    """A stop came: nothing more is sent that could move the gripper."""


class GripperMotion(GripperSocket):
    """Runs one motion on a connection of its own, in a thread of its own.

    After `stop` has returned, nothing is sent any more but what ends the motion: `stop` and each line take
    the same lock, which is held only while a line is handed to the kernel.
    """

    def __init__(self, address: str, message: WireMessage, port: int = PORT) -> None:
        super().__init__(address, port)
        self.over = False
        self._message = message
        self._order = Lock()
        self._stopped = False
        self._ending: Mapping[str, int] = {}  # ends the motion under way; empty: none was begun

    def start(self, report: Callable[[str], None]) -> None:
        """Begin. `report(why)` is called at the end, with "" unless the motion failed."""
        Thread(target=self._run, args=(report,), daemon=True).start()

    def stop(self) -> None:
        """End the motion now, from any thread. Never waits."""
        with self._order:
            self._stopped, sock = True, self._sock
            if self._ending and sock is not None:
                with suppress(OSError):  # `_run` sends it again, and reports if that fails too
                    sock.send(set_line(self._ending), socket.MSG_DONTWAIT)

    def _send(self, sock: socket.socket, line: bytes) -> None:
        with self._order:
            if self._stopped:
                raise _MotionStopped("A stop came first.")
            sock.send(line, socket.MSG_DONTWAIT)

    def _run(self, report: Callable[[str], None]) -> None:
        reason = ""
        try:
            self._activate() if self._message.kind == "activate" else self._grip()
        except RobotError as error:
            reason = "" if self._stopped else str(error)
        except Exception as error:
            reason = f"The gripper's motion broke ({type(error).__name__}: {error})."
        try:
            if self._ending:
                self._confirm_end()
        except RobotError as error:
            reason = f"{error} It is not known to stand still: look at it."
        self.close()
        self.over = True
        report(reason)

    def _confirm_end(self) -> None:
        """End a motion that did not end by itself, and have it acknowledged, on a connection of its own."""
        own = GripperSocket(self._address, self._port)
        try:
            own.set(**self._ending)
        finally:
            own.close()

    def _activate(self) -> None:
        seconds = self._message.number("seconds")
        if self.get("STA") == 3 and not self.get("FLT"):
            return
        self.set(ACT=0, ATR=0)
        self._wait_for_status(0, seconds, "did not reset")
        self._ending = _END_ACTIVATION
        self.set(ACT=1, GTO=1)
        self._wait_for_status(3, seconds, "was not activated")
        self._ending = {}

    def _wait_for_status(self, status: int, seconds: float, failed: str) -> None:
        end = monotonic() + seconds
        while self.get("STA") != status:
            if monotonic() > end:
                raise RobotError(f"The gripper {failed}: check its cable and its URCap.")
            sleep(_POLL_PERIOD)

    def _grip(self) -> None:
        goal, speed, force = (self._byte(name) for name in ("position", "speed", "force"))
        state = self.state()
        if state.fault or not state.active:
            raise RobotError(f"The gripper cannot move: {FAULTS.get(state.fault, 'it is not activated')}.")
        end = monotonic() + self._message.number("seconds")
        self._ending = _END_MOVE
        self.set(POS=goal, SPE=speed, FOR=force, GTO=1)
        while self.get("OBJ") & 3 == ObjectDetection.MOVING or self.get("PRE") != goal:
            if monotonic() > end:
                raise RobotError("The gripper did not come to rest: look at it, and activate it again.")
            sleep(_POLL_PERIOD)
        self._ending = {}

    def _byte(self, name: str) -> int:
        return min(255, max(0, round(self._message.number(name))))
