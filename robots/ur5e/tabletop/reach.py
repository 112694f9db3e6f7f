"""Where the hand can be brought straight down upon the table. Pure; metres, radians."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from robots.ur5e.kinematics import PARKED, Joints, Transform, nearest_solution, unwrap
from robots.ur5e.limits import limit_violation

if TYPE_CHECKING:
    from robots.ur5e.arm_setup import ArmLimits

HOVER_HEIGHT_M = 0.13  # over a grasp or a place
TIP_LENGTH_M = 0.005  # that the fingertips reach below the tool centre point
GRASP_DEPTH_M = 0.022  # that the fingertips go below the top


def tool_height(top: float) -> float:
    """Return the height of the tool for a grasp of what is `top` metres high."""
    return max(0.008, top - GRASP_DEPTH_M + TIP_LENGTH_M)


def pointing_down(x: float, y: float, z: float, turn: float) -> Transform:
    """Return the pose of the tool pointing down, its fingers closing along `turn` (radians)."""
    c, s = math.cos(turn), math.sin(turn)
    t = np.eye(4)
    t[:3, :3] = np.array([[c, s, 0], [s, -c, 0], [0, 0, -1]])
    t[:3, 3] = x, y, z
    return t


def approach(
    x: float, y: float, z: float, turn: float, tcp: Transform, limits: ArmLimits
) -> tuple[Joints, float] | None:
    """Return the joints over a place that can be gone down to, and the turn: the hand fits either way."""
    best = None
    for angle in (turn, turn + math.pi):
        down = nearest_solution(pointing_down(x, y, z, angle), PARKED, tcp)
        over = nearest_solution(pointing_down(x, y, z + HOVER_HEIGHT_M, angle), PARKED, tcp)
        if down is None or over is None or limit_violation(down, tcp, limits):
            continue
        if limit_violation(over, tcp, limits):
            continue
        over = unwrap(over, PARKED)
        cost = sum((a - b) ** 2 for a, b in zip(over, PARKED, strict=True))
        if best is None or cost < best[0]:
            best = cost, over, angle
    return None if best is None else (best[1], best[2])
