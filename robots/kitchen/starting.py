"""Where the robot stands when an episode begins: it sees the house, and nothing that the task names."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from robots.kitchen.arm import Arm, Stance
from robots.kitchen.build import Built, stream
from robots.kitchen.floorplan import FloorPlan
from robots.kitchen.reading import Reading
from robots.kitchen.scene import Room
from robots.kitchen.sight import Sight

_TRIES = 6  # for each start of the room
_ABOUT = (0.10, 0.10, 0.15, 0.15, 0.10)  # metres by which the seed moves the place, and what is looked at


def first_stance(
    built: Built,
    room: str,
    arm: Arm,
    plan: FloorPlan,
    sight: Sight,
    reading: Reading,
    take: Callable[[Stance], None],
) -> Stance:
    """The first start of the room's data that is free and shows nothing that the task names.

    Nothing is in view before the first `find`, furniture included: a picture of it would say otherwise. Where
    no start will do, the robot stands at the room's south side and looks in. `take` puts it there to try.
    """
    data = built.scene.rooms[room]
    rng = stream(built.seed, "first look")
    named = [*built.cast.furniture, *built.cast.things]
    for start in data.starts:
        for _ in range(_TRIES):
            x, y, *towards = np.array((*start.at, *start.towards)) + rng.uniform(-1, 1, 5) * _ABOUT
            stance = arm.look_at(
                float(x), float(y), (float(towards[0]), float(towards[1]), float(towards[2]))
            )
            if not plan.clear(np.array([(stance.x, stance.y)]))[0]:
                continue
            take(stance)
            if all(reading.shut_in(name) or sight.share(name) == 0 for name in named):
                return stance
    return _looking_in(data, arm)


def _looking_in(room: Room, arm: Arm) -> Stance:
    (x0, y0), (x1, y1) = room.free
    return arm.look_at((x0 + x1) / 2, y0 + 0.3, ((x0 + x1) / 2, y1, 0.9))
