"""The time axis: seconds to pixels and back, with long waits for a person compressed."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from core.episode_state import LONG_WAIT

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
