"""State what the camera should see, as a goal for the search of a base pose."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.household.objects import HouseholdObjects
from robots.kitchen.household.state import HAND, HouseholdState, in_view
from robots.kitchen.scene.builder import CompiledScene
from robots.kitchen.scene.schema import Vec3
from robots.kitchen.simulation.base_pose_search import ViewGoal
from robots.kitchen.simulation.geometry_predicates import GeometryPredicates
from robots.kitchen.simulation.visibility import Visibility

_FULL, _SOME, _PIECE, _FLOOR = 0.60, 0.35, 0.14, 0.10  # wanted shares, above what counts as in view


def names_to_avoid(things: HouseholdObjects, state: HouseholdState) -> frozenset[str]:
    """Return what must not be in the picture: things that are not in view, and what the robot fails to
    find.
    """
    seen = in_view(things, state)
    loose = {m for m, place in state.places.items() if place != HAND and m not in seen}
    if not seen and state.near and state.near != state.held:
        loose.add(state.near)
    return frozenset(loose)


def floor_bodies(built: CompiledScene, visibility: Visibility) -> tuple[str, ...]:
    """Return the bodies that lie on a floor, to drive around."""
    return tuple(
        body
        for name in built.assignment.things
        if visibility.surface_points(name)[:, 2].min() < 0.1
        for body in built.bodies[name]
    )


def view_goal_for(
    built: CompiledScene,
    things: HouseholdObjects,
    geometry: GeometryPredicates,
    visibility: Visibility,
    state: HouseholdState,
    room: str,
) -> ViewGoal:
    """Return the goal: aim at the focus, with what belongs to it in the picture too."""
    focus = state.focus or state.near or next(iter(built.assignment.floors))
    place = state.places.get(focus, focus)
    if place == HAND:
        place = focus = things.floor(state.room)
    shares = _wanted_shares(things, state, focus)
    avoid = frozenset(n for n in names_to_avoid(things, state) if not geometry.behind_closed_door(n))
    if kind := built.assignment.furniture.get(place):
        goal = _furniture_goal(built, geometry, visibility, kind, focus if focus != place else "")
    else:
        goal = _floor_goal(built, visibility, focus, place, avoid)
    if not state.focus:
        tilt = -0.45 if focus in built.assignment.floors else 0.30  # the floor is visible except above
        return replace(goal, max_distance=goal.max_distance + 0.4, avoid=avoid, look_past=100.0, tilt=tilt)
    return replace(goal, wanted_shares=shares, avoid=avoid)


def _wanted_shares(things: HouseholdObjects, state: HouseholdState, focus: str) -> dict[str, float]:
    """Return the wanted visible shares, the focus first."""
    wanted = {focus: _FULL if focus in state.places else _PIECE}
    for name in sorted(in_view(things, state) - {focus}):
        wanted[name] = _SOME if name in state.places else _PIECE
    for floor in things.floors.values():
        if floor in wanted:
            wanted[floor] = _FLOOR
    return wanted


def _furniture_goal(
    built: CompiledScene, geometry: GeometryPredicates, visibility: Visibility, kind: str, thing: str
) -> ViewGoal:
    piece, pose = built.scene.furniture[kind], built.furniture_poses[kind]
    direction, spread = piece.view.stand
    side = -1 if geometry.ajar(kind) else 1  # beside its hinge, a half-open door hides what is in it
    towards = pose.yaw + direction + side * piece.view.open_side
    room = built.scene.rooms[piece.room]
    if not thing:
        aim = geometry.to_world_frame(kind, piece.view.aim)
        return ViewGoal(_to_vec3(aim), piece.view.near, piece.view.far, room.free, towards, spread)
    points = visibility.surface_points(thing)
    aim = (points.min(0) + points.max(0)) / 2
    near, far = (0.80, 1.15) if piece.inside else (0.66, 1.0)
    return ViewGoal(_to_vec3(aim), near, far, room.free, towards, spread)


def _floor_goal(
    built: CompiledScene, visibility: Visibility, focus: str, floor: str, avoid: frozenset[str]
) -> ViewGoal:
    room = built.scene.rooms[built.assignment.floors[floor]]
    if focus != floor:
        points = visibility.surface_points(focus)
        return ViewGoal(_to_vec3((points.min(0) + points.max(0)) / 2), 0.62, 0.90, room.free)
    # a bare piece of floor, far from other things
    lying = [visibility.surface_points(name).mean(0)[:2] for name in sorted(avoid) if name in built.bodies]
    spot = max(
        room.spots, key=lambda s: min((abs(s[0] - p[0]) + abs(s[1] - p[1]) for p in lying), default=0.0)
    )
    return ViewGoal((spot[0], spot[1], 0.0), 0.75, 0.95, room.free)


def _to_vec3(point: Sequence[float] | NDArray[np.float64]) -> Vec3:
    return float(point[0]), float(point[1]), float(point[2])
