"""The halt latch of every robot: any thread may close it; only a release that names the halt opens it."""

from __future__ import annotations

from threading import Condition
from time import monotonic

from core.stop_token import StopToken

_POLL_PERIOD = 0.01  # seconds between two checks of the cancel, which cannot wake a waiting thread


class Latch:
    """Numbers the halts and keeps the last one in force. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._changed = Condition()
        self._number = 0
        self._released = 0

    def halt(self) -> int:
        """Latch, wake every waiting thread, and return the number of this halt: 1, 2, ..."""
        with self._changed:
            self._number += 1
            self._changed.notify_all()
            return self._number

    def release(self, up_to: int) -> None:
        """Release all halts up to `up_to`, the last one that a person saw.

        Later halts stay in force, even one that has yet to come.
        """
        with self._changed:
            self._released = max(self._released, min(up_to, self._number))

    def last_halt(self) -> int:
        """Return the number of the last halt, whether in force or released; 0 before the first."""
        return self._number

    @property
    def halted(self) -> bool:
        with self._changed:
            return self._number > self._released

    def wait(self, timeout: float, cancel: StopToken) -> bool:
        """Sleep for up to `timeout` seconds. Return True if a halt or a cancel ended the sleep early."""
        end = monotonic() + timeout
        while not (self.halted or cancel.is_set()):
            left = end - monotonic()
            if left <= 0:
                return False
            with self._changed:
                self._changed.wait_for(lambda: self._number > self._released, timeout=min(left, _POLL_PERIOD))
        return True
