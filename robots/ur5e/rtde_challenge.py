"""Ask the controller in the stream of data, so that the data themselves show that they are not old.

A number is written into an input register that no other client has, and comes back among the outputs. Where
no register is to be had, or none comes back, the stream is paused and started again: its next package was
made after that.
"""

from __future__ import annotations

from collections import deque
from random import randrange

from robots.ur5e import rtde

REGISTERS = tuple(f"input_int_register_{n}" for n in range(41, 31, -1))  # not ur_rtde's, nor a fieldbus's
PERIOD_S = 0.05  # between two numbers
_RESTART_AFTER_S = 1.0  # without an answer
_KEPT = 600  # numbers that are still waited for: half a minute


class Challenge:
    """The requests of one connection, and their answers. `register` is the recipe that writes the number."""

    def __init__(self, register: rtde.Recipe | None, started_at: float) -> None:
        self._register = register
        self._number = randrange(1, 1 << 30)  # what an earlier client has left there is no answer
        self._asked: deque[tuple[int, float]] = deque(maxlen=_KEPT)
        self._restarting: float | None = None  # when a start was asked for that is not confirmed yet
        self._restarted: float | None = started_at  # the same, confirmed, and its first package is to come
        self._next = self._proved_at = started_at

    def due(self, now: float) -> bytes:
        """Return what is to be sent now."""
        if now < self._next:
            return b""
        self._next, frames = now + PERIOD_S, b""
        if self._register is not None:
            self._number += 1
            self._asked.append((self._number, now))
            frames = rtde.encode_frame(rtde.DATA, self._register.pack((self._number,)))
        if now - self._proved_at > _RESTART_AFTER_S and self._restarting is None:
            self._restarting = now
            frames += rtde.encode_frame(rtde.PAUSE) + rtde.encode_frame(rtde.START)
        return frames

    def on_reply(self, kind: int, payload: bytes) -> None:
        """Take what came between two packages. Raises ValueError if the stream does not start again."""
        if kind == rtde.START and self._restarting is not None:
            if payload != b"\1":
                raise ValueError("the controller does not start to send again")
            self._restarted, self._restarting = self._restarting, None

    def answered(self, values: dict[str, tuple[float, ...]], now: float) -> float | None:
        """Return when the newest request was sent that this package is the first to answer; None for none."""
        answers = [] if self._restarted is None else [self._restarted]
        self._restarted = None
        if self._register is not None:
            echo = int(values[self._register.names[0]][0])
            if any(number == echo for number, _ in self._asked):
                while self._asked and self._asked[0][0] <= echo:
                    answers.append(self._asked.popleft()[1])
        if answers:
            self._proved_at = now
        return max(answers, default=None)
