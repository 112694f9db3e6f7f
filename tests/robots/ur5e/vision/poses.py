"""Poses that a person would take: a board held under a camera, or a camera over a board."""

from __future__ import annotations

import numpy as np

from robots.ur5e.kinematics import Transform, invert_transform, pose_to_matrix
from robots.ur5e.vision.intrinsics import Intrinsics

LENS = Intrinsics(640, 480, 560.0, 563.0, 322.0, 236.0, (-0.12, 0.06, 0.001, -0.0005, 0.0))
OVERHEAD = pose_to_matrix((0.50, 0.02, 0.95, np.pi * 0.999, 0.02, 0.03))  # looks down, in the base frame
WRIST = pose_to_matrix((0.01, -0.075, 0.03, 0.02, -0.03, 0.05))  # in the flange's frame
HELD = pose_to_matrix((-0.10, -0.07, 0.12, 0.05, 0.02, 0.0))  # the board, in the flange's frame
LOOKS_DOWN = pose_to_matrix((0, 0, 0, np.pi, 0, 0))
LYING = (
    pose_to_matrix((0.42, 0.08, 0.0, 0.0, 0.0, 0.1)) @ LOOKS_DOWN
)  # the board, in the base frame; z into it


def flanges(overhead: bool, count: int = 12, seed: int = 0) -> list[Transform]:
    """The hand with the board turned up to the overhead camera, or looking down on it, tilted about."""
    rng = np.random.default_rng(seed)
    found = []
    for k in range(count):
        turn = 2 * np.pi * k / count
        tilt = (0.35 * np.cos(turn), 0.35 * np.sin(turn), rng.uniform(-0.5, 0.5))
        if overhead:
            at = (0.5 + rng.uniform(-0.08, 0.08), rng.uniform(-0.06, 0.06), 0.25 + rng.uniform(0, 0.1))
            board = pose_to_matrix((*at, 0, 0, 0)) @ pose_to_matrix((0, 0, 0, *tilt)) @ LOOKS_DOWN
            found.append(board @ invert_transform(HELD))
        else:
            # the camera goes round the board's middle and looks at it
            middle = LYING @ pose_to_matrix((0.105, 0.075, 0, 0, 0, 0))
            away = pose_to_matrix((0, 0, 0, *tilt)) @ pose_to_matrix(
                (0, 0, -0.38 - rng.uniform(0, 0.08), 0, 0, 0)
            )
            found.append(middle @ away @ invert_transform(WRIST))
    return found


def boards(overhead: bool, at: list[Transform]) -> list[Transform]:
    """The board in the camera's frame, for each of these flanges."""
    if overhead:
        return [invert_transform(OVERHEAD) @ f @ HELD for f in at]
    return [invert_transform(f @ WRIST) @ LYING for f in at]
