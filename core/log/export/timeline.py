"""The timeline of an episode as an SVG picture, one track per kind of event."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from markupsafe import Markup

from core.episode_state import TimelineMark, TimelineTrack
from core.text.html_page import macros

WIDTH, ROW, LEFT = 960, 26, 76
# Shape and colour both encode the kind: (shape, CSS class). The default is a plain tick.
MARK_STYLES = {
    "done": ("bar", "yes"),
    "failed": ("cross", "no"),
    "halted": ("cross", "no"),
    "yes": ("dot", "yes"),
    "no": ("cross", "no"),
    "unknown": ("ring", "unknown"),
    "contradiction": ("diamond", "unknown"),
    "plan": ("diamond", "you"),
    "no plan": ("cross", "no"),
    "override": ("diamond", "you"),
    "stop": ("cross", "no"),
    "bookmark": ("diamond", "unknown"),
}


class _Mark(NamedTuple):
    """What the template draws, in the units of the picture."""

    title: str
    shape: str
    colour: str
    x: float
    y: float
    long: float


def timeline(marks: Sequence[TimelineMark], seconds: float) -> Markup:
    """Return the SVG of an episode that took `seconds`."""
    rows = {track: ROW * i + ROW / 2 for i, track in enumerate(TimelineTrack)}
    across = WIDTH - LEFT - 12
    times = [
        (LEFT + across * i / 4, "end" if i == 4 else "middle" if i else "start", f"{seconds * i / 4:.3g} s")
        for i in range(5)
    ]
    drawn: Markup = macros("log/export/timeline.html").timeline(
        WIDTH,
        ROW * len(rows) + 22,
        LEFT,
        [(track.value, y) for track, y in rows.items()],
        [_mark(mark, across / max(seconds, 1e-6), rows[mark.track]) for mark in marks],
        times,
    )
    return drawn


def _mark(mark: TimelineMark, scale: float, y: float) -> _Mark:
    x, long = LEFT + mark.start * scale, ((mark.end or mark.start) - mark.start) * scale
    shape, colour = MARK_STYLES.get(mark.kind, ("bar" if long else "tick", "plain"))
    title = f"{mark.label or mark.kind} ({mark.kind}), {mark.start:.1f} s"
    return _Mark(title, shape, colour, round(x, 1), y, round(long, 1))
