"""The clock of motions: how long they take to watch, and the halt that cuts them short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

from core.stop_token import StopToken
from robots.stop_latch import Latch

FPS = 30  # frames per second while something moves


class MotionHalted(Exception):
    """A halt or a cancel took effect in the middle of a motion. Never leaves this package."""


class MotionClock:
    """Times motions. `pace` is wall seconds for each second of motion: 1 is real time, 0 takes no time."""

    def __init__(self, pace: float, latch: Latch, publish: Callable[[], None]) -> None:
        self.pace = pace
        self._latch, self._publish = latch, publish
        self._cancel = StopToken()

    def use_cancel(self, cancel: StopToken) -> None:
        """Obey this cancel from now on."""
        self._cancel = cancel

    def progress(self, seconds: float) -> Iterator[float]:
        """Yield progress from above 0 to 1, once per frame; the caller moves things at each.

        Raises MotionHalted at most one frame after a halt. At pace 0 there is one frame.
        """
        frames = max(1, round(seconds * self.pace * FPS))
        begin = monotonic()
        for frame in range(1, frames + 1):
            self.raise_if_halted()
            yield frame / frames
            self._publish()
            left = begin + frame * seconds * self.pace / frames - monotonic()
            if left > 0 and self._latch.wait(left, self._cancel):
                raise MotionHalted

    def raise_if_halted(self) -> None:
        if self._latch.halted or self._cancel.is_set():
            raise MotionHalted


def smoothstep(progress: float) -> float:
    """Ease progress in and out."""
    return progress * progress * (3 - 2 * progress)
