"""A table's scene as the search takes it: where everything is, and how its geometry is made."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from core.motion.frames import Frame, as_pose, frame
from core.scene import Scene, SceneThing
from robots.ur5e.emulator.scene import TabletopScene
from robots.ur5e.kinematics import PARKED, Joints
from robots.ur5e.motion.situation import TABLE, is_inside
from robots.ur5e.scene_file import TabletopThing

TABLE_THING = SceneThing(TABLE, (0.52, 0, -0.02, 0, 0, 0), (0.4, 0.52, 0.02), "table", False)
_FOCAL = 0.5 / math.tan(math.radians(25))  # of the overhead camera, in heights of its picture, 4 : 3
VIEW = (  # of this camera, as of a scene's view
    (0.0, -0.75 * _FOCAL, -0.5, 0.56),
    (-_FOCAL, 0.0, -0.5, 0.56 + 0.5 * _FOCAL),
    (0.0, 0.0, -1.0, 1.12),
)
SKILLS = "robots.ur5e.motion.skills:TableSkills"


def first_poses(table: TabletopScene) -> dict[str, Frame]:
    """Return where everything is at first."""
    return {thing.name: frame(thing.rotation, thing.at) for thing in table.things}


def table_scene(
    table: TabletopScene,
    named: str,
    seed: int,
    gripper: str,
    poses: Mapping[str, Frame],
    source: str,
    spreads: Mapping[str, float] | None = None,
    joints: Joints = PARKED,
    parks: bool = False,
    hidden: Collection[str] = (),
    held: str = "",
) -> Scene:
    """Return the scene with everything at these poses, and the arm at these joints.

    `named`, `seed` and `gripper` made the table. With `parks` the arm leaves the view after each place.
    What is `hidden` was not seen in the last look; what is `held` is in the hand.
    """
    kinds, off = {thing.name: thing.kind for thing in table.things}, spreads or {}
    seen = tuple(
        _thing(
            name,
            kinds[name],
            pose,
            _container(name, kinds, poses),
            "hidden" if name in hidden else source,
            off.get(name, 0.0),
        )
        for name, pose in poses.items()
    )
    marks = tuple(
        _thing(name, kind, frame(np.eye(3), (*(kind.at or (0.0, 0.0)), 0.0)), "", "scene", 0.0)
        for name, kind in table.marks.items()
    )
    at = ",".join(f"{joint:.6f}" for joint in joints)
    made = {"scene": named, "seed": str(seed), "gripper": gripper, "joints": at}
    made |= {"parks": "yes"} if parks else {}
    made |= {"held": held} if held else {}
    return Scene((*seen, *marks, TABLE_THING), SKILLS, tuple(made.items()), VIEW)


def _container(name: str, kinds: Mapping[str, TabletopThing], poses: Mapping[str, Frame]) -> str:
    holders = (n for n, kind in kinds.items() if n != name and kind.is_open)
    return next((n for n in holders if is_inside(poses[name], poses[n], kinds[n])), "")


def _thing(name: str, kind: TabletopThing, pose: Frame, on: str, source: str, spread: float) -> SceneThing:
    form = kind.half, kind.shape, kind.graspable
    return SceneThing(name, as_pose(pose), *form, on, spread, source, kind.categories)
