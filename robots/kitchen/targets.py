"""Where the hand goes: the free place for what it puts down, the handle of a door."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.arm import Stance
from robots.kitchen.build import stream
from robots.kitchen.world_state import State

if TYPE_CHECKING:
    from robots.kitchen.body import Body

Vector = NDArray[np.float64]
APART = 1.1  # metres between things on a floor, so that each can be looked at alone


@dataclass(frozen=True)
class Target:
    """`foot` is where the underside comes to, `grip` where the gripper lets go; `yaw` in degrees."""

    foot: Vector
    grip: Vector
    yaw: float


def raised(point: Vector, height: float) -> Vector:
    """The point above it."""
    return point + np.array((0, 0, height))


def place_target(body: Body, thing: str, where: str, after: State) -> Target:
    """The first free spot at which it can be seen from where the robot stands. Nothing moves yet."""
    saved, held = body.stage.save(), body.actor.grip_state()
    stance = body.actor.joints
    body.actor.let_go()

    def seen() -> bool:
        return not after.focus or body.reading.in_view(thing)

    foot = body.placer.put(thing, where, body.built.seed, seen)
    body.stage.restore(saved)
    body.actor.restore_grip(held)
    body.actor.be(stance)
    return _target(body, thing, foot)


def floor_target(body: Body, thing: str, where: str) -> tuple[Target, Stance]:
    """A bare place on the floor before the robot, and where the robot looks for it.

    It turns as little as it takes to have the place in its picture, and nothing else that lies about.
    """
    begin, plan = body.actor.stance, body.plan()
    (x0, y0), (x1, y1) = body.built.scene.rooms[body.built.cast.floors[where]].area
    rng = stream(body.built.seed, f"{thing} on {where}")
    others = [n for n in body.built.cast.things if n != thing]
    lying = [body.sight.points(n).mean(0)[:2] for n in others]
    best: tuple[float, Vector, Stance] | None = None
    joints = body.actor.joints
    for turn in (0, 35, -35, 70, -70, 110, -110, 150, -150, 180):
        stance = replace(begin, yaw=begin.yaw + math.radians(turn), pitch=min(max(begin.pitch, 0.80), 0.95))
        body.actor.take(stance)
        wrong = sum(body.sight.share(n) > 0 for n in others)
        for _ in range(12):
            x, y = stance.ahead(rng.uniform(0.72, 1.0), rng.uniform(-0.10, 0.24))
            spot = np.array([x, y, 0.0])
            alone = min((float(np.linalg.norm(spot[:2] - o)) for o in lying), default=APART)
            gap = min(float(plan.distance(spot[:2])[0]), 0.3)
            if not (x0 < x < x1 and y0 < y < y1):
                gap = -1.0
            score = 3 * gap + min(alone, APART) - 2 * wrong
            if best is None or score > best[0]:
                best = (score, spot, stance)
        if best and best[0] > 1.5:
            break
    body.actor.be(joints)
    assert best
    return _target(body, thing, best[1]), best[2]


def _target(body: Body, thing: str, foot: Vector) -> Target:
    """As the hand brings it: turned as it is carried, so that nothing jumps when it is let go."""
    built, actor = body.built, body.actor
    kind = built.cast.things[thing]
    piece, scale = body.placer.thing(thing)
    grip = built.scene.things[kind.kind].grip
    shift, turn = (grip.shift, grip.turn) if grip else ((0.0, 0.0, -0.03), 0.0)
    origin = raised(foot, piece.rest * scale[2])
    yaw = float(actor.reaching(origin)[2])
    back = np.array([math.cos(yaw) * shift[0], math.sin(yaw) * shift[0], shift[2]])
    return Target(foot, origin - back, math.degrees(yaw) + turn)


def handle_of(body: Body, kind: str) -> Vector:
    """Where the door's handle is now."""
    door = body.built.scene.furniture[kind].door
    assert door
    frame = body.stage.data.body(f"{kind} door")
    return np.asarray(frame.xmat.reshape(3, 3) @ np.asarray(door.handle) + frame.xpos)
