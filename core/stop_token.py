"""Stop a turn or a whole episode from any thread, by one token for all that runs."""

from __future__ import annotations

from threading import Condition

from core.errors import Cancelled


class Late(str):
    """A reason to stop: a sign of life or data did not come in time. Of a robot that is simulated on this
    computer it says that the computer did not keep up. It stays one as a step's detail and in a message.
    """

    __slots__ = ()


class StopToken:
    """An event with a reason. Every method may be called from any thread.

    `stop` interrupts whatever is running and stays in force until `release` names it; `end` is permanent.
    Long-running work calls `check()` often, or sleeps with `wait()`.
    """

    def __init__(self) -> None:
        self._changed = Condition()
        self._stop = 0
        self._released = 0
        self._reason = ""
        self._ended = False

    def stop(self, number: int, reason: str) -> None:
        """Interrupt the turn; `number` is what `Robot.halt` returned."""
        with self._changed:
            if number > self._stop:
                self._stop, self._reason = number, reason
            self._changed.notify_all()

    def end(self, reason: str) -> None:
        """Interrupt the episode for good; the first reason is kept."""
        with self._changed:
            if not self._ended:
                self._ended, self._reason = True, reason
            self._changed.notify_all()

    def release(self, up_to: int) -> None:
        """Release the stops up to number `up_to`, the last that a person saw; a later one stays in force."""
        with self._changed:
            self._released = max(self._released, up_to)

    @property
    def active_stop(self) -> int:
        """Return the number of the stop in force, or 0."""
        with self._changed:
            return self._stop if self._stop > self._released else 0

    @property
    def ended(self) -> bool:
        with self._changed:
            return self._ended

    @property
    def reason(self) -> str:
        with self._changed:
            return self._reason

    def is_set(self) -> bool:
        with self._changed:
            return self._ended or self._stop > self._released

    def check(self) -> None:
        """Raise Cancelled if a stop or end is in force."""
        if self.is_set():
            raise Cancelled(self.reason)

    def wait(self, seconds: float) -> bool:
        """Sleep for at most `seconds`, but wake at once on a stop or end. Return True if one is in force."""
        with self._changed:
            return self._changed.wait_for(lambda: self._ended or self._stop > self._released, timeout=seconds)
