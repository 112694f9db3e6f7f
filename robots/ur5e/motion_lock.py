"""Whose turn it is to move the arm: one at a time, and nobody waits for it."""

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
    """Any thread. A turn may be taken for a time, and taken again by the same before it is over."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._holder, self._until = "", 0.0

    @property
    def holder(self) -> str:
        with self._lock:
            return self._holder if monotonic() < self._until else ""

    def acquire(self, who: str, seconds: float = float("inf")) -> str:
        """ "" when the turn is theirs now, else whose it is."""
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
        """For as long as the block runs. Gives whose turn it is instead, "" when it was free."""
        other = self.acquire(who)
        try:
            yield other
        finally:
            if not other:
                self.release(who)
