"""The time axis: seconds to pixels and back, long waits compressed, and the marks that are in view."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from core.episode_state import LONG_WAIT, TimelineMark, TimelineTrack

Waits = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class CompressedTime:
    """Converts seconds to axis units: one a second, but `LONG_WAIT` for a whole wait that took longer."""

    waits: Waits = ()  # in order, apart, from and until, in seconds

    @cached_property
    def _knots(self) -> tuple[list[float], list[float]]:
        seconds, units = [0.0], [0.0]
        for begin, end in self.waits:
            units += [units[-1] + begin - seconds[-1], 0.0]
            units[-1] = units[-2] + min(end - begin, LONG_WAIT)
            seconds += [begin, end]
        return seconds, units

    def units(self, seconds: float) -> float:
        return _interpolate(*self._knots, seconds)

    def seconds(self, units: float) -> float:
        there, here = self._knots
        return _interpolate(here, there, units)

    def after_wait(self, seconds: float) -> float:
        """Return the end of the wait in which this moment lies, or the moment itself."""
        return next((end for begin, end in self.waits if begin < seconds < end), seconds)


def _interpolate(xs: list[float], ys: list[float], x: float) -> float:
    """Return y at x between the knots; outside them the slope is 1."""
    at = bisect_right(xs, x)
    if at in (0, len(xs)):
        at = max(0, at - 1)
        return ys[at] + x - xs[at]
    share = (x - xs[at - 1]) / (xs[at] - xs[at - 1])
    return ys[at - 1] + share * (ys[at] - ys[at - 1])


@dataclass(frozen=True)
class TimeScale:
    """Converts seconds to pixels and back."""

    begin: float
    end: float
    left: float
    right: float
    time_axis: CompressedTime = CompressedTime()

    @cached_property
    def _units(self) -> tuple[float, float]:
        return self.time_axis.units(self.begin), self.time_axis.units(self.end)

    @property
    def span(self) -> float:
        """Return how many units are in view."""
        return self._units[1] - self._units[0]

    def x(self, seconds: float) -> float:
        units = self.time_axis.units(seconds) - self._units[0]
        return self.left + units / self.span * (self.right - self.left)

    def time(self, x: float) -> float:
        share = (x - self.left) / max(1.0, self.right - self.left)
        return self.time_axis.seconds(self._units[0] + share * self.span)


WRONG = ("failed", "halted", "no plan", "contradiction")


class TrackMarks:
    """The marks of a track, which are only ever added."""

    def __init__(self) -> None:
        self._all: list[TimelineMark] = []
        self._starts: list[float] = []
        self._wrong: list[int] = []  # their places

    def __len__(self) -> int:
        return len(self._all)

    def add(self, mark: TimelineMark) -> None:
        if mark.kind in WRONG:
            self._wrong.append(len(self._all))
        self._starts.append(max(mark.start, self._starts[-1]) if self._starts else mark.start)
        self._all.append(mark)

    def _between(self, s: TimeScale) -> tuple[int, int]:
        """Return the marks in view and one more at each end, whose name or line may reach into it."""
        first, last = bisect_left(self._starts, s.begin), bisect_left(self._starts, s.end)
        return max(0, first - 1), min(len(self._all), last + 1)

    def visible(self, s: TimeScale) -> list[TimelineMark]:
        """Return the visible marks; answers from the start of their call, because their places are counted
        from there.
        """
        first, last = self._between(s)
        while first and self._all[first].track is TimelineTrack.QUESTION and self._all[first].kind != "call":
            first -= 1
        return self._all[first:last]

    def crowded(self, s: TimeScale, room: float) -> bool:
        """Return True if the visible marks have less than `room` pixels each."""
        first, last = self._between(s)
        return (last - first) * room > s.right - s.left

    def thinned(self, s: TimeScale, grain: int) -> Iterator[tuple[int, TimelineMark]]:
        """Return one mark for every `grain` pixels that have any, and its position; problems come before all
        others.
        """
        at, last = self._between(s)
        while at < last:
            cell = int(s.x(self._starts[at]) // grain)
            after = bisect_left(self._starts, s.time((cell + 1) * grain), at + 1, last)
            bad = bisect_left(self._wrong, at) if self._wrong else 0
            hit = bad < len(self._wrong) and self._wrong[bad] < after
            yield cell * grain, self._all[self._wrong[bad] if hit else at]
            at = after
