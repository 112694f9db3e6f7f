"""Search for a base pose that sees something: free, near enough, and with the right things visible."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robots.kitchen.scene.schema import Rect, Vec3
from robots.kitchen.simulation.arm_kinematics import ArmKinematics, BasePose
from robots.kitchen.simulation.navigation_map import NavigationMap
from robots.kitchen.simulation.visibility import Visibility

_MAX_CANDIDATES = 48


@dataclass(frozen=True)
class ViewGoal:
    """What to see, and from where. Angles in degrees, in the world's frame."""

    target: Vec3
    min_distance: float
    max_distance: float
    area: Rect
    direction: float = 0.0  # direction from the target in which to stand ...
    spread: float = 180.0  # ... and its tolerance
    wanted_shares: Mapping[str, float] = field(default_factory=dict)  # name -> wanted visible share
    avoid: frozenset[str] = frozenset()  # must not be in the picture
    look_past: float = 0.0  # look past the target by this much ...
    tilt: float = 0.30  # ... with the head tilted down this far, radians


def search_base_pose(
    goal: ViewGoal,
    arm: ArmKinematics,
    navigation_map: NavigationMap,
    visibility: Visibility,
    teleport: Callable[[BasePose], None],
    rng: np.random.Generator,
) -> BasePose | None:
    """Return the best of several candidate poses, None if no place is free.

    `teleport` puts the robot there to try. Deterministic for a given generator.
    """
    best: tuple[float, BasePose] | None = None
    for x, y in _free_positions(goal, navigation_map, rng):
        base_pose = arm.pose_looking_at(x, y, goal.target)
        if goal.look_past:
            side = 1 if rng.random() < 0.5 else -1
            base_pose = BasePose(x, y, base_pose.yaw + side * math.radians(goal.look_past), goal.tilt)
        teleport(base_pose)
        score = _score(goal, base_pose, visibility)
        if best is None or score > best[0]:
            best = (score, base_pose)
    return best[1] if best else None


def _free_positions(goal: ViewGoal, navigation_map: NavigationMap, rng: np.random.Generator) -> Any:
    """Return free positions around the target, in the order in which to try them."""
    for widen in (1.0, 1.35, 1.8, 4.0):
        count = _MAX_CANDIDATES * 2
        angle = np.radians(goal.direction + np.clip(rng.normal(0, 0.5, count), -1, 1) * goal.spread * widen)
        if goal.spread >= 180:
            angle = rng.uniform(-np.pi, np.pi, count)
        far = rng.uniform(
            goal.min_distance,
            goal.min_distance + (goal.max_distance - goal.min_distance) * min(widen, 1.8),
            count,
        )
        spots = np.stack([goal.target[0] + far * np.cos(angle), goal.target[1] + far * np.sin(angle)], axis=1)
        (x0, y0), (x1, y1) = goal.area
        inside = (spots >= (x0, y0)).all(1) & (spots <= (x1, y1)).all(1)
        free = spots[inside][navigation_map.is_free(spots[inside])] if inside.any() else spots[:0]
        if len(free):
            return free[:_MAX_CANDIDATES]
    return ()


def _score(goal: ViewGoal, base_pose: BasePose, visibility: Visibility) -> float:
    """Score a pose: about 1 if it sees everything; each visible thing to avoid outweighs everything
    wanted.
    """
    shares = {name: visibility.visible_share(name) for name in goal.wanted_shares}
    fit = [min(shares[name] / wanted, 1.0) for name, wanted in goal.wanted_shares.items()]
    wrong = sum(visibility.visible_share(name) > 0 for name in goal.avoid)
    missing = min(fit, default=1.0)
    more = np.mean([min(s, 0.95) for s in shares.values()]) if shares else 0.0
    far = math.hypot(goal.target[0] - base_pose.x, goal.target[1] - base_pose.y)
    near = 1 - (far - goal.min_distance) / max(goal.max_distance - goal.min_distance, 0.1)
    return missing - 1.5 * wrong + 0.04 * float(more) + 0.10 * near
