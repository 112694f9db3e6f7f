"""The robot's body: a wheeled base, a tilting head with the camera, an arm on a lift, two fingers."""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

from robots.kitchen.scene.geom_builder import (
    COLLISION_GROUP,
    HIDDEN_GROUP,
    NO_COLLISION,
    ROBOT_COLLISION,
    GeomBuilder,
    quat_from_axes,
)
from robots.kitchen.scene.schema import RobotSpec, Vec3

_HINGE, _SLIDE = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE
JOINTS = (
    "base x", "base y", "base yaw", "head",
    "lift", "upper", "fore", "wrist", "roll", "left finger", "right finger",
)  # fmt: skip


def build_robot(geom_builder: GeomBuilder, data: RobotSpec, rng: np.random.Generator) -> None:
    """Add the robot. Its joints are set from outside; it has no weight, so that it stays as it is put."""

    def link(
        parent: Any, name: str, at: Vec3, parts: Any, *joints: tuple[str, Any, Vec3], flip: bool = False
    ) -> Any:
        body = parent.add_body(name=name, pos=at, gravcomp=1)
        for joint, kind, axis in joints:
            body.add_joint(name=joint, type=kind, axis=axis, damping=20, armature=1)
        body.explicitinertial = True
        body.mass, body.inertia = 5.0, [0.5, 0.5, 0.5]
        geom_builder.add_parts(body, "robot", parts, NO_COLLISION, flip=flip)
        return body

    x, y, z, back = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)
    base = link(
        geom_builder.spec.worldbody, "robot", (0, 0, 0), data.parts,
        ("base x", _SLIDE, x), ("base y", _SLIDE, y), ("base yaw", _HINGE, z),
    )  # fmt: skip
    base.add_geom(
        name="footprint",
        type=mujoco.mjtGeom.mjGEOM_CYLINDER,
        size=[data.footprint, 0.6, 0],
        pos=[0, 0, 0.68],
        group=COLLISION_GROUP,
        **ROBOT_COLLISION,
    )
    head = link(base, "head", (0, 0, float(rng.uniform(*data.eye_height))), data.head, ("head", _HINGE, y))
    head.add_camera(name="eye", pos=data.eye, quat=quat_from_axes((0, -1, 0), (-1, 0, 0)), fovy=data.fov)
    upper = link(base, "upper", data.shoulder, data.upper, ("lift", _SLIDE, z), ("upper", _HINGE, y))
    fore = link(upper, "fore", (data.lengths[0], 0, 0), data.fore, ("fore", _HINGE, y))
    wrist = link(fore, "wrist", (data.lengths[1], 0, 0), data.wrist, ("wrist", _HINGE, y))
    hand = link(wrist, "hand", (0, 0, 0), data.hand, ("roll", _HINGE, x))
    link(hand, "left finger", (0, 0, 0), data.finger, ("left finger", _SLIDE, y))
    link(hand, "right finger", (0, 0, 0), data.finger, ("right finger", _SLIDE, back), flip=True)
    hand.add_site(name="grip", pos=[data.lengths[2], 0, 0], size=[0.005], group=HIDDEN_GROUP)
