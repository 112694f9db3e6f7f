"""The lock on moving the arm: one holder at a time, and nobody waits for it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

STEP = "a step"
JOG = "jog"
FREEDRIVE = "freedrive"
GRIPPER = "the gripper"


class MotionLock:
    """The lock itself, for any thread.

    It may be taken for a limited time, and renewed by its holder before that is over.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._holder, self._until = "", 0.0

    @property
    def holder(self) -> str:
        with self._lock:
            return self._holder if monotonic() < self._until else ""

    def acquire(self, who: str, seconds: float = float("inf")) -> str:
        """Take the lock for `seconds`.

        Return "" if `who` now holds it, else the name of the current holder.
        """
        with self._lock:
            now = monotonic()
            if self._holder not in ("", who) and now < self._until:
                return self._holder
            self._holder, self._until = who, now + seconds
            return ""

    def release(self, who: str) -> None:
        with self._lock:
            if self._holder == who:
                self._holder = ""

    @contextmanager
    def acquired(self, who: str) -> Iterator[str]:
        """Hold the lock while the block runs.

        Yields "" if it was free, else the name of the current holder.
        """
        other = self.acquire(who)
        try:
            yield other
        finally:
            if not other:
                self.release(who)
