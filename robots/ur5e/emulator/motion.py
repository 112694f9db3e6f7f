"""Motions as generators that yield one set of joint targets per tick (2 ms). Pure."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from robots.ur5e.emulator.plant import DT_S
from robots.ur5e.kinematics import (
    Transform,
    forward_kinematics,
    jacobian,
    polish_ik,
    rotation_matrix,
    rotation_vector,
)

Targets = NDArray[np.float64]
Motion = Iterator[Targets]
SpeedScale = Callable[[], float]  # the speed slider, 0..1


class OutOfReach(Exception):
    """The line leaves the arm's reach."""


def trapezoidal_profile(
    length: float, speed: float, acceleration: float, scale: SpeedScale, first: float = 0.0
) -> Iterator[float]:
    """Yield the distance along a trapezoidal speed profile, 0..length, scaled by the speed slider.

    It begins at the speed `first`.
    """
    speed, acceleration = max(speed, 1e-4), max(acceleration, 1e-3)
    distance, now = 0.0, first
    while distance < length - 1e-9:
        allowed = speed * scale()
        if now <= allowed:
            brake = math.sqrt(max(0.0, 2 * acceleration * (length - distance))) + 1e-6
            now = min(now + acceleration * DT_S, allowed, brake)
        else:
            now = max(allowed, now - acceleration * DT_S)
        distance = min(length, distance + now * DT_S)
        yield distance


def joint_move(start: Targets, goal: Targets, speed: float, acceleration: float, scale: SpeedScale) -> Motion:
    """moveJ: all joints arrive together; the slowest sets the pace."""
    change = goal - start
    length = float(np.max(np.abs(change)))
    for s in trapezoidal_profile(length, speed, acceleration, scale):
        yield start + change * (s / length)


def blended_move(
    start: Targets,
    corner: Targets,
    goal: Targets,
    speed: float,
    acceleration: float,
    scale: SpeedScale,
    first: float,
) -> Motion:
    """moveJ out of another one, past whose target `corner` it goes at the speed `first`, on a parabola.

    It is on its own leg as far after the corner as `start` is before it.
    """
    radius, length = float(np.max(np.abs(corner - start))), float(np.max(np.abs(goal - corner)))
    out = (goal - corner) / length
    ticks = math.ceil(2 * radius / max(first * DT_S, 1e-6))
    for t in np.arange(1, ticks + 1) / ticks:
        yield (1 - t) ** 2 * start + 2 * t * (1 - t) * corner + t**2 * (corner + radius * out)
    for s in trapezoidal_profile(length - radius, speed, acceleration, scale, first):
        yield corner + (radius + s) * out


def blend_distance(start: Targets, goal: Targets, tcp: Transform, radius: float) -> float:
    """Return how far before its goal, in radians of the fastest joint, a joint move's tool is at `radius`.

    At most half of the move.
    """
    length, there = float(np.max(np.abs(goal - start))), forward_kinematics(goal, tcp)[:3, 3]
    near, far = 0.0, 0.5
    for _ in range(10):
        part = (near + far) / 2
        tool = forward_kinematics(goal + part * (start - goal), tcp)[:3, 3]
        near, far = (part, far) if np.linalg.norm(tool - there) < radius else (near, part)
    return near * length


def line_move(
    start: Targets, goal: Transform, tcp: Transform, speed: float, acceleration: float, scale: SpeedScale
) -> Motion:
    """moveL: the tool moves in a straight line. Raises OutOfReach."""
    begin = forward_kinematics(start, tcp)
    shift, turn = goal[:3, 3] - begin[:3, 3], rotation_vector(goal[:3, :3] @ begin[:3, :3].T)
    length = max(float(np.linalg.norm(shift)), 0.3 * float(np.linalg.norm(turn)))
    q, target = start, np.eye(4)
    for s in trapezoidal_profile(length, speed, acceleration, scale):
        part = s / length
        target[:3, 3] = begin[:3, 3] + part * shift
        target[:3, :3] = rotation_matrix(part * turn) @ begin[:3, :3]
        found = polish_ik(target, q, tcp)
        if found is None or float(np.max(np.abs(np.array(found) - q))) > 0.05:
            raise OutOfReach
        q = np.array(found)
        yield q


def brake_motion(start: Targets, speed: Targets, deceleration: float) -> Motion:
    """stopJ: all joints slow down together, along their current path."""
    q, now = start.copy(), speed.copy()
    while (fastest := float(np.max(np.abs(now)))) > 1e-6:
        now = now * max(0.0, 1 - deceleration * DT_S / fastest)
        q = q + now * DT_S
        yield q


class SpeedStream:
    """speedJ, speedL and jog: move until stopped, however long that takes. `tool`: m/s, rad/s."""

    def __init__(
        self, start: Targets, speed: Targets, scale: SpeedScale, tcp: Callable[[], Transform]
    ) -> None:
        self.q, self.speed, self._scale, self._tcp = start, speed, scale, tcp
        self.target: tuple[bool, Targets, float] = (False, np.zeros(6), 1.2)
        self.reached = False  # whether the requested speed was reached

    def __iter__(self) -> Motion:
        return self

    def __next__(self) -> Targets:
        tool, speed, acceleration = self.target
        goal, most = speed * self._scale(), max(acceleration, 0.1) * DT_S
        if tool:
            j = jacobian(self.q, self._tcp())
            goal, most = j.T @ np.linalg.solve(j @ j.T + 1e-6 * np.eye(6), goal), most * 3
        self.speed = self.speed + np.clip(goal - self.speed, -most, most)
        self.reached = bool(np.all(np.abs(goal - self.speed) < 1e-4))
        self.q = self.q + self.speed * DT_S
        return self.q


class ServoStream:
    """servoJ: follow the latest joint targets, no faster than the joints allow."""

    def __init__(self, start: Targets) -> None:
        self.q, self.goal = start, start

    def __iter__(self) -> Motion:
        return self

    def __next__(self) -> Targets:
        self.q = self.q + np.clip(self.goal - self.q, -math.pi * DT_S, math.pi * DT_S)
        return self.q
