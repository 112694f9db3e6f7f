"""Assembly as a scene: a board with what is inserted, and the rest on the table beside it; and the goal.

Slabs stand on their long edge when they are upright, as in the board, and lie flat when they are not; nails
stand or lie.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from random import Random

import numpy as np

from core.drafting.world import State
from robots.scenes.assembly import Assembly, Piece, puzzle
from robots.scenes.look import Colour, Look
from robots.scenes.render import Eye, Floats, Picture, Point, arm, box, corners, render, rod

LANE, THICK, EDGE, STEP = 0.05, 0.014, 0.05, 0.024  # metres: between lanes; a slab; from layer to layer
OVER = 0.02  # metres that a slab is longer than its lanes, at each end
NAIL, HEAD = 0.009, 0.02  # radii
TALL, HEADED = 0.08, 0.008  # a nail and its head
BOARD = (-0.2, 0.0)
HALF = 0.15  # of the board
FREE = (0.03, 0.4), (-0.27, 0.27)  # where blocks lie, x and y
GAP = 0.07  # least metres between the middle lines of blocks
MARKS = corners((0.44, 0.34))
WIDE, HIGH = 640, 480


@dataclass(frozen=True)
class Solid:
    """A slab or a nail in a pose: its middle on the table, where its long side points, how high it starts."""

    at: tuple[float, float]
    yaw: float
    long: float  # 0: a nail
    upright: bool = True
    low: float = 0.0

    def parts(self) -> list[Floats]:
        """Return points, N x 3, of which each hull is a part; the last is what light falls on otherwise."""
        if self.long:
            wide, high = (THICK, EDGE) if self.upright else (EDGE, THICK)
            corner = [(x, y, z) for z in (0, 1) for x in (-1, 1) for y in (-1, 1)]
            local = np.array(corner) * (self.long / 2, wide / 2, high)
            return [self._placed(local), self._placed(local[4:])]
        turns = np.linspace(0, 2 * np.pi, 12, endpoint=False)
        found = []
        top = (((TALL, HEAD),),) if self.upright else ()
        for discs in (((0, NAIL), (TALL, NAIL)), ((TALL - HEADED, HEAD), (TALL, HEAD)), *top):
            local = np.array([(r * np.cos(t), r * np.sin(t), h) for h, r in discs for t in turns])
            found.append(self._placed(local if self.upright else local[:, [2, 1, 0]] + (-TALL / 2, 0, HEAD)))
        return found

    def _placed(self, local: Floats) -> Floats:
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        turned = local @ np.array([(c, s, 0), (-s, c, 0), (0, 0, 1)])
        return np.asarray(turned + np.array((*self.at, self.low)))

    def shapes(self, colour: Colour) -> list[str]:
        if self.long:
            wide, high = (THICK, EDGE) if self.upright else (EDGE, THICK)
            middle = (*self.at, self.low + high / 2)
            return [box(middle, (self.long / 2, wide / 2, high / 2), colour, self.yaw)]
        if self.upright:
            up = [(*self.at, self.low + z) for z in (0, TALL - HEADED, TALL)]
        else:
            way = np.array((np.cos(self.yaw), np.sin(self.yaw)))
            up = [(*(way * (z - TALL / 2) + self.at), self.low + HEAD) for z in (0, TALL - HEADED, TALL)]
        return [rod(up[0], up[1], NAIL, colour), rod(up[1], up[2], HEAD, colour)]


def in_board(piece: Piece, level: int | None = None) -> Solid:
    """Return a piece in the board, at its own layer or one that it fell to."""
    (a, b), (c, d) = piece.ends
    at = BOARD[0] + LANE * (a + c) / 2, BOARD[1] + LANE * (b + d) / 2
    low = STEP * (piece.layer if level is None else level)
    if piece.is_nail:
        return Solid(at, 0.0, 0.0, True, low)
    return Solid(at, np.pi / 2 * (a == c), length(piece), True, low)


def length(piece: Piece) -> float:
    """Return how long a slab is, 0 for a nail."""
    lanes = sum(abs(p - q) for p, q in zip(*piece.ends, strict=True))
    return lanes * LANE + 2 * OVER if lanes else 0.0


def level(piece: Piece, inserted: Collection[str], pieces: Collection[Piece]) -> int:
    """Return the layer at which a piece lies in the board, if some of what it rests on is not there."""
    under = [p for p in pieces if p.name in inserted and p.layer < piece.layer and p.meets(piece)]
    return max((level(p, inserted, pieces) + 1 for p in under), default=0)


def assembly_picture(world: Assembly, state: State, look: str) -> Picture:
    """Return the table as it is, and the goal, side by side."""
    inserted, upright, hand = state
    seen = Look(look, world.name)
    pieces = puzzle(world.size, int(world.name.rsplit("-", 1)[1]))
    paint = {p.name: seen.colour(p.name.partition("-")[0]) for p in pieces}
    grey = seen.plain(0.1, 0.9)
    poses = _spread(seen.draw, pieces)
    views = []
    for within in (inserted, frozenset(paint)):
        solids = {p.name: in_board(p, level(p, within, pieces)) for p in pieces if p.name in within}
        for p in pieces:
            if p.name not in within and p.name != hand:
                (x, y), yaw = poses[p.name]
                solids[p.name] = Solid((x, y), yaw, length(p), p.name in upright)
        tip = seen.draw.uniform(-0.08, 0.02), seen.draw.uniform(0.22, 0.3), seen.draw.uniform(0.14, 0.2)
        shapes = [box((*BOARD, 0.0005), (HALF, HALF, 0.0005), seen.board), *_holes(seen)]
        shapes.append(arm((-0.03, 0.42, 0), (-0.03, 0.38, 0.24), tip, 0.03, grey))
        if hand in paint and within is inserted:
            held = next(p for p in pieces if p.name == hand)
            solids[hand] = Solid(tip[:2], 0.3, length(held), hand in upright, tip[2] - TALL)
        shapes += [s for name, solid in solids.items() for s in solid.shapes(paint[name])]
        rise, turn, roll = seen.eye()
        at: Point = seen.draw.uniform(-0.01, 0.01), seen.draw.uniform(-0.03, -0.01), 0.0
        eye = Eye(at, seen.draw.uniform(1.3, 1.36), turn, rise, roll)
        views += render(seen, shapes, MARKS, [eye], WIDE, HIGH)
    return np.hstack(views)


def _holes(seen: Look) -> list[str]:
    dark: Colour = (0.5 * seen.board[0], 0.5 * seen.board[1], 0.5 * seen.board[2])
    lanes = [(BOARD[0] + LANE * x, BOARD[1] + LANE * y) for x in range(-2, 3) for y in range(-2, 3)]
    return [box((x, y, 0.001), (0.005, 0.005, 0.0005), dark) for x, y in lanes]


def _spread(draw: Random, pieces: Collection[Piece]) -> dict[str, tuple[tuple[float, float], float]]:
    """Return where each piece lies beside the board, and how it is turned, all apart from each other."""
    while True:
        found, taken = dict[str, tuple[tuple[float, float], float]](), np.empty((0, 2))
        for piece in sorted(pieces, key=length, reverse=True):
            for _ in range(60):
                (x, y), yaw = (draw.uniform(*FREE[0]), draw.uniform(*FREE[1])), draw.uniform(0, np.pi)
                half = max(length(piece), TALL) / 2
                steps = np.linspace(-half, half, 9)[:, None]
                line = steps * (np.cos(yaw), np.sin(yaw)) + (x, y)
                inside = all(FREE[i][0] <= v <= FREE[i][1] for p in line for i, v in enumerate(p))
                if inside and not (np.linalg.norm(taken[:, None] - line, axis=2) < GAP).any():
                    found[piece.name], taken = ((x, y), yaw), np.concatenate([taken, line])
                    break
            else:
                break
        if len(found) == len(pieces):
            return found
