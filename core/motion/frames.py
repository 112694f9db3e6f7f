"""Frames, 4 x 4, and poses with roll, pitch and yaw. Metres, radians; pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from core.scene import Bodies, Body, Pose, Scene, Triple

Frame = NDArray[np.float64]  # 4 x 4
Rotation = NDArray[np.float64]  # 3 x 3


def rotation(roll: float, pitch: float, yaw: float) -> Rotation:
    """Return the rotation by roll about x, then pitch about y, then yaw about z."""
    cr, sr, cp, sp = math.cos(roll), math.sin(roll), math.cos(pitch), math.sin(pitch)
    cy, sy = math.cos(yaw), math.sin(yaw)
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )


RESTS = tuple(
    rotation(roll, pitch, 0)
    for roll, pitch in (
        (0, 0),
        (math.pi, 0),
        (math.pi / 2, 0),
        (-math.pi / 2, 0),
        (0, math.pi / 2),
        (0, -math.pi / 2),
    )
)  # a box on each of its faces


def frame(turned: Rotation, at: Sequence[float] | NDArray[np.float64]) -> Frame:
    made = np.eye(4)
    made[:3, :3] = turned
    made[:3, 3] = at
    return made


def shift(x: float, y: float, z: float) -> Frame:
    return frame(np.eye(3), (x, y, z))


def as_frame(pose: Pose) -> Frame:
    return frame(rotation(*pose[3:]), pose[:3])


def as_pose(f: Frame) -> Pose:
    x, y, z = (float(v) for v in f[:3, 3])
    pitch = math.asin(max(-1.0, min(1.0, -float(f[2, 0]))))
    return (x, y, z, math.atan2(f[2, 1], f[2, 2]), pitch, math.atan2(f[1, 0], f[0, 0]))


def body(f: Frame, half: Triple, round_: bool) -> Body:
    """Return a thing of this half size as a body; what is round has the same box however it turns."""
    reach = np.array(half) if round_ else np.abs(f[:3, :3]) @ half
    low, high = f[:3, 3] - reach, f[:3, 3] + reach
    return Body(
        as_pose(f),
        (float(low[0]), float(low[1]), float(low[2])),
        (float(high[0]), float(high[1]), float(high[2])),
    )


def scene_bodies(scene: Scene) -> Bodies:
    return {t.name: body(as_frame(t.pose), t.half, t.shape == "ball") for t in scene.things}
