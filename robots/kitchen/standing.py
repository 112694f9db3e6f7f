"""Where to stand to see something: free, near enough, and with the right things in sight."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robots.kitchen.arm import Arm, Stance
from robots.kitchen.floorplan import FloorPlan
from robots.kitchen.scene import Rect, Vec3
from robots.kitchen.sight import Sight

_TRIES = 48


@dataclass(frozen=True)
class Wish:
    """What to see from where. Angles in degrees, in the world's frame."""

    aim: Vec3
    near: float
    far: float
    area: Rect
    towards: float = 0.0  # the direction from the aim to stand in ...
    spread: float = 180.0  # ... and how far it may vary
    see: Mapping[str, float] = field(default_factory=dict)  # name -> the share that is wanted
    avoid: frozenset[str] = frozenset()  # shall not be in the picture
    away: float = 0.0  # look past the aim by so much ...
    tilt: float = 0.30  # ... with the head so far down, radians


@dataclass(frozen=True)
class Found:
    stance: Stance
    good: bool  # all that was wished for
    share: float  # of the first thing wished for


def choose(
    wish: Wish,
    arm: Arm,
    plan: FloorPlan,
    sight: Sight,
    take: Callable[[Stance], None],
    rng: np.random.Generator,
) -> Found | None:
    """The best of some stances, None where no place is free. `take` puts the robot there to try.

    Deterministic for the same generator.
    """
    places = _places(wish, plan, rng)
    best: tuple[float, Found] | None = None
    for x, y in places:
        stance = arm.look_at(x, y, wish.aim)
        if wish.away:
            side = 1 if rng.random() < 0.5 else -1
            stance = Stance(x, y, stance.yaw + side * math.radians(wish.away), wish.tilt)
        take(stance)
        score, found = _judge(wish, stance, sight)
        if best is None or score > best[0]:
            best = (score, found)
    return best[1] if best else None


def _places(wish: Wish, plan: FloorPlan, rng: np.random.Generator) -> Any:
    """Free places round the aim, in the order to try them."""
    for widen in (1.0, 1.35, 1.8, 4.0):
        count = _TRIES * 2
        angle = np.radians(wish.towards + np.clip(rng.normal(0, 0.5, count), -1, 1) * wish.spread * widen)
        if wish.spread >= 180:
            angle = rng.uniform(-np.pi, np.pi, count)
        far = rng.uniform(wish.near, wish.near + (wish.far - wish.near) * min(widen, 1.8), count)
        spots = np.stack([wish.aim[0] + far * np.cos(angle), wish.aim[1] + far * np.sin(angle)], axis=1)
        (x0, y0), (x1, y1) = wish.area
        inside = (spots >= (x0, y0)).all(1) & (spots <= (x1, y1)).all(1)
        free = spots[inside][plan.clear(spots[inside])] if inside.any() else spots[:0]
        if len(free):
            return free[:_TRIES]
    return ()


def _judge(wish: Wish, stance: Stance, sight: Sight) -> tuple[float, Found]:
    """About 1 for a stance that has all; each thing in sight that shall not be costs more than any wish."""
    shares = {name: sight.share(name) for name in wish.see}
    fit = [min(shares[name] / wanted, 1.0) for name, wanted in wish.see.items()]
    wrong = sum(sight.share(name) > 0 for name in wish.avoid)
    missing = min(fit, default=1.0)
    more = np.mean([min(s, 0.95) for s in shares.values()]) if shares else 0.0
    far = math.hypot(wish.aim[0] - stance.x, wish.aim[1] - stance.y)
    near = 1 - (far - wish.near) / max(wish.far - wish.near, 0.1)
    score = missing - 1.5 * wrong + 0.04 * float(more) + 0.10 * near
    return score, Found(stance, missing >= 1 and not wrong, next(iter(shares.values()), 0.0))
