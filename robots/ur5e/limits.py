"""The checks before every move. Pure: each returns "" or the reason against it in words."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from robots.ur5e.kinematics import (
    Joints,
    Transform,
    VectorLike,
    forward_kinematics,
    frame_origins,
    jacobian,
    polish_ik,
    rotation_matrix,
    rotation_vector,
)
from robots.ur5e.links import self_collision

if TYPE_CHECKING:  # the control process starts without pydantic
    from robots.ur5e.arm_setup import ArmLimits

_PATH_SAMPLES = 24  # positions of a path that are checked
_SLACK = 1e-4  # metres and radians by which a path from outside may lead further out: the noise of the data
_MAX_JOINT_JUMP_RAD = 0.35  # between two samples; a larger jump means that the line nears a singularity


@dataclass(frozen=True)
class MoveSpeed:
    """Speed and acceleration of a move: rad/s and rad/s2 for joints, m/s and m/s2 for a line."""

    speed: float
    acceleration: float


def limit_violation(q: VectorLike, tcp: Transform, limits: ArmLimits) -> str:
    """Return why the arm may not be at `q`, or ""."""
    for number, angle in enumerate(q):
        if not math.isfinite(angle) or abs(angle) > limits.joint:
            return f"joint {number + 1} would be at {math.degrees(angle):.0f} degrees, past its limit"
    tool = forward_kinematics(q, tcp)[:3, 3]
    for axis, value, low, high in zip("xyz", tool, limits.lower, limits.upper, strict=True):
        if not low <= value <= high:
            return f"the tool would be at {axis} = {value:.3f} m, outside the box {low:g} to {high:g}"
    low = min(float(p[2]) for p in frame_origins(q)[2:6])
    if low < limits.lower[2] + limits.clearance:
        return f"elbow or wrist would come {low:.3f} m near the table"
    return self_collision(q, tcp)[1]


def limit_excess(q: VectorLike, tcp: Transform, limits: ArmLimits) -> float:
    """Return how far outside its limits the arm is at `q`: metres and radians added up; 0 inside."""
    tool = forward_kinematics(q, tcp)[:3, 3]
    box = np.maximum(np.asarray(limits.lower) - tool, 0) + np.maximum(tool - np.asarray(limits.upper), 0)
    low = limits.lower[2] + limits.clearance - min(float(p[2]) for p in frame_origins(q)[2:6])
    return float(
        np.sum(box)
        + max(0.0, low)
        + np.sum(np.maximum(np.abs(np.asarray(q, float)) - limits.joint, 0))
        + self_collision(q, tcp)[0]
    )


class _PathChecker:
    """Checks a path position by position: it may never lead further outside than it has been."""

    def __init__(self, limits: ArmLimits, tcp: Transform) -> None:
        self._limits, self._tcp = limits, tcp
        self._last_excess = math.inf  # how far outside the previous position was

    def check(self, q: VectorLike) -> str:
        """Return why the path may not lead through `q`, or ""."""
        reason = limit_violation(q, self._tcp, self._limits)
        out = limit_excess(q, self._tcp, self._limits) if reason else 0.0
        before, self._last_excess = self._last_excess, min(self._last_excess, out)
        if out <= before + _SLACK:
            return ""
        return f"on the way {reason}" + ("; it stands outside its limits: jog it in first" if before else "")


def joint_path_violation(start: VectorLike, goal: VectorLike, tcp: Transform, limits: ArmLimits) -> str:
    """Return why a joint move may not follow this path, or "".

    It may start outside the limits if no part of the path leads further out.
    """
    a, b = np.asarray(start, float), np.asarray(goal, float)
    if reason := limit_violation(b, tcp, limits):
        return reason
    checker = _PathChecker(limits, tcp)
    return next(
        (reason for s in np.linspace(0, 1, _PATH_SAMPLES) if (reason := checker.check(a + s * (b - a)))), ""
    )


def line_path_violation(
    start: VectorLike, goal: Transform, tcp: Transform, limits: ArmLimits
) -> tuple[str, Joints | None]:
    """Return why a straight move may not follow this path, or "", and the joint angles at its end."""
    begin = forward_kinematics(start, tcp)
    shift, turn = goal[:3, 3] - begin[:3, 3], rotation_vector(goal[:3, :3] @ begin[:3, :3].T)
    q: VectorLike = np.asarray(start, float)
    found: Joints | None = None
    checker = _PathChecker(limits, tcp)
    checker.check(q)
    for s in np.linspace(0, 1, _PATH_SAMPLES)[1:]:
        target = np.eye(4)
        target[:3, 3] = begin[:3, 3] + s * shift
        target[:3, :3] = rotation_matrix(s * turn) @ begin[:3, :3]
        found = polish_ik(target, q, tcp)
        if found is None or max(abs(x - y) for x, y in zip(found, q, strict=True)) > _MAX_JOINT_JUMP_RAD:
            return "the arm does not reach along this line", None
        if reason := checker.check(found) or (limit_violation(found, tcp, limits) if s == 1 else ""):
            return reason, None
        q = found
    return "", found


def joint_move_speed(
    start: VectorLike, goal: VectorLike, tcp: Transform, limits: ArmLimits, scale: float = 1.0
) -> MoveSpeed:
    """Return the fastest joint move that keeps the tool below its speed limit. `scale` is 0..1."""
    a, b = np.asarray(start, float), np.asarray(goal, float)
    length = float(np.max(np.abs(b - a)))
    if length < 1e-9:
        return MoveSpeed(min(limits.joint_speed, limits.tool_speed / 4) * scale, limits.joint_acceleration)
    direction = (b - a) / length
    most = max(
        float(np.linalg.norm(jacobian(a + s * (b - a), tcp)[:3] @ direction))
        for s in np.linspace(0, 1, _PATH_SAMPLES)
    )
    speed = min(limits.joint_speed, 0.95 * limits.tool_speed / max(most, 1e-6))
    return MoveSpeed(speed * scale, limits.joint_acceleration)


def line_move_speed(limits: ArmLimits, scale: float = 1.0) -> MoveSpeed:
    return MoveSpeed(limits.tool_speed * 0.95 * scale, limits.tool_acceleration)


def clamp_slider(fraction: float) -> float:
    """Clamp the value of a speed slider, never to 0: raising it from 0 ends in a protective stop."""
    return min(1.0, max(0.02, fraction)) if math.isfinite(fraction) else 0.02


def payload_violation(mass: float, limits: ArmLimits) -> str:
    if not 0 < mass <= limits.payload:  # nor is what is not a number
        return f"a payload of {mass:g} kg is outside 0 to {limits.payload:g} kg"
    return ""
