"""Read MultiRob from its four views. What no view shows is said to be unseen, never guessed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.drafting.world import Cell
from core.errors import BadValue
from robots.grids.cells import named, square
from robots.scenes.look import look_file, turned
from robots.scenes.marked_view import MarkedView, ring
from robots.scenes.multirob import BOXES, ROBOTS, MultiRob
from robots.scenes.multirob_scene import BOX, CELL, FOOT, FRAME, RIM, THICK, VIEWS, marks, place
from robots.scenes.render import Floats, Picture

ENOUGH = 0.4  # of a box's top or of a frame must be seen in one view
SURER = 1.3  # times as much as anywhere else
BARE = 0.6  # of where an arm could stand shows the board: none stands there
LIKE_BOARD = 0.1  # how far a colour may be `turned` from the board's
LOST = "too few of the table's marks can be seen"


def read_multirob(name: str, sheet: Picture) -> MultiRob:
    """Return the map that the sheet of views shows. Raises BadValue, which says what cannot be seen."""
    views, size = _views(sheet)
    steps = np.linspace(-0.6, 0.6, 5) * BOX
    boxes = _evidence(views, size, np.array([(x, y) for x in steps for y in steps]), 2 * BOX)
    goals = _evidence(views, size, ring(FRAME - RIM), 0.002)
    robots, found = _robots(views, size), []
    if not ROBOTS[size][0] <= len(robots) <= ROBOTS[size][1]:
        raise BadValue(f"{len(robots)} robot arms can be seen, which is not all.")
    worn = _colour_of(robots, views, size)
    for number, colour in enumerate(look_file().hues):
        to = None if number == worn else _where(goals[..., number], size)
        if to is None:
            continue
        at = _where(boxes[..., number], size, beside=to)
        if at is None:
            raise BadValue(f"The {colour}-box cannot be seen in any view, only its target at {named(to)}.")
        found.append((f"{colour}-box", at, to))
    if len(found) not in BOXES[size]:
        raise BadValue(f"{len(found)} targets can be seen, which is not all.")
    return MultiRob(name, size, robots, tuple(sorted(found)))


def split(sheet: Picture, rows: int, columns: int) -> list[Picture]:
    """Return the views of a sheet, row by row. Raises BadValue for one that cannot be split so."""
    if sheet.shape[0] % rows or sheet.shape[1] % columns or min(sheet.shape[:2]) < 200:
        raise BadValue(f"This picture is no sheet of {rows} x {columns} views.")
    return [np.ascontiguousarray(v) for r in np.vsplit(sheet, rows) for v in np.hsplit(r, columns)]


def _views(sheet: Picture) -> tuple[list[MarkedView], int]:
    """Return the views whose marks can be read, and how many cells a side fit best between the marks."""
    best: list[tuple[int, float, int, list[MarkedView]]] = []
    pictures = split(sheet, *VIEWS)
    for size in BOXES:
        views = []
        for picture in pictures:
            try:
                views.append(MarkedView(picture, marks(size)))
            except BadValue:
                continue
        if views:
            best.append((-len(views), float(np.mean([view.off for view in views])), size, views))
    if not best:
        raise BadValue(f"The table cannot be read: in each view, {LOST}.")
    _, _, size, views = min(best, key=lambda one: one[:2])
    return views, size


def _at(middle: tuple[float, float], points: Floats, height: float) -> Floats:
    return np.column_stack([points + middle, np.full(len(points), height)])


def _evidence(views: Sequence[MarkedView], size: int, points: Floats, height: float) -> Floats:
    """Return which share of the points around each cell's middle has each colour: views x cells x colours."""
    count, cells = len(look_file().hues), square(size)
    shares = np.zeros((len(views), len(cells), count))
    for v, view in enumerate(views):
        image = view.named
        for c, cell in enumerate(cells):
            seen = view.sample(_at(place(cell, size), points, height), image)
            shares[v, c] = [(seen == k).mean() for k in range(count)]
    return shares


def _where(shares: Floats, size: int, beside: Cell | None = None) -> Cell | None:
    """Return the cell where most is seen, by the two best views; None: nothing is seen, or it is not sure."""
    best, cells = np.sort(shares, 0)[-2:].mean(0), square(size)
    for cell in [beside] if beside else []:
        best[cells.index(cell)] = 0
    order = np.argsort(best)[::-1]
    sure = shares[:, order[0]].max() >= ENOUGH and best[order[0]] >= SURER * best[order[1]]
    return cells[int(order[0])] if sure else None


def _robots(views: Sequence[MarkedView], size: int) -> tuple[Cell, ...]:
    """Return where arms stand: no view shows the board there."""
    clear = np.array([(0, 0.44), (0, -0.44), (0.44, 0), (-0.44, 0)]) * CELL  # between frames and lines
    stands = []
    boards = [_board(view, size, clear) for view in views]
    for cell in square(size - 1):
        both, foot = zip(views, boards, strict=True), _foot(cell, size)
        if max(_like(view.sample(foot, view.colours), board) for view, board in both) < BARE:
            stands.append(cell)
    return tuple(stands)


def _foot(cell: Cell, size: int) -> Floats:
    """Return points of an arm's foot, or of where none is: not on the lines between cells."""
    around = np.array([(x, y) for x in (-0.5, 0.5) for y in (-0.5, 0.5)]) * FOOT
    return _at(place((cell[0] + 0.5, cell[1] + 0.5), size), around, THICK)


def _colour_of(robots: Sequence[Cell], views: Sequence[MarkedView], size: int) -> int:
    """Return the number of the colour that the arms have, -1 for none with a name: no box has it."""
    seen = [view.sample(_foot(cell, size), view.named) for cell in robots for view in views]
    return int(np.bincount(np.concatenate(seen) + 1).argmax()) - 1 if seen else -1


def _board(view: MarkedView, size: int, points: Floats) -> NDArray[Any]:
    """Return the board's colour: that of most places beside the frames."""
    seen = [view.sample(_at(place(cell, size), points, 0.001), view.colours) for cell in square(size)]
    return np.asarray(np.median(np.concatenate(seen), 0))


def _like(colours: NDArray[Any], board: NDArray[Any]) -> float:
    """Return the share of colours that are the board's, in light or shadow."""
    return float((turned(colours, board) < LIKE_BOARD).mean())
