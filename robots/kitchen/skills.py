"""How each skill looks: the motions from one state to the next, right or wrong.

Each function ends in the stance that it began in, except `find`. `body.commit()` marks the moment from which
the new facts hold. A situation is told by what the world changed: a thing that fell, or nothing at all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.dropping import drop
from robots.kitchen.falling import settle
from robots.kitchen.happening import Happening
from robots.kitchen.targets import floor_target, handle_of, place_target, raised
from robots.kitchen.world_state import State

if TYPE_CHECKING:
    from robots.kitchen.body import Body

Vector = NDArray[np.float64]
_OVER = 0.13  # metres above a place before going down to it
# How far a door that did not obey stands open.
_AJAR, _WIDE = (0.36, 0.32, 0.28, 0.24, 0.20, 0.16, 0.13), (0.72, 0.85, 1.0)
_MARGIN = 0.02  # and it would hide what is behind it even if it stood open by so much more


def play(body: Body, happening: Happening) -> None:
    """Raises Halted in the middle of it."""
    if happening.failed_constraint:
        shrug(body)
        return
    SKILLS[happening.skill](body, happening)


def shrug(body: Body) -> None:
    """It cannot be done, and nothing changes: the hand lifts and sinks."""
    joints = body.stage.joints
    up = joints.copy()
    up[4] += 0.08
    body.actor.move(up, 0.35)
    body.actor.move(joints, 0.35)


def find(body: Body, happening: Happening) -> None:
    actor, after = body.actor, happening.after
    home = actor.stance
    if happening.situation and after == happening.before:  # no free space there: it sets out and comes back
        x, y = home.ahead(-0.25)
        actor.face(type(home)(x, y, home.yaw + 0.3, home.pitch))
        actor.face(home)
        return
    arrived = after if not happening.dropped else _without_fall(happening)
    goal = body.stance_for(arrived)
    body.go(goal)
    if happening.dropped:
        drop(body, happening.dropped[0], happening.dropped[1])


def _without_fall(happening: Happening) -> State:
    """After the way, before the thing fell."""
    assert happening.dropped
    return happening.after.put(happening.dropped[0], happening.before.places[happening.dropped[0]])


def grasp(body: Body, happening: Happening) -> None:
    actor = body.actor
    thing = _thing(body, happening)
    home = actor.stance
    point = actor.grip_point(thing)
    actor.reach(point, over=_OVER)
    actor.reach(point, 0.5)
    if not happening.ok and not happening.dropped:  # it closes beside the thing
        actor.fingers(0.008)
        actor.reach(point, 0.4, over=_OVER)
        actor.gap = 0.052
        actor.face(home)
        return
    body.at_last(lambda: actor.hold(thing)) if happening.ok else actor.hold(thing)
    actor.reach(point, 0.5, over=_OVER)
    actor.face(home)
    if happening.dropped:
        drop(body, thing, happening.dropped[1])


def place(body: Body, happening: Happening) -> None:
    actor = body.actor
    thing, where = _thing(body, happening), _places(body, happening)[1]
    home = actor.stance
    if where in body.things.floors.values():
        target, home = floor_target(body, thing, where)
        actor.face(home)
    else:
        target = place_target(body, thing, where, happening.after)
    actor.reach(target.grip, over=_OVER)
    if not happening.ok:
        actor.face(home)
        if happening.dropped:
            drop(body, thing, happening.dropped[1])
        return
    actor.reach(target.grip, 0.5, over=0.02)
    body.at_last(lambda: actor.let_go())
    body.placer.stand(thing, raised(target.foot, 0.004), target.yaw)
    settle(body.stage, body.clock, body.built.bodies[thing], 0.6)
    actor.reach(target.grip, 0.4, over=_OVER)
    actor.face(home)


def swing(body: Body, happening: Happening) -> None:
    """Open or close: the hand takes the door along for a little, then the robot makes way for it."""
    actor, stage = body.actor, body.stage
    name = _places(body, happening)[0]
    kind = body.built.cast.furniture[name]
    home, start = actor.stance, stage.door(kind)
    end = _end_of_swing(body, happening, name, kind)
    actor.reach(handle_of(body, kind), 0.8)

    def turn(progress: float, low: float = 0.0, high: float = 1.0) -> None:
        part = start + (end - start) * (low + (high - low) * progress)
        stage.swing(kind, part)
        if happening.ok and (part < 0.5) == (end < 0.5):
            body.commit()

    early = start + 0.15 * (end - start)
    stage.swing(kind, early)
    stage.update()
    pulled = handle_of(body, kind)
    stage.swing(kind, start)
    stage.update()
    actor.reach(pulled, 0.5, also=lambda p: turn(p, 0, 0.15))
    actor.face(home, also=lambda p: turn(p, 0.15, 1))


def _end_of_swing(body: Body, happening: Happening, name: str, kind: str) -> float:
    """0 or 1; between them where the door did not obey, so that what is behind it stays as the facts say."""
    stays_closed = happening.after.holds("closed", name)
    if happening.ok:
        return 0.0 if stays_closed else 1.0
    now = body.stage.door(kind)

    behind = [m for m, where in happening.after.places.items() if where == name and stays_closed]

    def fits(part: float) -> bool:
        body.stage.swing(kind, part + (_MARGIN if behind else 0))
        body.stage.update()
        if any(body.sight.share(m) > 0 for m in behind):
            return False
        body.stage.swing(kind, part)
        body.stage.update()
        return body.sees(happening.after)

    end = next((part for part in (_AJAR if stays_closed else _WIDE) if fits(part)), now)
    if stays_closed and end == now:  # seen from elsewhere, then: the robot will step aside
        joints = body.actor.joints
        for part in _AJAR[1::2]:
            body.stage.swing(kind, part)
            body.actor.take(body.stance_for(happening.after))
            if fits(part):
                end = part
                break
        body.actor.be(joints)
    body.stage.swing(kind, now)
    body.stage.update()
    return end


def fill_sink(body: Body, happening: Happening) -> None:
    actor = body.actor
    name = _places(body, happening)[0]
    home, kind = actor.stance, body.built.cast.furniture[name]
    actor.reach(_button(body, kind), 0.8)
    if happening.ok:
        body.stage.show(kind, body.stage.looks(kind) | {"running"})
        _wait(body, 0.8)
        body.at_last(lambda: body.show_looks(happening.after))
    _wait(body, 0.4)
    actor.face(home)


def fill(body: Body, happening: Happening) -> None:
    actor = body.actor
    thing, sink = _places(body, happening)
    home, kind = actor.stance, body.built.cast.furniture[sink]
    middle = body.reading.world(kind, (0, -0.02, 0.06))
    actor.reach(middle, 0.8, over=_OVER)
    actor.reach(middle, 0.5)
    if happening.ok:
        body.partly -= {thing}
        body.at_last(lambda: body.show_looks(happening.after))
    elif not happening.dropped:
        body.partly |= {thing}
        body.show_looks(happening.after)
    actor.reach(middle, 0.5, over=_OVER)
    actor.face(home)
    if happening.dropped:
        drop(body, thing, happening.dropped[1])


def turn_on(body: Body, happening: Happening) -> None:
    actor = body.actor
    name = _places(body, happening)[0]
    home, kind = actor.stance, body.built.cast.furniture[name]
    actor.reach(_button(body, kind), 0.8)
    if happening.ok:
        body.at_last(lambda: body.show_looks(happening.after))
    _wait(body, 0.2)
    actor.face(home)
    if happening.ok:
        _wait(body, 0.8)


def cut(body: Body, happening: Happening) -> None:
    actor, stage = body.actor, body.stage
    knife, food = _places(body, happening)
    home = actor.stance
    points = body.sight.points(food)
    middle, top = (points.min(0) + points.max(0)) / 2, float(points[:, 2].max())
    towards = np.array([np.cos(home.yaw), np.sin(home.yaw), 0])
    beside = np.zeros(3) if happening.ok else np.array([towards[1], -towards[0], 0]) * 0.07
    edge = np.array([middle[0], middle[1], top]) - 0.13 * towards + beside
    actor.reach(edge, 0.8, over=0.10)
    actor.reach(edge, 0.35, over=0.01)
    if happening.ok:
        foot = np.array([middle[0], middle[1], points[:, 2].min()])

        def part() -> None:
            stage.join(food, False)
            body.placer.stand(food, raised(foot, 0.002), float(np.degrees(home.yaw)) - 90)
            body.show_looks(happening.after)

        body.at_last(part)
        settle(stage, body.clock, body.built.bodies[food], 0.6)
    actor.reach(edge, 0.4, over=0.12)
    actor.face(home)
    if happening.dropped:
        drop(body, knife, happening.dropped[1])


def _places(body: Body, happening: Happening) -> tuple[str, ...]:
    """The things among the step's arguments, in their order."""
    cast = body.built.cast
    known = (*cast.things, *cast.furniture, *cast.floors)
    return tuple(a for a in happening.step.args if a in known)


def _thing(body: Body, happening: Happening) -> str:
    return _places(body, happening)[0]


def _button(body: Body, kind: str) -> Vector:
    piece = body.built.scene.furniture[kind]
    return body.reading.world(kind, piece.button or piece.view.aim)


def _wait(body: Body, seconds: float) -> None:
    body.stage.update()
    for _ in body.clock.beats(seconds):
        pass


SKILLS: Mapping[str, Callable[[Body, Happening], None]] = MappingProxyType(
    {
        "find": find, "grasp": grasp, "placein": place, "placeon": place, "open": swing, "close": swing,
        "fillsink": fill_sink, "fill": fill, "turnon": turn_on, "cut": cut,
    }
)  # fmt: skip
