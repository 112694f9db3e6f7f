"""Paint a world's cells in one of six looks, or in a look that nobody designed.

A look is a floor and a figure for each kind of cell. What a figure shows is fixed by the look's own seed, so
that a look is the same in every picture; the six are told apart by colours and shapes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.drafting.world import Cell

SIDE = 32  # pixels of a cell
Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]
FACING = ("up", "right", "down", "left")


@dataclass(frozen=True)
class Look:
    """The colours of a look: its floor with a rim, what is in the way, and what stands there."""

    floor: Colour
    rim: float  # how bright it is, against the floor
    ground: Colour  # of holes, walls, counters and desks
    mark: Colour  # on them
    figures: Sequence[Colour]
    shape: int  # where the shapes of the figures begin


def _colour(text: str) -> Colour:
    red, green, blue = bytes.fromhex(text)
    return red, green, blue


LOOKS: Mapping[str, Look] = {
    name: Look(_colour(floor), rim, _colour(ground), _colour(mark), [*map(_colour, figures.split())], shape)
    for shape, (name, floor, rim, ground, mark, figures) in enumerate(
        (
            ("ice", "ecf4fa", 0.85, "4678be", "28508c", "c83c3c 3c8c50 b07c42 f0aa3c"),
            ("lava", "5c4a42", 0.85, "e0541e", "fabe3c", "4682e6 e6e6e6 96c850 f078c8"),
            ("grass", "78b45a", 0.85, "192814", "3c7d37", "c82828 ebdcbe debe50 283ca0"),
            ("space", "181a38", 1.6, "823cbe", "be78f0", "dcdce6 fadc3c 96a0af fa8c1e"),
            ("paper", "fcfcfa", 0.75, "282828", "787878", "1e50c8 28a03c b43c1e 962896"),
            ("desert", "e8ce96", 0.92, "28a0a0", "c8f0f0", "6e5032 3c64be be323c 32783c"),
        )
    )
}


def paint(cells: Mapping[Cell, str], kinds: Sequence[str], look: str = "ice", side: int = SIDE) -> Picture:
    """Return a picture of n * side pixels, RGB. `look` names one of LOOKS; any other text is a look of its
    own, which nobody designed. Raises KeyError for a cell of no kind.
    """
    import cv2

    size = max(row for row, _ in cells)
    sprites = _sprites(look, tuple(kinds))
    picture = np.empty((size * SIDE, size * SIDE, 3), np.uint8)
    for (row, column), kind in cells.items():
        picture[(row - 1) * SIDE : row * SIDE, (column - 1) * SIDE : column * SIDE] = sprites[kind]
    if side == SIDE:
        return picture
    return np.asarray(cv2.resize(picture, (size * side, size * side), interpolation=cv2.INTER_AREA), np.uint8)


@cache
def _sprites(look: str, kinds: tuple[str, ...]) -> dict[str, Picture]:
    if look in LOOKS:
        return {kind: _designed(LOOKS[look], kind, n) for n, kind in enumerate(kinds)}
    draw = Random(look)
    floor = _floor(_any_colour(draw), draw.choice((0.8, 0.9, 1.0, 1.15)))
    return {kind: floor if n == 0 else _drawn(floor, draw, filled=n == 1) for n, kind in enumerate(kinds)}


def _floor(colour: Colour, rim: float) -> Picture:
    cell = np.full((SIDE, SIDE, 3), colour, np.uint8)
    edge = tuple(min(255, int(v * rim)) for v in colour)
    cell[[0, -1]], cell[:, [0, -1]] = edge, edge
    return cell


def _any_colour(draw: Random) -> Colour:
    return draw.randrange(256), draw.randrange(256), draw.randrange(256)


def _designed(look: Look, kind: str, number: int) -> Picture:
    cell = _floor(look.floor, look.rim)
    if number == 0:
        return cell
    if kind in FACING:
        _arrow(cell, look.figures[0], FACING.index(kind))
    elif number == 1 and kind != "package":
        _ground(cell, look)
    else:
        _figure(cell, look.figures[number % 4], look.shape + number, look.mark if number > 4 else None)
    return cell


def _ground(cell: Picture, look: Look) -> None:
    """Fill a cell that is in the way, with the look's pattern."""
    import cv2

    cell[1:-1, 1:-1] = look.ground
    for at in range(4, SIDE, 9):
        ends = [((at, 3), (at, 28)), ((3, at), (28, at)), ((at, 3), (3, at)), ((at, 28), (28, at))]
        start, end = ends[look.shape % 4]
        cv2.line(cell, start, end, look.mark, 1 + look.shape % 2, cv2.LINE_AA)


def _arrow(cell: Picture, colour: Colour, turns: int) -> None:
    """Paint an agent that faces up, turned clockwise."""
    import cv2

    upright = cell.copy()
    points: Any = np.array([(16, 3), (27, 27), (16, 21), (5, 27)], np.int32)
    cv2.fillPoly(upright, [points], colour, cv2.LINE_AA)
    cell[:] = np.rot90(upright, -turns)


def _figure(cell: Picture, colour: Colour, shape: int, mark: Colour | None) -> None:
    import cv2

    match shape % 6:
        case 0:
            cv2.circle(cell, (16, 11), 6, colour, -1, cv2.LINE_AA)
            cv2.ellipse(cell, (16, 27), (9, 10), 0, 180, 360, colour, -1, cv2.LINE_AA)
        case 1:
            for radius in (12, 8, 4):
                shade = colour if radius != 8 else tuple(255 - v for v in colour)
                cv2.circle(cell, (16, 16), radius, shade, -1, cv2.LINE_AA)
        case 2:
            cv2.rectangle(cell, (5, 6), (27, 27), colour, -1)
            cv2.line(cell, (5, 6), (27, 27), tuple(v // 2 for v in colour), 2, cv2.LINE_AA)
        case 3:
            cv2.line(cell, (9, 4), (9, 29), tuple(v // 2 for v in colour), 3, cv2.LINE_AA)
            points: Any = np.array([(10, 4), (28, 10), (10, 17)], np.int32)
            cv2.fillPoly(cell, [points], colour, cv2.LINE_AA)
        case 4:
            points = np.array([(16, 3), (28, 16), (16, 29), (4, 16)], np.int32)
            cv2.fillPoly(cell, [points], colour, cv2.LINE_AA)
        case _:
            cv2.ellipse(cell, (16, 19), (12, 8), 0, 0, 360, colour, -1, cv2.LINE_AA)
            cv2.rectangle(cell, (13, 5), (19, 14), colour, -1)
    if mark is not None:
        cv2.circle(cell, (25, 7), 4, mark, -1, cv2.LINE_AA)


def _drawn(floor: Picture, draw: Random, filled: bool) -> Picture:
    """Return a figure of 1 to 5 shapes in any colours."""
    import cv2

    cell = floor.copy()
    if filled and draw.random() < 0.5:
        cell[:] = _any_colour(draw)
    for _ in range(draw.randint(1, 5)):
        colour, x, y, r = _any_colour(draw), draw.randint(8, 24), draw.randint(8, 24), draw.randint(4, 13)
        thick = -1 if draw.random() < 0.7 else draw.randint(1, 3)
        match draw.randrange(5):
            case 0:
                cv2.circle(cell, (x, y), r, colour, thick, cv2.LINE_AA)
            case 1:
                cv2.ellipse(cell, (x, y), (r, draw.randint(3, 13)), 0, 0, 360, colour, thick, cv2.LINE_AA)
            case 2:
                corner, other = (max(1, x - r), max(1, y - r)), (min(30, x + r), min(30, y + r))
                cv2.rectangle(cell, corner, other, colour, thick)
            case 3:
                corners = [(draw.randint(2, 30), draw.randint(2, 30)) for _ in range(draw.randint(3, 6))]
                points: Any = np.array(corners, np.int32)
                cv2.fillPoly(cell, [points], colour, cv2.LINE_AA)
            case _:
                sign = draw.choice("ABGHKMPRTXZ$@#&%0358")
                cv2.putText(cell, sign, (6, 25), cv2.FONT_HERSHEY_SIMPLEX, 0.8, colour, 2, cv2.LINE_AA)
    return cell
