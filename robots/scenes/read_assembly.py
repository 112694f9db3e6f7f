"""Read Assembly from two pictures: which pose of which block covers the pixels of its colour best.

The goal tells what each block is and what it rests on; the table, which are in the board and which upright.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import BadValue
from robots.scenes.assembly import LANES, Assembly, Piece, depending
from robots.scenes.assembly_scene import BOARD, EDGE, HALF, LANE, MARKS, Solid, in_board, length
from robots.scenes.look import look_file
from robots.scenes.marked_view import MarkedView
from robots.scenes.read_multirob import split
from robots.scenes.render import Floats, Picture

LEAST, MUCH = 50, 200  # pixels of a colour that may be a block, and that surely are one
SURE = 0.35  # how well the best pose must cover a colour's pixels
UNLIKE = 0.15  # how much it counts against a slab that another length lies on the table
MOST_TRIALS = 25  # places of a piece that are tried together with the others
COVERED = 0.8  # how little what another block may hide counts against a pose
SHADED = 0.3  # how much it counts that a block's top is shaded otherwise than its side
LESS = 0.12  # the same of a lying nail, whose head is shaded little otherwise
SIDE = -0.01  # metres: what is to the left of it is in the board
ROUNDS = 5  # of a search for a pose, each with half the steps
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class _Patch:
    """What the table's picture shows of a colour: its largest patch, and the points that it covers, N x 2."""

    mask: Mask
    ground: Floats

    @property
    def in_board(self) -> bool:
        return bool(np.median(self.ground[:, 0]) < SIDE)

    @property
    def along(self) -> tuple[float, float]:
        """Return its yaw and how long it is, roughly."""
        middle = self.ground - self.ground.mean(0)
        way = np.linalg.svd(middle, full_matrices=False)[2][0]
        return float(np.arctan2(way[1], way[0])), float(np.ptp(middle @ way))


def read_assembly(name: str, sheet: Picture) -> Assembly:
    """Return the map that the two pictures show. Raises BadValue, which says what cannot be seen."""
    table, goal = (MarkedView(picture, MARKS) for picture in split(sheet, 1, 2))
    patches = _patches(table, goal)
    pieces = _pieces(goal, table, patches)
    inserted, upright = set[str](), set[str]()
    for piece, patch in zip(pieces, patches.values(), strict=True):
        if patch.in_board:
            inserted.add(piece.name)
        if patch.in_board or _is_upright(table, patch, piece):
            upright.add(piece.name)
    return Assembly(name, len(pieces), depending(pieces), frozenset(upright), frozenset(inserted))


def _patches(table: MarkedView, goal: MarkedView) -> dict[int, _Patch]:
    """Return what the table shows of each colour, by its number; both pictures must show it."""
    found, hues = dict[int, _Patch](), list(look_file().hues)
    for number, hue in enumerate(hues):
        mask, aim = (_largest(view.named == number) for view in (table, goal))
        counts = int(mask.sum()), int(aim.sum())
        if min(counts) >= LEAST:
            rows, columns = np.nonzero(mask)
            pixels = np.column_stack([columns, rows]).astype(float)
            found[number] = _Patch(mask, table.on_plane(pixels, EDGE / 2))
        elif max(counts) >= MUCH:
            raise BadValue(f"What is {hue} cannot be seen in both pictures.")
    if not found:
        raise BadValue("No block can be seen: the first picture must show the table, the second the goal.")
    return found


def _candidates() -> list[Piece]:
    """Return every place in the board where a slab or a nail could be."""
    found = [
        Piece("", layer, ((a, lane), (b, lane)) if layer != 1 else ((lane, a), (lane, b)))
        for layer in range(3)
        for lane in LANES
        for a, b in combinations(LANES, 2)
    ]
    return found + [Piece("", n, ((x, y),) * 2) for n in (1, 2, 3) for x in LANES for y in LANES]


def _pieces(goal: MarkedView, table: MarkedView, patches: Mapping[int, _Patch]) -> list[Piece]:
    """Return the pieces of the finished puzzle, by both pictures, in the order of the patches."""
    places, hues = _candidates(), list(look_file().hues)
    covers = _covers(goal, places, list(patches))
    whole = covers.copy()
    fallen = [_covers(table, places, list(patches), by) for by in range(4)]
    on_table = np.maximum.reduce(fallen)  # what went in too early lies lower there
    lengths = np.array([length(place) for place in places])
    for n, patch in enumerate(patches.values()):
        if patch.in_board:
            whole[:, n] += on_table[:, n]
        else:
            whole[:, n] -= UNLIKE * ((lengths > 0) & (abs(lengths - patch.along[1]) > LANE * 0.7))
    best = whole.argmax(0)
    for n in (*range(len(best)), *range(len(best))):  # what lies on nothing, or lets another, is placed anew
        others = [places[m] for k, m in enumerate(best) if k != n]
        trials = np.argsort(-whole[:, n])[:MOST_TRIALS]
        loose = [_loose([places[m], *others]) for m in trials]
        best[n] = trials[int(np.argmax(whole[trials, n] - loose))]
    for n, number in enumerate(patches):
        if covers[best[n], n] < SURE:
            raise BadValue(f"What is {hues[number]} in the second picture is no block in the board.")
    chosen = [places[m] for m in best]
    if _loose(chosen):
        raise BadValue("What the blocks in the second picture rest on cannot be seen.")
    names = [hues[number] for number in patches]
    return [
        replace(p, name=f"{hue}-{'nail' if p.is_nail else 'block'}")
        for hue, p in zip(names, chosen, strict=True)
    ]


def _covers(view: MarkedView, places: Sequence[Piece], numbers: Sequence[int], fallen: int = 0) -> Floats:
    """Return how well each place in the board, some layers lower, covers the pixels of each colour there."""
    rim = HALF + 0.03
    edge = [(BOARD[0] + x, BOARD[1] + y, z) for x in (-rim, rim) for y in (-rim, rim) for z in (0, 0.15)]
    pixels = np.round(view.project(np.array(edge))).astype(int)
    left, top = np.maximum(pixels.min(0), 0)
    right, low = pixels.max(0)
    image = view.named[top:low, left:right]
    cut = np.array((left, top))
    solids = [in_board(p, max(0, p.layer - fallen)) for p in places]
    poses = np.stack([_filled(view, s.parts(), image.shape, cut).ravel() for s in solids]).astype(np.float32)
    masks = np.stack([(image == k).ravel() for k in numbers], 1).astype(np.float32)
    inside = poses @ masks
    hidden = poses @ masks.sum(1)[:, None] - inside
    return np.asarray(inside / (masks.sum(0) + poses.sum(1)[:, None] - inside - COVERED * hidden))


def _loose(pieces: Sequence[Piece]) -> int:
    """Return how many of the pieces nothing holds."""
    return sum(not _is_held(piece, [p for p in pieces if p is not piece]) for piece in pieces)


def _is_held(place: Piece, others: Sequence[Piece]) -> bool:
    """Return True if something holds a piece there: right below it, and a nail by one slab alone."""
    under = [p.layer for p in others if not p.is_nail and p.meets(place)]
    return under == [place.layer - 1] if place.is_nail else not place.layer or place.layer - 1 in under


def _filled(view: MarkedView, parts: Sequence[Floats], shape: Sequence[int], cut: NDArray[Any]) -> Mask:
    """Return the pixels within the hulls of some points."""
    import cv2

    image = np.zeros(tuple(shape), np.uint8)
    for points in parts:
        outline: Any = cv2.convexHull(np.round((view.project(points) - cut) * 16).astype(np.int32))
        cv2.fillConvexPoly(image, outline, (1,), shift=4)
    return image.astype(bool)


def _is_upright(view: MarkedView, patch: _Patch, piece: Piece) -> bool:
    """Return True if a block on the table covers its pixels better upright than lying."""
    import cv2

    yaw, long, middle = patch.along[0], length(piece), patch.ground.mean(0)
    mask, others = patch.mask, (view.named >= 0) & ~patch.mask
    rows, columns = np.nonzero(mask)
    edge = 25
    top, left = max(0, rows.min() - edge), max(0, columns.min() - edge)
    window = slice(top, rows.max() + edge), slice(left, columns.max() + edge)
    mask, others, cut = mask[window], others[window], np.array((left, top))
    grey = np.asarray(cv2.GaussianBlur(view.colours.mean(2)[window], (5, 5), 0))  # the shadows speckle

    def cover(pose: tuple[float, ...], upright: bool) -> float:
        parts = Solid((pose[0], pose[1]), pose[2], long, upright).parts()
        seen = _filled(view, parts, mask.shape, cut)
        covers = float((seen & mask).sum() / ((seen | mask).sum() - COVERED * (seen & others).sum()))
        face = _filled(view, parts[-1:], mask.shape, cut)
        shaded = SHADED if long or upright else LESS
        return covers + shaded * _explained(grey, mask & face, mask & ~face)

    starts = [(*middle, turn) for turn in ([yaw] if long else [yaw, yaw + np.pi])]
    stands, lies = (max(_best(pose, partial(cover, upright=up)) for pose in starts) for up in (True, False))
    if max(stands, lies) < SURE:
        raise BadValue(f"How the {piece.name} lies cannot be seen.")
    return stands > lies


def _largest(mask: Mask) -> Mask:
    """Return the largest piece of a mask: the rest is seams and shine."""
    import cv2

    _, labels, figures, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    areas = figures[1:, cv2.CC_STAT_AREA]
    return np.asarray(labels == 1 + areas.argmax()) if len(areas) else mask


def _explained(grey: Floats, *faces: Mask) -> float:
    """Return which share of the shades' variance is between a block's faces, its top and its side."""
    values = [grey[face] for face in faces if face.any()]
    whole = np.concatenate(values)
    spread = ((whole - whole.mean()) ** 2).sum() + len(whole) * 1e-4
    return float(1 - sum(((v - v.mean()) ** 2).sum() for v in values) / spread)


def _best(pose: tuple[float, ...], cover: Callable[[tuple[float, ...]], float]) -> float:
    """Return the best cover of a pose that is searched from this one on."""
    most, steps = cover(pose), np.array((0.012, 0.012, 0.12))
    for _ in range(ROUNDS):
        better = True
        while better:
            better = False
            for axis in range(3):
                for sign in (-1, 1):
                    tried = tuple(v + sign * steps[axis] * (n == axis) for n, v in enumerate(pose))
                    if (found := cover(tried)) > most:
                        pose, most, better = tried, found, True
        steps = steps / 2
    return most
