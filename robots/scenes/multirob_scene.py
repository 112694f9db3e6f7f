"""MultiRob as a scene: cells with lines, arms where they meet, boxes, and frames where the boxes shall go."""

from __future__ import annotations

import numpy as np

from core.drafting.world import State
from robots.scenes.look import Look
from robots.scenes.multirob import MultiRob
from robots.scenes.render import Eye, Picture, Point, arm, box, corners, render

CELL = 0.12  # metres a side
BOX, FRAME, RIM = 0.025, 0.045, 0.006  # half sides of a box and of a frame, half of the frame's width
FOOT, THICK = 0.025, 0.008  # an arm's foot: its radius and its height
WIDE, HIGH = 400, 300
BACK = 0.09  # metres from the board to a mark's middle
VIEWS = 2, 2  # rows and columns of the sheet


def place(cell: tuple[float, float], size: int) -> tuple[float, float]:
    """Return where a cell's middle is on the table, in metres; (1.5, 1.5) is a crossing."""
    return (cell[1] - (size + 1) / 2) * CELL, ((size + 1) / 2 - cell[0]) * CELL


def marks(size: int) -> list[tuple[float, float]]:
    half = size * CELL / 2 + BACK
    return corners((half, half))


def multirob_picture(world: MultiRob, state: State, look: str) -> Picture:
    """Return the views from four sides, two by two: front and right, back and left."""
    seen = Look(look, world.name)
    draw, size = seen.draw, world.size
    half = size * CELL / 2
    shapes = [box((0, 0, 0.0005), (half, half, 0.0005), seen.board)]
    dark = (0.45 * seen.board[0], 0.45 * seen.board[1], 0.45 * seen.board[2])
    for n in range(size + 1):
        at = n * CELL - half
        shapes += [
            box((at, 0, 0.001), (0.0012, half, 0.0005), dark),
            box((0, at, 0.001), (half, 0.0012, 0.0005), dark),
        ]
    held: dict[str, Point] = {}
    paint = {name: seen.colour(name.removesuffix("-box")) for name, _, _ in world.boxes}
    grey = seen.robot([name.removesuffix("-box") for name in paint])
    for n, robot in enumerate(world.reach):
        row, column = world.robots[n]
        x, y = place((row + 0.5, column + 0.5), size)
        turn, far, up = draw.uniform(0, 2 * np.pi), draw.uniform(0.04, 0.08), draw.uniform(0.1, 0.14)
        tip = x + far * np.cos(turn), y + far * np.sin(turn), draw.uniform(0.08, 0.12)
        elbow = x + 0.4 * far * np.cos(turn + 0.5), y + 0.4 * far * np.sin(turn + 0.5), up
        shapes.append(arm((x, y, 0), elbow, tip, FOOT, grey))
        held[robot] = tip
    for (name, _, goal), at in zip(world.boxes, state, strict=True):
        x, y = place(goal, size)
        for side in (-1, 1):
            edge = side * (FRAME - RIM)
            shapes.append(box((x + edge, y, 0.0015), (RIM, FRAME, 0.0005), paint[name]))
            shapes.append(box((x, y + edge, 0.0015), (FRAME, RIM, 0.0005), paint[name]))
        yaw, dx, dy = draw.uniform(-0.3, 0.3), draw.uniform(-0.006, 0.006), draw.uniform(-0.006, 0.006)
        middle = held[at] if isinstance(at, str) else (*place(at, size), BOX)
        low = middle[2] - (2 * BOX if isinstance(at, str) else 0)
        shapes.append(box((middle[0] + dx, middle[1] + dy, low), (BOX, BOX, BOX), paint[name], yaw))
    eyes = []
    for side in range(4):
        rise, turn, roll = seen.eye()
        aim = draw.uniform(-0.02, 0.02), draw.uniform(-0.02, 0.02), 0.0
        far = (half + BACK + 0.06) * draw.uniform(3.4, 3.6)
        eyes.append(Eye(aim, far, 90 * side + turn, rise, roll))
    views = render(seen, shapes, marks(size), eyes, WIDE, HIGH)
    return np.vstack([np.hstack(views[:2]), np.hstack(views[2:])])
