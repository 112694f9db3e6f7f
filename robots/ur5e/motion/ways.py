"""Ways of the arm between two places: straight lines, joint moves, and RRT-Connect around what is between."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.motion.frames import Frame, frame
from robots.ur5e.kinematics import (
    Joints,
    Transform,
    VectorLike,
    forward_kinematics,
    inverse_kinematics,
    rotation_matrix,
    rotation_vector,
    unwrap,
)

Way = tuple[Joints, ...]
Free = Callable[[Joints, Frame], bool]  # whether the arm may be there: its joints, and its hand's pose
_JOINT_STEP, _LINE_STEP, _TURN_STEP = 0.12, 0.02, 0.15  # radians, metres, radians between two checks
_JUMP = 0.5  # radians of a joint between two points of a line: it passes a singularity
_BRANCH, _GROWTHS, _ROOM = 0.3, 120, 0.8  # of the trees: radians, tries, radians beyond both ends


@dataclass(frozen=True)
class Ways:
    """Ways on which `free` holds at every point. `rng` draws the trees."""

    tcp: Transform
    rng: np.random.Generator

    def line(self, start: Joints, goal: Frame, free: Free, step: float = _LINE_STEP) -> Way | None:
        """Return the joints along a straight line of the hand, or None."""
        begin = forward_kinematics(start, self.tcp)
        turn = rotation_vector(goal[:3, :3] @ begin[:3, :3].T)
        length = max(np.linalg.norm(goal[:3, 3] - begin[:3, 3]) / step, np.linalg.norm(turn) / _TURN_STEP)
        way = [start]
        for s in np.linspace(0, 1, max(3, math.ceil(length)) + 1)[1:]:
            at = (1 - s) * begin[:3, 3] + s * goal[:3, 3]
            hand = frame(rotation_matrix(s * turn) @ begin[:3, :3], at)
            q = self._nearest(hand, way[-1])
            if q is None or not free(q, hand):
                return None
            way.append(q)
        return tuple(way)

    def _nearest(self, hand: Frame, near: Joints) -> Joints | None:
        """Return the joints for this pose of the hand that are near the last ones, or None."""
        for q in inverse_kinematics(hand, self.tcp):
            turned = unwrap(q, near)
            if max(abs(a - b) for a, b in zip(turned, near, strict=True)) <= _JUMP:
                return turned
        return None

    def joint_move(self, a: Joints, b: Joints, free: Free) -> Way | None:
        """Return the two ends if the joint move between them is free, else None."""
        start, move = np.array(a), np.subtract(b, a)
        n = max(2, math.ceil(np.max(np.abs(move)) / _JOINT_STEP))
        for k in sorted(range(1, n), key=lambda k: -(k & -k)):  # the coarse ones first
            if not self._is_free(start + k / n * move, free):
                return None
        return (a, b)

    def around(self, a: Joints, b: Joints, free: Free) -> Way | None:
        """Return a way from a to b, which is free itself: direct, straight, or by RRT-Connect; or None."""
        if found := self.joint_move(a, b, free):
            return found
        straight = self.line(a, forward_kinematics(b, self.tcp), free, 2 * _LINE_STEP)
        if straight and max(abs(x - y) for x, y in zip(straight[-1], b, strict=True)) < 0.05:
            return (*straight[:-1], b)
        return self._by_ompl(a, b, free) if _ompl() else self._connect(a, b, free)

    def _by_ompl(self, a: Joints, b: Joints, free: Free) -> Way | None:
        """Return a way by OMPL's RRT-Connect, the extra `ompl`, which takes its numbers from `rng`."""
        base, geometric, util = _ompl()
        util.setLogLevel(util.LogLevel.LOG_NONE)  # it has something to say of each new seed
        util.RNG.setSeed(int(self.rng.integers(1, 2**31)))
        space, bounds = base.RealVectorStateSpace(6), base.RealVectorBounds(6)
        start, goal = space.allocState(), space.allocState()
        for joint, (x, y) in enumerate(zip(a, b, strict=True)):
            bounds.setLow(joint, min(x, y) - _ROOM)
            bounds.setHigh(joint, max(x, y) + _ROOM)
            start[joint], goal[joint] = x, y
        space.setBounds(bounds)
        space.setLongestValidSegmentFraction(_JOINT_STEP / space.getMaximumExtent())
        setup = geometric.SimpleSetup(space)
        setup.setStateValidityChecker(lambda q: self._is_free(np.array([q[i] for i in range(6)]), free))
        setup.setStartAndGoalStates(start, goal)
        planner = geometric.RRTConnect(setup.getSpaceInformation())
        planner.setRange(_BRANCH)
        setup.setPlanner(planner)
        tries = iter(range(_GROWTHS))  # not seconds: the same seed gives the same way on any machine
        ended = base.PlannerTerminationCondition(lambda: next(tries, None) is None)
        if not setup.solve(ended) or not setup.haveExactSolutionPath():
            return None
        found = [_joints([q[i] for i in range(6)]) for q in setup.getSolutionPath().getStates()]
        return self._shortened((a, *found[1:-1], b), free)

    def _connect(self, a: Joints, b: Joints, free: Free) -> Way | None:
        trees = (_Tree(np.array(a)), _Tree(np.array(b)))
        low, high = np.minimum(a, b) - _ROOM, np.maximum(a, b) + _ROOM
        for number in range(_GROWTHS):
            tree, other = trees[number % 2], trees[1 - number % 2]
            new, at = tree.towards(self.rng.uniform(low, high))
            if not self._is_free(new, free):
                continue
            tree.add(new, at)
            while True:
                step, at = other.towards(new)
                if not self._is_free(step, free):
                    break
                other.add(step, at)
                if np.allclose(step, new):
                    return self._shortened((*trees[0].branch(), *trees[1].branch()[-2::-1]), free)
        return None

    def _shortened(self, way: Sequence[Joints], free: Free) -> Way | None:
        found, k = [way[0]], 0
        while k < len(way) - 1:
            ahead = (j for j in range(len(way) - 1, k, -1) if self.joint_move(way[k], way[j], free))
            k = next(ahead, 0)
            if not k:
                return None
            found.append(way[k])
        return tuple(found)

    def _is_free(self, q: NDArray[np.float64], free: Free) -> bool:
        joints = _joints(q)
        return free(joints, forward_kinematics(joints, self.tcp))


@cache
def _ompl() -> tuple[Any, ...]:
    """Return OMPL's modules `base`, `geometric` and `util`; none where it is not installed."""
    try:
        return tuple(import_module(f"ompl.{part}") for part in ("base", "geometric", "util"))
    except ImportError:
        return ()


def _joints(q: VectorLike) -> Joints:
    a, b, c, d, e, f = (float(v) for v in q)
    return (a, b, c, d, e, f)


class _Tree:
    """Joints that are reached from a root."""

    def __init__(self, root: NDArray[np.float64]) -> None:
        self._points, self._parents = [root], [-1]

    def towards(self, goal: NDArray[np.float64]) -> tuple[NDArray[np.float64], int]:
        """Return a step from the nearest point towards `goal`, and that point's number."""
        near = int(np.argmin(np.sum((np.array(self._points) - goal) ** 2, axis=1)))
        move = goal - self._points[near]
        longest = float(np.max(np.abs(move)))
        return (goal if longest <= _BRANCH else self._points[near] + move * _BRANCH / longest), near

    def add(self, point: NDArray[np.float64], parent: int) -> None:
        self._points.append(point)
        self._parents.append(parent)

    def branch(self) -> list[Joints]:
        """Return the joints from the root to the latest point."""
        number, found = len(self._points) - 1, []
        while number >= 0:
            found.append(_joints(self._points[number]))
            number = self._parents[number]
        return found[::-1]
