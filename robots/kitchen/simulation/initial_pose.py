"""The initial pose of the robot in an episode: it sees the house, but nothing that the task names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robots.kitchen.scene.builder import CompiledScene, rng_for
from robots.kitchen.simulation.arm_kinematics import ArmKinematics, BasePose
from robots.kitchen.simulation.geometry_predicates import GeometryPredicates
from robots.kitchen.simulation.navigation_map import NavigationMap
from robots.kitchen.simulation.visibility import Visibility

_TRIES_PER_START = 6  # for each start pose of the room
_JITTER = (0.10, 0.10, 0.15, 0.15, 0.10)  # metres by which the seed shifts position and target


def find_initial_pose(
    built: CompiledScene,
    room: str,
    arm: ArmKinematics,
    navigation_map: NavigationMap,
    visibility: Visibility,
    geometry: GeometryPredicates,
    teleport: Callable[[BasePose], None],
) -> BasePose:
    """Return the first start pose in the room's data that is free and shows nothing that the task names.

    Nothing is in view before the first `find`, furniture included, and the picture must agree. If no start
    pose qualifies, the robot stands at the room's south side and looks in. `teleport` puts it there to try.
    """
    data = built.scene.rooms[room]
    rng = rng_for(built.seed, "first look")
    named = [*built.assignment.furniture, *built.assignment.things]
    for start in data.starts:
        for _ in range(_TRIES_PER_START):
            spot = np.array((*start.at, *start.towards)) + rng.uniform(-1, 1, 5) * _JITTER
            x, y, *towards = map(float, spot)
            base_pose = arm.pose_looking_at(x, y, (towards[0], towards[1], towards[2]))
            if not navigation_map.is_free(np.array([(base_pose.x, base_pose.y)]))[0]:
                continue
            teleport(base_pose)
            if all(
                geometry.behind_closed_door(name) or visibility.visible_share(name) == 0 for name in named
            ):
                return base_pose
    (x0, y0), (x1, y1) = data.free
    return arm.pose_looking_at((x0 + x1) / 2, y0 + 0.3, ((x0 + x1) / 2, y1, 0.9))
