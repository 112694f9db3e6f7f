"""How a thing slips out of the hand and lies on the floor, out of the robot's eye, by physics."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.build import stream
from robots.kitchen.falling import rehearse, settle
from robots.kitchen.targets import APART

if TYPE_CHECKING:
    from robots.kitchen.body import Body

Vector = NDArray[np.float64]
_TRIES = 16


def drop(body: Body, thing: str, floor: str) -> None:
    """The hand comes in, the thing slips out of it and falls beside the robot.

    Falls are rehearsed until one ends as the facts have it; just that one is then played. Where none does,
    the thing is laid on the floor, and the step says so.
    """
    actor, stage = body.actor, body.stage
    home = actor.stance
    joints = stage.joints
    joints[4:9] = actor.arm.reach(0.34, 0.95, float(joints[8]))
    actor.move(joints, 0.4)
    body.partly -= {thing}
    body.at_last(lambda: actor.let_go())
    stage.show(thing, stage.looks(thing) - {"filled", "partly", "cooked"})
    push = _good_fall(body, thing, floor)
    if push is None:  # nowhere to fall to by itself: it is laid there
        body.remark(f"no fall of {thing} ended in a free place out of view, so it was laid on {floor}")
        body.placer.put(thing, floor, body.built.seed, lambda: body.reading.out_of_view(thing))
    else:
        for name in body.built.bodies[thing]:
            stage.push(name, *push)
        settle(stage, body.clock, body.built.bodies[thing])
    actor.face(home)


def _good_fall(body: Body, thing: str, floor: str) -> tuple[Vector, Vector] | None:
    """Speed and spin with which it comes to lie there, out of sight."""
    stage, reading = body.stage, body.reading
    first = body.built.bodies[thing][0]
    for velocity, spin in _throws(body, thing, floor):
        saved = stage.save()
        rehearse(stage, body.built.bodies[thing], velocity, spin)
        at, quat = stage.pose(first)
        lies = reading.place(thing) == floor and reading.out_of_view(thing)
        near = float(np.linalg.norm(at[:2] - stage.joints[:2])) < body.built.scene.robot.footprint + 0.08
        upright = thing not in body.built.cast.things or not _has_a_face(body, thing) or _up(quat) > 0
        stage.restore(saved)
        if lies and not near and upright:
            return velocity, spin
    return None


def _throws(body: Body, thing: str, floor: str) -> Iterator[tuple[Vector, Vector]]:
    """Towards bare places beside and behind the robot, the hand's own slip first."""
    stance, plan = body.actor.stance, body.plan()
    (x0, y0), (x1, y1) = body.built.scene.rooms[body.built.cast.floors[floor]].area
    start, _ = body.stage.pose(body.built.bodies[thing][0])
    seconds = math.sqrt(2 * max(start[2] - 0.05, 0.05) / 9.81)
    rng = stream(body.built.seed, f"{thing} falls on {floor} from {start.round(3).tolist()}")
    count = 0
    others = [body.sight.points(n).mean(0)[:2] for n in body.built.cast.things if n != thing]
    for k in range(60 * _TRIES):
        angle, far = rng.uniform(math.radians(35), math.radians(150)), rng.uniform(0.50, 0.95)
        left = -1 if rng.random() < 0.65 else 1  # mostly to the side of its arm
        x, y = stance.ahead(far * math.cos(angle), left * far * math.sin(angle))
        if not (x0 + 0.15 < x < x1 - 0.15 and y0 + 0.15 < y < y1 - 0.15):
            continue
        if float(plan.distance(np.array([x, y]))[0]) < 0.22:
            continue
        alone = min((float(np.hypot(*(o - (x, y)))) for o in others), default=APART)
        if alone < APART * (1 - k / (40 * _TRIES)):
            continue
        flat = (np.array([x, y]) - start[:2]) / seconds * 0.85  # it slides on a little
        yield np.array([*flat, 0.0]), rng.uniform(-1.5, 1.5, 3)
        count += 1
        if count == _TRIES:
            return


def _has_a_face(body: Body, thing: str) -> bool:
    """Things that nobody would know lying on their face: flat ones."""
    low, high = body.reading.heights(thing)
    return high - low < body.reading.radius(thing) and not body.placer.thing(thing)[0].halves


def _up(quat: Vector) -> float:
    """How far the thing's own z points upwards."""
    return float(1 - 2 * (quat[1] ** 2 + quat[2] ** 2))
