"""One motion of a gripper, which a stop ends from any thread. It runs in the arm's control process."""

from __future__ import annotations

import socket
from abc import ABC, abstractmethod
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread

from core.errors import RobotError


class MotionStopped(RobotError):
    """A stop came: nothing more is sent that could move the gripper."""


class GripperMotion(ABC):
    """Runs one motion in a thread of its own.

    After `stop` has returned, nothing is sent any more but what ends the motion: `stop` and each message take
    the same lock, which is held only while a message is handed to the kernel.
    """

    def __init__(self) -> None:
        self.over = False
        self._order = Lock()
        self._stopped = False

    def start(self, report: Callable[[str], None]) -> None:
        """Begin. `report(why)` is called at the end, with "" unless the motion failed."""
        Thread(target=self._run, args=(report,), daemon=True).start()

    def stop(self) -> None:
        """End the motion now, from any thread. Never waits."""
        with self._order:
            self._stopped = True
            with suppress(OSError):  # `_run` ends it again, and reports if that fails too
                self._send_end()

    def send(self, sock: socket.socket, data: bytes) -> None:
        """Send what may move the gripper, unless a stop came."""
        with self._order:
            if self._stopped:
                raise MotionStopped("A stop came first.")
            sock.send(data, socket.MSG_DONTWAIT)

    def _run(self, report: Callable[[str], None]) -> None:
        reason = ""
        try:
            self._move()
        except RobotError as error:
            reason = "" if self._stopped else str(error)
        except Exception as error:
            reason = f"The gripper's motion broke ({type(error).__name__}: {error})."
        try:
            self._confirm_end()
        except RobotError as error:
            reason = f"{error} It is not known to stand still: look at it."
        self.over = True
        report(reason)

    @abstractmethod
    def _move(self) -> None:
        """Move, and return when the gripper is at rest. All that moves it goes through `send`."""

    def _send_end(self) -> None:  # noqa: B027
        """Send what ends the motion under way, if any. Must not wait, nor take the lock."""

    def _confirm_end(self) -> None:  # noqa: B027
        """End a motion that did not end by itself, and have that confirmed. Raises RobotError."""
