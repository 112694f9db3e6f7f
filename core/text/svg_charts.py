"""Charts as SVG inside a page: no script, the page's own colours, and every value also as text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from core.text.html_page import joined, markup

WIDTH, HEIGHT, LEFT, TOP, BOTTOM, KEY = 760, 300, 44, 14, 34, 190
BAR_ROW, NAMES, FIGURES = 38, 190, 160
GROUPS_HEIGHT, KEY_COLUMNS, KEY_ROW = 250, 4, 18
BESIDE = 6  # px between symbols of one place
TICKS = (0, 25, 50, 75, 100)  # per cent
Point = tuple[float, float]


@dataclass(frozen=True)
class Bar:
    """A share from 0 to 1 with its interval, and the paper's, if there is one."""

    share: float
    low: float
    high: float
    paper: float | None = None

    def __str__(self) -> str:
        told = f"{100 * self.share:.1f} %, interval {100 * self.low:.0f} to {100 * self.high:.0f}"
        return told + ("" if self.paper is None else f", paper {100 * self.paper:.1f}")


def outcome_bars(label: str, rows: Sequence[tuple[str, Bar, float, float]]) -> Markup:
    """Return for each method a bar of true success, and thin ones of believed success and false claims."""
    height = TOP + BAR_ROW * len(rows) + BOTTOM
    span = WIDTH - NAMES - FIGURES
    parts = [_open(label, height)]
    for tick in TICKS:
        x = NAMES + span * tick / 100
        parts.append(
            markup('<line x1="{:.1f}" x2="{:.1f}" y1="{}" y2="{}"/>', x, x, TOP, height - BOTTOM + 4)
        )
        parts.append(_text(x, height - 14, f"{tick} %", "middle"))
    columns = [WIDTH - FIGURES + 52 * (place + 1) for place in range(3)]
    parts += [_text(x, TOP - 3, head) for x, head in zip(columns, ("true", "believed", "false"), strict=True)]
    for number, (name, true, believed, false) in enumerate(rows):
        y = TOP + BAR_ROW * number + 5
        told = f"{name}: {true}; believed {100 * believed:.1f}; false claims {100 * false:.1f}"
        parts.append(markup("<g><title>{}</title>", told))
        parts.append(_rect("true", NAMES, y, span * true.share, 14))
        parts.append(_rect("believed", NAMES, y + 17, span * believed, 4))
        parts.append(_rect("false", NAMES, y + 23, span * false, 4))
        low, high = (NAMES + span * share for share in (true.low, true.high))
        parts.append(markup('<path class="whisker" d="M{:.1f} {}H{:.1f}"/></g>', low, y + 7, high))
        if true.paper is not None:
            parts.append(markup('<path class="paper" d="M{:.1f} {}v20"/>', NAMES + span * true.paper, y - 3))
        parts.append(_text(NAMES - 8, y + 12, name, kind=""))
        shares = (true.share, believed, false)
        parts += [_text(x, y + 12, f"{100 * share:.1f}") for x, share in zip(columns, shares, strict=True)]
    return joined((*parts, Markup("</svg>")))


def grouped_bars(label: str, groups: Sequence[str], series: Mapping[str, Sequence[Bar | None]]) -> Markup:
    """Return upright bars, one of each series in each group; a mark where the paper is."""
    foot = GROUPS_HEIGHT - BOTTOM
    parts = [_open(label, GROUPS_HEIGHT + KEY_ROW * -(-len(series) // KEY_COLUMNS))]
    parts += _levels(foot, WIDTH)
    room = (WIDTH - LEFT) / len(groups)
    each = 0.84 * room / len(series)
    for place, group in enumerate(groups):
        middle = LEFT + room * (place + 0.5)
        parts.append(_text(middle, foot + 16, group, "middle"))
        for number, (name, bars) in enumerate(series.items()):
            if (bar := bars[place]) is None:
                continue
            x = middle + (number - len(series) / 2) * each
            top, low, high = (_height(share, foot) for share in (bar.share, bar.low, bar.high))
            parts.append(markup('<g class="s{}"><title>{}</title>', number % 8, f"{name}, {group}: {bar}"))
            parts.append(_rect("bar", x, top, each - 2, foot - top))
            parts.append(
                markup('<path class="whisker" d="M{:.1f} {:.1f}V{:.1f}"/></g>', x + each / 2 - 1, low, high)
            )
            if bar.paper is not None:
                parts.append(
                    markup(
                        '<path class="paper" d="M{:.1f} {:.1f}h{:.1f}"/>',
                        x - 1,
                        _height(bar.paper, foot),
                        each,
                    )
                )
    for number, name in enumerate(series):
        down, across = divmod(number, KEY_COLUMNS)
        x, y = LEFT + (WIDTH - LEFT) / KEY_COLUMNS * across, GROUPS_HEIGHT + KEY_ROW * down
        parts.append(markup('<g class="s{}">{}', number % 8, _rect("bar", x, y - 9, 10, 10)))
        parts.append(markup("{}</g>", _text(x + 16, y, name, "start", "")))
    return joined((*parts, Markup("</svg>")))


def line_chart(
    label: str, across: str, series: Mapping[str, Sequence[Point]], span: tuple[float, float], ideal: str = ""
) -> Markup:
    """Return a chart of shares (0 to 1, upwards); each series has its own line and symbol, beside those on
    which it would lie. `ideal` names a dashed line from 0 at the left to 1 at the right.
    """
    low, high = span
    high = high if high > low else low + 1
    wide, foot = WIDTH - LEFT - KEY, HEIGHT - BOTTOM
    parts = [_open(label, HEIGHT), *_levels(foot, LEFT + wide)]
    values = sorted({x for points in series.values() for x, _ in points})
    apart = all(b - a >= (high - low) / 16 for a, b in pairwise(values))  # else they would overlap
    for value in values if apart else [low + (high - low) * n / 4 for n in range(5)]:
        x = LEFT + wide * (value - low) / (high - low)
        parts.append(_text(x, HEIGHT - 18, f"{value:.3g}", "middle"))
    parts.append(_text(LEFT + wide / 2, HEIGHT - 3, across, "middle"))
    if ideal:
        line, y = markup('<path class="ideal" d="M{} {}L{} {}', LEFT, foot, LEFT + wide, TOP), HEIGHT - BOTTOM
        parts.append(markup('{}M{} {}h12"/>', line, LEFT + wide + 12, y - 4))
        parts.append(_text(LEFT + wide + 30, y, ideal, "start", ""))
    there = Counter[tuple[int, int]]()  # symbols at each place
    for number, (name, points) in enumerate(series.items()):
        placed = [(LEFT + wide * (x - low) / (high - low), _height(y, foot)) for x, y in sorted(points)]
        at = [(round(x), round(y)) for x, y in placed]
        placed = [(x + BESIDE * there[where], y) for (x, y), where in zip(placed, at, strict=True)]
        there.update(at)
        parts.append(markup('<g class="s{}"><title>{}</title>', number % 8, name))
        if len(placed) > 1:
            parts.append(
                markup('<path class="line" d="M{}"/>', "L".join(f"{x:.1f} {y:.1f}" for x, y in placed))
            )
        parts += [_sign(number, x, y) for x, y in placed]
        y = TOP + 10 + 18 * number
        parts.append(_sign(number, LEFT + wide + 18, y - 4))
        parts.append(markup("{}</g>", _text(LEFT + wide + 30, y, name, "start", "")))
    return joined((*parts, Markup("</svg>")))


def _open(label: str, height: int) -> Markup:
    return markup('<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{}">', WIDTH, height, label)


def _height(share: float, foot: float) -> float:
    return foot - (foot - TOP) * share


def _levels(foot: float, right: float) -> list[Markup]:
    """Return the horizontal lines of a chart, with their names."""
    parts: list[Markup] = []
    for tick in TICKS:
        y = _height(tick / 100, foot)
        parts.append(markup('<line x1="{}" x2="{}" y1="{:.1f}" y2="{:.1f}"/>', LEFT, right, y, y))
        parts.append(_text(LEFT - 6, y + 4, f"{tick} %"))
    return parts


def _text(x: float, y: float, words: str, anchor: str = "end", kind: str = "at") -> Markup:
    """Return text; of the kind "at" for what is read off a chart, "" for the names in it."""
    of = markup('class="{}" ', kind) if kind else ""
    return markup('<text {}x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>', of, x, y, anchor, words)


def _rect(kind: str, x: float, y: float, wide: float, high: float) -> Markup:
    return markup(
        '<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>', kind, x, y, wide, high
    )


def _sign(number: int, x: float, y: float) -> Markup:
    """Return the symbol of a series; shapes distinguish series where colours do not."""
    match number % 4:
        case 0:
            return markup('<circle cx="{:.1f}" cy="{:.1f}" r="4"/>', x, y)
        case 1:
            return markup('<rect x="{:.1f}" y="{:.1f}" width="7" height="7"/>', x - 3.5, y - 3.5)
        case 2:
            return markup('<path d="M{:.1f} {:.1f}l5 9h-10z"/>', x, y - 5)
    return markup('<path d="M{:.1f} {:.1f}l5 5l-5 5l-5 -5z"/>', x, y - 5)
