"""The timeline of an episode as an SVG picture, one track per kind of event."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

from core.episode_state import TimelineMark, TimelineTrack

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


def timeline(marks: Sequence[TimelineMark], seconds: float) -> str:
    """Return the SVG of an episode that took `seconds`."""
    tracks = list(TimelineTrack)
    height = ROW * len(tracks) + 22
    scale = (WIDTH - LEFT - 12) / max(seconds, 1e-6)
    parts = [f'<svg class="timeline" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="time line">']
    for i, track in enumerate(tracks):
        y = ROW * i + ROW / 2
        parts.append(f'<text x="0" y="{y + 4}">{escape(track.value)}</text>')
        parts.append(f'<line x1="{LEFT}" x2="{WIDTH}" y1="{y}" y2="{y}"/>')
    for mark in marks:
        x, y = LEFT + mark.start * scale, ROW * tracks.index(mark.track) + ROW / 2
        long = ((mark.end or mark.start) - mark.start) * scale
        parts.append(_mark(mark, round(x, 1), y, round(long, 1)))
    for i in range(5):
        x = LEFT + (WIDTH - LEFT - 12) * i / 4
        side = "end" if i == 4 else "middle" if i else "start"
        at = f"{seconds * i / 4:.3g} s"
        parts.append(f'<text class="at" text-anchor="{side}" x="{x}" y="{height - 4}">{at}</text>')
    return "".join([*parts, "</svg>"])


def _mark(mark: TimelineMark, x: float, y: float, long: float) -> str:
    shape, colour = MARK_STYLES.get(mark.kind, ("bar" if long else "tick", "plain"))
    title = f"<title>{escape(f'{mark.label or mark.kind} ({mark.kind}), {mark.start:.1f} s')}</title>"
    return f'<g class="{colour}">{title}{"".join(_shapes(shape, x, y, long))}</g>'


def _shapes(shape: str, x: float, y: float, long: float) -> Iterator[str]:
    if long > 2 or shape == "bar":
        yield f'<rect class="span" x="{x}" y="{y - 5}" width="{max(long, 1.5)}" height="10" rx="2"/>'
    match shape:
        case "dot":
            yield f'<circle cx="{x}" cy="{y}" r="3.2"/>'
        case "ring":
            yield f'<circle class="open" cx="{x}" cy="{y}" r="3.2"/>'
        case "cross":
            yield f'<path class="open" d="M{x - 3.5} {y - 3.5}l7 7m0-7l-7 7"/>'
        case "diamond":
            yield f'<path d="M{x} {y - 5}l5 5-5 5-5-5z"/>'
        case "tick":
            yield f'<rect x="{x}" y="{y - 6}" width="1.5" height="12"/>'
