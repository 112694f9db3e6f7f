"""Time for the body: how long a motion takes to watch, and the halt that cuts it short."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import monotonic

from core.cancel import Cancel
from robots.stop_latch import Latch

FPS = 30  # a second, while something moves


class MotionHalted(Exception):
    """A halt or a cancel took hold in the middle of a motion. Never leaves this folder."""


class MotionClock:
    """`pace` is wall seconds for each second of motion: 1 as in life, 0 no time at all."""

    def __init__(self, pace: float, latch: Latch, publish: Callable[[], None]) -> None:
        self.pace = pace
        self._latch, self._publish = latch, publish
        self._cancel = Cancel()

    def use_cancel(self, cancel: Cancel) -> None:
        """From now on this cancel counts."""
        self._cancel = cancel

    def progress(self, seconds: float) -> Iterator[float]:
        """Progress from above 0 to 1, one for each frame; the caller moves things at each.

        Raises Halted at most one frame after a halt. At pace 0 there is one beat.
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
    """Start and stop gently."""
    return progress * progress * (3 - 2 * progress)
