"""What the eye should have before it in a state, as a wish for a place to stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.build import Built
from robots.kitchen.reading import Reading
from robots.kitchen.scene import Vec3
from robots.kitchen.sight import Sight
from robots.kitchen.standing import Wish
from robots.kitchen.world_state import HAND, State, in_view
from robots.kitchen.world_things import Things

_FULL, _SOME, _PIECE, _FLOOR = 0.60, 0.35, 0.14, 0.10  # wished shares; above what counts as in view


def away_from(things: Things, state: State) -> frozenset[str]:
    """What shall not be in the picture: things that are not in view, and what the robot fails to see."""
    seen = in_view(things, state)
    loose = {m for m, place in state.places.items() if place != HAND and m not in seen}
    if not seen and state.near and state.near != state.held:
        loose.add(state.near)
    return frozenset(loose)


def floor_bodies(built: Built, sight: Sight) -> tuple[str, ...]:
    """Bodies that lie on a floor, to drive round."""
    return tuple(
        body
        for name in built.cast.things
        if sight.points(name)[:, 2].min() < 0.1
        for body in built.bodies[name]
    )


def wish_for(built: Built, things: Things, reading: Reading, sight: Sight, state: State, room: str) -> Wish:
    """Aim at the focus; have what belongs to it in the picture too."""
    focus = state.focus or state.near or next(iter(built.cast.floors))
    place = state.places.get(focus, focus)
    if place == HAND:
        place = focus = things.floor(state.room)
    see = _shares(things, state, focus)
    avoid = frozenset(n for n in away_from(things, state) if not reading.shut_in(n))
    if kind := built.cast.furniture.get(place):
        wish = _at_furniture(built, reading, sight, kind, focus if focus != place else "")
    else:
        wish = _on_floor(built, sight, focus, place, avoid)
    if not state.focus:
        tilt = -0.45 if focus in built.cast.floors else 0.30  # a floor is everywhere but above
        return replace(wish, far=wish.far + 0.4, avoid=avoid, away=100.0, tilt=tilt)
    return replace(wish, see=see, avoid=avoid)


def _shares(things: Things, state: State, focus: str) -> dict[str, float]:
    """The focus first."""
    wanted = {focus: _FULL if focus in state.places else _PIECE}
    for name in sorted(in_view(things, state) - {focus}):
        wanted[name] = _SOME if name in state.places else _PIECE
    for floor in things.floors.values():
        if floor in wanted:
            wanted[floor] = _FLOOR
    return wanted


def _at_furniture(built: Built, reading: Reading, sight: Sight, kind: str, thing: str) -> Wish:
    piece, pose = built.scene.furniture[kind], built.poses[kind]
    direction, spread = piece.view.stand
    side = -1 if reading.ajar(kind) else 1  # beside its hinge a door that is half open hides what is in it
    towards = pose.turn + direction + side * piece.view.open_side
    room = built.scene.rooms[piece.room]
    if not thing:
        aim = reading.world(kind, piece.view.aim)
        return Wish(_vec(aim), piece.view.near, piece.view.far, room.free, towards, spread)
    points = sight.points(thing)
    aim = (points.min(0) + points.max(0)) / 2
    near, far = (0.80, 1.15) if piece.inside else (0.66, 1.0)
    return Wish(_vec(aim), near, far, room.free, towards, spread)


def _on_floor(built: Built, sight: Sight, focus: str, floor: str, avoid: frozenset[str]) -> Wish:
    room = built.scene.rooms[built.cast.floors[floor]]
    if focus != floor:
        points = sight.points(focus)
        return Wish(_vec((points.min(0) + points.max(0)) / 2), 0.62, 0.90, room.free)
    # a bare piece of floor, far from what lies about
    lying = [sight.points(name).mean(0)[:2] for name in sorted(avoid) if name in built.bodies]
    spot = max(
        room.spots, key=lambda s: min((abs(s[0] - p[0]) + abs(s[1] - p[1]) for p in lying), default=0.0)
    )
    return Wish((spot[0], spot[1], 0.0), 0.75, 0.95, room.free)


def _vec(point: Sequence[float] | NDArray[np.float64]) -> Vec3:
    return float(point[0]), float(point[1]), float(point[2])
