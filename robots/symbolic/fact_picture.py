"""Draw the facts as a table: one row for each object, its name on the left, its facts as pills.

The rows are laid out in pixels of the final picture. OpenCV draws them at four times the size, and the
picture is then averaged down so that small letters stay smooth.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from core.belief import Atom
from core.planning_model import Problem
from core.ports import BoundingBox

SIZE = 256  # pixels, width and height; twice as many where not all rows fit
_SUPERSAMPLING = 4
_MARGIN, _GAP, _LINE = 8.0, 3.0, 13.5
_FONT_SCALE = 0.33  # of the Hershey font: about 7 pixels for a capital letter
_LAYOUTS = (  # scale and columns; the first layout in which all rows fit is used, at either size
    (1.8, 1), (1.55, 1), (1.35, 1), (1.2, 1), (1.1, 1), (1.0, 1), (0.9, 1), (0.9, 2), (0.8, 1), (0.8, 2),
    (0.7, 2), (0.7, 3),
)  # fmt: skip

BACKGROUND_COLOUR, TEXT_COLOUR, MUTED_COLOUR = (250, 249, 246), (38, 42, 48), (118, 122, 128)
_FILL_COLOURS = (
    (220, 233, 247), (252, 230, 205), (221, 240, 218), (246, 222, 228),
    (232, 225, 245), (250, 241, 200), (214, 239, 238), (236, 228, 216),
)  # fmt: skip
_EDGE_COLOURS = (
    (70, 120, 180), (205, 125, 35), (75, 145, 70), (190, 80, 105),
    (125, 95, 180), (170, 140, 20), (35, 145, 140), (135, 110, 75),
)  # fmt: skip


@dataclass(frozen=True)
class Pill:
    text: str
    colour: int  # index into the palette, the same for the same predicate
    static: bool = False  # True if no action changes it


@dataclass(frozen=True)
class FactRow:
    """One row of the picture. `name` is the PDDL object, or "" for facts without arguments."""

    name: str
    label: str
    colour: int
    pills: tuple[Pill, ...]


def fact_rows(problem: Problem, truth: Iterable[Atom], display: Callable[[str], str]) -> tuple[FactRow, ...]:
    """Return one row for each object that is the first argument of a fact, sorted by type and name."""
    predicates = [p.name for p in problem.domain.predicates]
    fluent = {e.literal.predicate for a in problem.domain.actions for e in a.effects}
    types = sorted({o.type for o in problem.all_objects})
    facts: dict[str, list[Pill]] = {}
    for atom in sorted(truth, key=lambda a: (a.predicate not in fluent, a)):
        parts = (atom.predicate.replace("_", " "), *map(display, atom.args[1:]))
        colour = predicates.index(atom.predicate) if atom.predicate in predicates else 0
        pill = Pill(" ".join(parts), colour % len(_FILL_COLOURS), atom.predicate not in fluent)
        facts.setdefault(atom.args[0] if atom.args else "", []).append(pill)
    rows = [FactRow("", "", 0, tuple(facts[""]))] if "" in facts else []
    for thing in sorted(problem.all_objects, key=lambda o: (o.type, _natural_key(o.name))):
        if thing.name in facts:
            colour = types.index(thing.type) % len(_EDGE_COLOURS)
            rows.append(FactRow(thing.name, display(thing.name), colour, tuple(facts[thing.name])))
    return tuple(rows)


def _natural_key(name: str) -> tuple[tuple[int, str], ...]:
    """Return a sort key that places b2 before b10."""
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name))


def draw_rows(rows: Sequence[FactRow]) -> tuple[NDArray[np.uint8], tuple[BoundingBox, ...]]:
    """Return a square picture (RGB, uint8), SIZE or twice as wide, and the bounding box of each named row."""
    import cv2

    page = _lay_out(rows)
    canvas = np.empty((page.size * _SUPERSAMPLING, page.size * _SUPERSAMPLING, 3), np.uint8)
    canvas[0] = BACKGROUND_COLOUR  # `np.full` would convert every pixel anew, which takes as long as the text
    canvas[1:] = canvas[0]
    for word in page.texts:
        word.draw(canvas, page.scale)
    small = cv2.resize(canvas, (page.size, page.size), interpolation=cv2.INTER_AREA)
    return np.asarray(small, np.uint8), page.boxes


@dataclass(frozen=True)
class _TextBox:
    """A text with its left edge and the top of its line, in pixels of the picture; colour -1: none."""

    text: str
    x: float
    y: float
    width: float
    fill: int = -1
    edge: int = -1
    muted: bool = False

    def draw(self, canvas: NDArray[np.uint8], scale: float) -> None:
        import cv2

        def at(x: float, y: float) -> tuple[int, int]:
            return round(x * _SUPERSAMPLING), round(y * _SUPERSAMPLING)

        line = _LINE * scale
        if self.edge >= 0:
            corners = at(self.x - 4.5, self.y + 1.5), at(self.x - 2.5, self.y + line - 3)
            cv2.rectangle(canvas, *corners, _EDGE_COLOURS[self.edge], -1, cv2.LINE_AA)
        if self.fill >= 0:
            radius = round((line - 3) / 2 * _SUPERSAMPLING)
            left, top = at(self.x - 3, self.y + 0.5)
            right, bottom = at(self.x + self.width + 3, self.y + line - 2)
            middle = (top + bottom) // 2
            ends = (left + radius, middle), (right - radius, middle)
            cv2.line(canvas, *ends, _FILL_COLOURS[self.fill], bottom - top, cv2.LINE_AA)
        base = at(self.x, self.y + line * 0.69)
        ink = MUTED_COLOUR if self.muted else TEXT_COLOUR
        size = _FONT_SCALE * scale * _SUPERSAMPLING
        cv2.putText(
            canvas, self.text, base, cv2.FONT_HERSHEY_SIMPLEX, size, ink, _line_thickness(scale), cv2.LINE_AA
        )


def _line_thickness(scale: float) -> int:
    return max(2, round(3 * scale))


@lru_cache(4096)
def _text_width(text: str, scale: float) -> float:
    import cv2

    size, _ = cv2.getTextSize(
        text, cv2.FONT_HERSHEY_SIMPLEX, _FONT_SCALE * scale * _SUPERSAMPLING, _line_thickness(scale)
    )
    return size[0] / _SUPERSAMPLING


@dataclass(frozen=True)
class _Page:
    """The placed texts and the boxes of the rows. `left_out` are the rows for which no room is left;
    `overlaps` tells that a row is wider than its column.
    """

    size: int
    scale: float
    texts: list[_TextBox]
    boxes: tuple[BoundingBox, ...]
    overlaps: bool
    left_out: int = 0


def _lay_out(rows: Sequence[FactRow]) -> _Page:
    """Return the first page with all rows, else the last on which none is written over another."""
    pages = []
    for size in (SIZE, 2 * SIZE):
        for scale, columns in _LAYOUTS:
            page = _layout_rows(rows, size, scale, columns)
            if not page.overlaps and not page.left_out:
                return page
            pages.append(page)
    return next((page for page in reversed(pages) if not page.overlaps), pages[-1])


def _layout_rows(rows: Sequence[FactRow], size: int, scale: float, columns: int) -> _Page:
    width = size / columns
    labels = max((_text_width(row.label, scale) for row in rows), default=0.0)
    indent = labels + 10 if labels else 3.0
    texts: list[_TextBox] = []
    boxes: list[BoundingBox] = []
    left, y, overlaps = _MARGIN, _MARGIN, False
    for number, row in enumerate(rows):
        block, height, widest = _layout_row(row, scale, indent, width - 1.5 * _MARGIN)
        overlaps = overlaps or widest > width - _MARGIN
        if y + height > size - 3:
            left, y = left + width, _MARGIN
        if left > size:
            more = len(rows) - number
            texts.append(_TextBox(f"and {more} more", size - 70, size - 12, 0, muted=True))
            return _Page(size, scale, texts, tuple(boxes), overlaps, more)
        texts += (replace(word, x=word.x + left, y=word.y + y) for word in block)
        if row.name:
            boxes.append(BoundingBox(row.name, left - 5, y, left - 5 + width - 4, y + height - 1))
        y += height + _GAP * scale
    return _Page(size, scale, texts, tuple(boxes), overlaps)


def _layout_row(
    row: FactRow, scale: float, indent: float, width: float
) -> tuple[list[_TextBox], float, float]:
    """Return the texts of a row relative to its upper left corner, its height, and its right edge."""
    texts, x, y, widest = [], indent, 0.0, 0.0
    if row.label:
        texts.append(_TextBox(row.label, 0, 0, _text_width(row.label, scale), edge=row.colour))
    for pill in row.pills:
        long = _text_width(pill.text, scale)
        if x + long > width and x > indent:
            x, y = indent, y + _LINE * scale
        texts.append(_TextBox(pill.text, x, y, long, -1 if pill.static else pill.colour, muted=pill.static))
        x += long + 9
        widest = max(widest, x - 9)
    return texts, y + _LINE * scale, widest
