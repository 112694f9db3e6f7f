"""The marks of one track of the timeline, found by time, so that only visible ones are visited."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from app.widgets.timeline.time_scale import TimeScale
from core.episode_state import TimelineMark, TimelineTrack

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

    def typical_seconds(self, label: str) -> float:
        """Return how long the marks with this word in their label took on average, else all of them, or 1."""
        took = [(m.end - m.start, label in m.label) for m in self._all if m.end is not None]
        same = [seconds for seconds, fits in took if fits] or [seconds for seconds, _ in took]
        return max(0.2, sum(same) / len(same)) if same else 1.0

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
