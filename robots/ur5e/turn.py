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


class Turn:
    """Any thread. A turn may be taken for a time, and taken again by the same before it is over."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._who, self._until = "", 0.0

    @property
    def who(self) -> str:
        with self._lock:
            return self._who if monotonic() < self._until else ""

    def take(self, who: str, seconds: float = float("inf")) -> str:
        """ "" when the turn is theirs now, else whose it is."""
        with self._lock:
            now = monotonic()
            if self._who not in ("", who) and now < self._until:
                return self._who
            self._who, self._until = who, now + seconds
            return ""

    def give_back(self, who: str) -> None:
        with self._lock:
            if self._who == who:
                self._who = ""

    @contextmanager
    def taken(self, who: str) -> Iterator[str]:
        """For as long as the block runs. Gives whose turn it is instead, "" when it was free."""
        other = self.take(who)
        try:
            yield other
        finally:
            if not other:
                self.give_back(who)
