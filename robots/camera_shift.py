"""A camera that does not stand quite where it stood when an eye was trained."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

DISTANCE, ANGLE = 0.02, np.radians(3.0)


def shift_camera(model: Any, name: str, seed: int) -> None:
    """Move a camera of an MjModel by 20 mm and turn it by 3 degrees; the seed draws both directions."""
    camera, rng = model.camera(name), np.random.default_rng(seed)
    way, axis = (v / np.linalg.norm(v) for v in rng.normal(size=(2, 3)))
    turn, turned = np.zeros(4), np.zeros(4)
    mujoco.mju_axisAngle2Quat(turn, axis, ANGLE)
    mujoco.mju_mulQuat(turned, camera.quat, turn)
    camera.pos[:] += DISTANCE * way
    camera.quat[:] = turned
