"""Map where the robot may stand and drive: the solid things as rectangles on the floor."""

from __future__ import annotations

import heapq
from collections.abc import Iterable

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.kitchen.scene.schema import Rect
from robots.kitchen.simulation.mj_sim import MjSim

Points = NDArray[np.float64]  # N x 2, metres
_CELL_SIZE = 0.12
_MIN_HEIGHT, _MAX_HEIGHT = 0.03, 1.35  # metres; what lies wholly below or above obstructs nothing


class NavigationMap:
    """A map of the simulation at the time it is made; open doors are obstacles."""

    def __init__(self, sim: MjSim, radius: float, things: Iterable[str] = ()) -> None:
        """Make the map for a robot of this radius, in metres; `things` are bodies to drive around."""
        model, data = sim.model, sim.data
        self._radius = radius
        centres, halves, axes = [], [], []
        for g in np.flatnonzero(np.isin(model.geom_contype, (1, 8))):
            size = np.array(model.geom_size[g])
            if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_CYLINDER:
                size = np.array([size[0], size[0], size[1]])
            elif model.geom_type[g] != mujoco.mjtGeom.mjGEOM_BOX:
                continue
            turn = data.geom_xmat[g].reshape(3, 3)
            reach = float(np.abs(turn[2]) @ size)
            height = float(data.geom_xpos[g][2])
            if height + reach < _MIN_HEIGHT or height - reach > _MAX_HEIGHT:
                continue
            flat = np.argsort(np.abs(turn[2]), kind="stable")[:2]  # the two axes nearest to the horizontal
            first = turn[:2, flat[0]] / np.linalg.norm(turn[:2, flat[0]])
            second = np.array([-first[1], first[0]])
            # a steep box still has some width: project all of it on both directions
            halves.append([float(np.abs(d @ turn[:2]) @ size) for d in (first, second)])
            axes.append(first)
            centres.append(data.geom_xpos[g][:2].copy())
        for body in things:
            centres.append(data.body(body).xpos[:2].copy())
            axes.append(np.array([1.0, 0.0]))
            halves.append([0.06, 0.06])
        self._centres, self._axes, self._halves = np.array(centres), np.array(axes), np.array(halves)

    def distance(self, points: Points) -> NDArray[np.float64]:
        """Return the metres from each point to the nearest obstacle; 0 inside one."""
        points = np.atleast_2d(np.asarray(points, float))
        offset = points[:, None, :] - self._centres[None]
        along = np.abs(np.einsum("pok,ok->po", offset, self._axes)) - self._halves[:, 0]
        across = (
            np.abs(offset[:, :, 1] * self._axes[:, 0] - offset[:, :, 0] * self._axes[:, 1])
            - self._halves[:, 1]
        )
        return np.asarray(np.hypot(along.clip(0), across.clip(0)).min(1))

    def is_free(self, points: Points) -> NDArray[np.bool_]:
        """Return True for each point at which the robot fits."""
        return np.asarray(self.distance(points) > self._radius + 0.02)

    def find_path(self, start: Points, goal: Points, area: Rect) -> list[Points]:
        """Return the corners of a path from start to goal, both included; a straight line if there is no
        path.

        A* over cells, then shortened. The robot may be close to an obstacle at either end.
        """
        start, goal = np.asarray(start, float), np.asarray(goal, float)
        if self._line_is_free(start, goal):
            return [start, goal]
        low = np.minimum(np.minimum(start, goal), area[0]) - _CELL_SIZE
        count = np.ceil(
            (np.maximum(np.maximum(start, goal), area[1]) + _CELL_SIZE - low) / _CELL_SIZE
        ).astype(int)
        xs, ys = (low[k] + (np.arange(count[k]) + 0.5) * _CELL_SIZE for k in (0, 1))
        grid = np.stack(np.meshgrid(xs, ys, indexing="ij"), -1).reshape(-1, 2)
        gap = self.distance(grid).reshape(count[0], count[1])
        ends = [tuple(((p - low) / _CELL_SIZE).astype(int)) for p in (start, goal)]
        cells = _astar(gap, ends[0], ends[1], self._radius)
        corners = [start, *(low + (np.array(c) + 0.5) * _CELL_SIZE for c in cells[1:-1]), goal]
        return self._shorten(corners)

    def _line_is_free(self, a: Points, b: Points) -> bool:
        far = float(np.linalg.norm(b - a))
        between = a + np.linspace(0, 1, max(2, int(far / 0.06)))[:, None] * (b - a)
        room = np.minimum(self.distance(a)[0], self.distance(b)[0])
        return bool((self.distance(between) >= min(self._radius, room) - 1e-6).all())

    def _shorten(self, corners: list[Points]) -> list[Points]:
        short, k = [corners[0]], 0
        while k < len(corners) - 1:
            far = next(
                (j for j in range(len(corners) - 1, k + 1, -1) if self._line_is_free(corners[k], corners[j])),
                k + 1,
            )
            short.append(corners[far])
            k = far
        return short


def _astar(
    gap: NDArray[np.float64], start: tuple[int, ...], goal: tuple[int, ...], radius: float
) -> list[tuple[int, int]]:
    """Return cells from start to goal. Too narrow ones cost more, so there is always a path."""
    dear = np.where(gap > radius, 1.0, 1.0 + 60 * (radius - gap) / radius)
    begin, end = (int(start[0]), int(start[1])), (int(goal[0]), int(goal[1]))
    best: dict[tuple[int, int], float] = {begin: 0.0}
    came: dict[tuple[int, int], tuple[int, int]] = {}
    queue = [(0.0, begin)]
    done: set[tuple[int, int]] = set()
    while queue:
        _, cell = heapq.heappop(queue)
        if cell == end:
            break
        if cell in done:
            continue
        done.add(cell)
        for dx, dy in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
            to = (cell[0] + dx, cell[1] + dy)
            if not (0 <= to[0] < gap.shape[0] and 0 <= to[1] < gap.shape[1]):
                continue
            cost = best[cell] + float(np.hypot(dx, dy)) * float(dear[to])
            if cost < best.get(to, np.inf):
                best[to], came[to] = cost, cell
                heapq.heappush(queue, (cost + float(np.hypot(to[0] - end[0], to[1] - end[1])), to))
    cells = [end]
    while cells[-1] != begin and cells[-1] in came:
        cells.append(came[cells[-1]])
    return cells[::-1]
