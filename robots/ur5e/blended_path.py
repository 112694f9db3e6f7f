"""A way of joint points as one motion, which stops only at its end. Pure.

The controller passes each point between on a parabola that begins and ends on the legs beside it, at most
`BLEND_M` or `BLEND_RAD` from it; the tool passes the point within `PASSED_M`. Without room it stops there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from robots.ur5e.kinematics import Joints, Transform, VectorLike, forward_kinematics
from robots.ur5e.limits import MoveSpeed, joint_move_speed, joint_path_violation, limit_violation

if TYPE_CHECKING:
    from robots.ur5e.arm_setup import ArmLimits

BLEND_M, BLEND_RAD, PASSED_M = 0.01, 0.05, 0.003
_SHARE = 0.4  # of a leg that one blend may take: the controller skips points whose blends meet
_LEAST_M = 0.0005  # below which no blend is worth it


@dataclass(frozen=True)
class PathPoint:
    """A point, the speed of the leg to it, and the blend around it: metres from the tool's place there."""

    q: Joints
    pace: MoveSpeed
    blend: float


def blended_path(
    start: VectorLike, way: Sequence[Joints], tcp: Transform, limits: ArmLimits, scale: float = 1.0
) -> tuple[tuple[PathPoint, ...], str]:
    """Return the points of a path along `way`, and why the arm may not follow it, or ""."""
    points = [np.asarray(start, float), *(np.asarray(q, float) for q in way)]
    blends = [_blend(*around, tcp) for around in zip(points, points[1:], points[2:], strict=False)]
    reasons = (
        *(joint_path_violation(a, b, tcp, limits) for a, b in pairwise(points)),
        *(limit_violation(q, tcp, limits) for _, passed in blends for q in passed),
    )
    path = tuple(
        PathPoint(q, joint_move_speed(a, q, tcp, limits, scale), blend)
        for a, q, blend in zip(points, way, (*(blend for blend, _ in blends), 0.0), strict=False)
    )
    return path, next(filter(None, reasons), "")


def _blend(
    before: NDArray[np.float64], at: NDArray[np.float64], after: NDArray[np.float64], tcp: Transform
) -> tuple[float, list[NDArray[np.float64]]]:
    """Return the blend around a point in metres, and joints on the widest parabola that it can be."""
    legs = before - at, after - at
    lengths = [float(np.max(np.abs(leg))) for leg in legs]
    radius = min(BLEND_RAD, *(_SHARE * length for length in lengths))
    if radius == 0:
        return 0.0, []
    tool = forward_kinematics(at, tcp)[:3, 3]

    def away(q: VectorLike) -> float:
        return float(np.linalg.norm(forward_kinematics(q, tcp)[:3, 3] - tool))

    sides = [leg / length for leg, length in zip(legs, lengths, strict=True)]
    radius *= min(1.0, PASSED_M / max(away(at + radius * (sides[0] + sides[1]) / 4), 1e-9))
    enter, leave = (at + radius * side for side in sides)
    metres = min(BLEND_M, away(enter), away(leave), _SHARE * away(before), _SHARE * away(after))
    if metres < _LEAST_M:
        return 0.0, []
    return metres, [(1 - t) ** 2 * enter + 2 * t * (1 - t) * at + t**2 * leave for t in (0.25, 0.5, 0.75)]
