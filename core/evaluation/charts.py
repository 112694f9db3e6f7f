"""Charts as SVG inside a page: no script, the page's own colours, and every value also as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, KEY = 760, 300, 44, 12, 34, 190
BAR_ROW, NAMES = 30, 210
Point = tuple[float, float]


def bars(label: str, rows: Sequence[tuple[str, float, float, float, float | None]]) -> str:
    """Return horizontal bars from 0 to 1: name, value, interval, and another value as a mark beside it."""
    height = BAR_ROW * len(rows) + BOTTOM
    span = WIDTH - NAMES - 70
    parts = [_open(label, height)]
    for tick in range(0, 101, 25):
        x = NAMES + span * tick / 100
        parts.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="4" y2="{height - BOTTOM + 4}"/>')
        parts.append(f'<text class="at" x="{x:.1f}" y="{height - 12}" text-anchor="middle">{tick} %</text>')
    for number, (name, value, low, high, other) in enumerate(rows):
        y = BAR_ROW * number + 8
        told = f"{name}: {100 * value:.1f} %, interval {100 * low:.1f} to {100 * high:.1f}"
        told += "" if other is None else f", paper {100 * other:.1f}"
        parts.append(f'<g class="s0"><title>{escape(told)}</title>')
        parts.append(f'<rect class="bar" x="{NAMES}" y="{y}" width="{span * value:.1f}" height="14"/>')
        at, to = NAMES + span * low, NAMES + span * high
        parts.append(f'<path class="whisker" d="M{at:.1f} {y + 7}H{to:.1f}"/></g>')
        if other is not None:
            parts.append(f'<path class="paper" d="M{NAMES + span * other:.1f} {y - 3}v20"/>')
        parts.append(f'<text x="{NAMES - 8}" y="{y + 11}" text-anchor="end">{escape(name)}</text>')
        parts.append(f'<text class="at" x="{WIDTH - 62}" y="{y + 11}">{100 * value:.1f} %</text>')
    return "".join([*parts, "</svg>"])


def lines(label: str, across: str, series: Mapping[str, Sequence[Point]], span: tuple[float, float]) -> str:
    """Return a chart of success (0 to 1, upwards); each series has its own line and symbol."""
    low, high = span
    high = high if high > low else low + 1
    wide, tall = WIDTH - LEFT - KEY, HEIGHT - TOP - BOTTOM
    parts = [_open(label, HEIGHT)]
    for tick in range(0, 101, 25):
        y = TOP + tall * (1 - tick / 100)
        parts.append(f'<line x1="{LEFT}" x2="{LEFT + wide}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(f'<text class="at" x="{LEFT - 6}" y="{y + 4:.1f}" text-anchor="end">{tick} %</text>')
    values = sorted({x for points in series.values() for x, _ in points})
    for value in values if len(values) < 12 else [low + (high - low) * n / 4 for n in range(5)]:
        x = LEFT + wide * (value - low) / (high - low)
        parts.append(
            f'<text class="at" x="{x:.1f}" y="{HEIGHT - 18}" text-anchor="middle">{value:.3g}</text>'
        )
    middle = f'x="{LEFT + wide / 2}" y="{HEIGHT - 3}" text-anchor="middle"'
    parts.append(f'<text class="at" {middle}>{escape(across)}</text>')
    for number, (name, points) in enumerate(series.items()):
        placed = [(LEFT + wide * (x - low) / (high - low), TOP + tall * (1 - y)) for x, y in sorted(points)]
        parts.append(f'<g class="s{number % 8}"><title>{escape(name)}</title>')
        if len(placed) > 1:
            parts.append(f'<path class="line" d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in placed)}"/>')
        parts += [_sign(number, x, y) for x, y in placed]
        y = TOP + 10 + 18 * number
        parts.append(_sign(number, LEFT + wide + 18, y - 4))
        parts.append(f'<text x="{LEFT + wide + 30}" y="{y}">{escape(name)}</text></g>')
    return "".join([*parts, "</svg>"])


def _open(label: str, height: int) -> str:
    return f'<svg class="chart" viewBox="0 0 {WIDTH} {height}" role="img" aria-label="{escape(label)}">'


def _sign(number: int, x: float, y: float) -> str:
    """Return the symbol of a series; shapes distinguish series where colours do not."""
    match number % 4:
        case 0:
            return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"/>'
        case 1:
            return f'<rect x="{x - 3.5:.1f}" y="{y - 3.5:.1f}" width="7" height="7"/>'
        case 2:
            return f'<path d="M{x:.1f} {y - 5:.1f}l5 9h-10z"/>'
    return f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"/>'
