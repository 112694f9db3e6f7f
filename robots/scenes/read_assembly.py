"""Read Assembly from two pictures: which pose of which block covers the pixels of its colour best.

The goal tells what each block is and what it rests on; the table, which are in the board and which upright.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.errors import BadValue
from robots.scenes.assembly import LANES, Assembly, Piece, depending
from robots.scenes.assembly_scene import BOARD, EDGE, HALF, MARKS, Solid, in_board, length
from robots.scenes.look import look_file
from robots.scenes.marked_view import MarkedView
from robots.scenes.read_multirob import split
from robots.scenes.render import Floats, Picture

LEAST, MUCH = 50, 200  # pixels of a colour that may be a block, and that surely are one
SURE = 0.35  # how well the best pose must cover a colour's pixels
COVERED = 0.8  # how little what another block may hide counts against a pose
SHADED = 0.25  # how much it counts that a block's top is shaded otherwise than its side
SIDE = -0.01  # metres: what is to the left of it is in the board
ROUNDS = 5  # of a search for a pose, each with half the steps
Mask = NDArray[np.bool_]


def read_assembly(name: str, sheet: Picture) -> Assembly:
    """Return the map that the two pictures show. Raises BadValue, which says what cannot be seen."""
    table, goal = (MarkedView(picture, MARKS) for picture in split(sheet, 1, 2))
    pieces, image = _pieces(goal, table), table.named
    inserted, upright = set[str](), set[str]()
    for piece in pieces:
        number = list(look_file().hues).index(piece.name.partition("-")[0])
        mask = _largest(image == number)
        rows, columns = np.nonzero(mask)
        ground = table.on_plane(np.column_stack([columns, rows]).astype(float), EDGE / 2)
        if np.median(ground[:, 0]) < SIDE:
            inserted.add(piece.name)
        if piece.name in inserted or _is_upright(table, mask, (image >= 0) & ~mask, piece, ground):
            upright.add(piece.name)
    return Assembly(name, len(pieces), depending(pieces), frozenset(upright), frozenset(inserted))


def _candidates() -> list[Piece]:
    """Return every place in the board where a slab or a nail could be."""
    found = [
        Piece("", layer, ((a, lane), (b, lane)) if layer != 1 else ((lane, a), (lane, b)))
        for layer in range(3)
        for lane in LANES
        for a, b in combinations(LANES, 2)
    ]
    return found + [Piece("", n, ((x, y),) * 2) for n in (1, 2, 3) for x in LANES for y in LANES]


def _pieces(goal: MarkedView, table: MarkedView) -> list[Piece]:
    """Return the pieces of the finished puzzle. Both pictures must show each."""
    image, hues = goal.named, list(look_file().hues)
    counts = np.array([[(v.named == k).sum() for v in (goal, table)] for k in range(len(hues))])
    shown = [int(k) for k in np.flatnonzero(counts.min(1) >= LEAST)]
    for unseen in np.flatnonzero((counts.min(1) < LEAST) & (counts.max(1) >= MUCH)):
        raise BadValue(f"What is {hues[unseen]} cannot be seen in both pictures.")
    rim = HALF + 0.03
    edge = [(BOARD[0] + x, BOARD[1] + y, z) for x in (-rim, rim) for y in (-rim, rim) for z in (0, 0.15)]
    pixels = np.round(goal.project(np.array(edge))).astype(int)
    left, top = np.maximum(pixels.min(0), 0)
    right, low = pixels.max(0)
    image = image[top:low, left:right]
    masks = np.stack([image == k for k in range(len(hues))])
    if not shown:
        raise BadValue("No block can be seen in the second picture: it must show the goal.")
    places = _candidates()
    cut = np.array((left, top))
    hulls = np.stack([_filled(goal, in_board(p).parts(), image.shape, cut).ravel() for p in places])
    poses, flat = hulls.astype(np.float32), masks[shown].reshape(len(shown), -1).astype(np.float32)
    inside = poses @ flat.T
    hidden = poses @ flat.sum(0)[:, None] - inside
    cover = inside / (flat.sum(1) + poses.sum(1)[:, None] - inside - COVERED * hidden)
    best = cover.argmax(0)
    for _ in range(2):  # what lies on nothing is placed anew
        for n in sorted(range(len(shown)), key=lambda n: places[best[n]].layer):
            others = [places[best[m]] for m in range(len(shown)) if m != n]
            held = np.array([_is_held(place, others) for place in places])
            best[n] = np.where(held, cover[:, n], 0).argmax()
    for n, k in enumerate(shown):
        if cover[best[n], n] < SURE:
            raise BadValue(f"What is {hues[k]} in the second picture is no block in the board.")
    chosen = [(hues[k], places[best[n]]) for n, k in enumerate(shown)]
    return [replace(p, name=f"{hue}-{'nail' if p.is_nail else 'block'}") for hue, p in chosen]


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


def _is_upright(view: MarkedView, mask: Mask, others: Mask, piece: Piece, ground: Floats) -> bool:
    """Return True if a block on the table covers its pixels better upright than lying."""
    middle = ground.mean(0)
    way = np.linalg.svd(ground - middle, full_matrices=False)[2][0]
    yaw, long = float(np.arctan2(way[1], way[0])), length(piece)
    rows, columns = np.nonzero(mask)
    edge = 25
    top, left = max(0, rows.min() - edge), max(0, columns.min() - edge)
    window = slice(top, rows.max() + edge), slice(left, columns.max() + edge)
    mask, others, cut = mask[window], others[window], np.array((left, top))
    grey = view.colours.mean(2)[window]

    def cover(pose: tuple[float, ...], upright: bool) -> float:
        parts = Solid((pose[0], pose[1]), pose[2], long, upright).parts()
        seen = _filled(view, parts, mask.shape, cut)
        covers = float((seen & mask).sum() / ((seen | mask).sum() - COVERED * (seen & others).sum()))
        face = _filled(view, parts[-1:], mask.shape, cut)
        return covers + SHADED * _explained(grey, mask & face, mask & ~face)

    starts = [(*middle, turn) for turn in ([yaw] if long else [yaw, yaw + np.pi])]
    stands, lies = (max(_best(pose, partial(cover, upright=up)) for pose in starts) for up in (True, False))
    if max(stands, lies) < SURE:
        raise BadValue(f"How the {piece.name} lies cannot be seen.")
    return stands > lies


def _largest(mask: Mask) -> Mask:
    """Return the largest piece of a mask: the rest is seams and shine."""
    import cv2

    _, labels, figures, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8))
    return np.asarray(labels == 1 + figures[1:, cv2.CC_STAT_AREA].argmax())


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
