"""Base poses from which the robot sees what it should: free, near enough, the right things visible."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.household.objects import HouseholdObjects
from robots.kitchen.household.state import HAND, HouseholdState, in_view
from robots.kitchen.motion.motion_player import MotionPlayer
from robots.kitchen.scene.builder import CompiledScene, rng_for
from robots.kitchen.scene.schema import Rect, Vec3
from robots.kitchen.simulation.arm_kinematics import BasePose
from robots.kitchen.simulation.geometry_predicates import GeometryPredicates
from robots.kitchen.simulation.mj_sim import MjSim
from robots.kitchen.simulation.motion_clock import MotionClock
from robots.kitchen.simulation.navigation_map import NavigationMap
from robots.kitchen.simulation.visibility import Visibility
from robots.stop_latch import Latch

_FULL, _SOME, _PIECE, _FLOOR = 0.60, 0.35, 0.14, 0.10  # wanted shares, above what counts as in view
_MAX_CANDIDATES = 48
_SIDE_SPREAD = 12.0  # degrees by which a side pose may deviate
_TRIES_PER_START = 6  # for each start pose of the room
_JITTER = (0.10, 0.10, 0.15, 0.15, 0.10)  # metres by which the seed shifts position and target


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


class SimulatedRobot:
    """The robot in its simulated house, and where it has to stand to see something. One thread.

    A pose is tried by putting the robot there; after a `find_...` it stands where it stood.
    """

    def __init__(self, built: CompiledScene, things: HouseholdObjects, latch: Latch, pace: float) -> None:
        self.built, self.things = built, things
        self.sim = MjSim(built)
        self.visibility = Visibility(self.sim)
        self.geometry = GeometryPredicates(self.sim, self.visibility)
        self.clock = MotionClock(pace, latch, self.sim.publish_snapshot)
        self.player = MotionPlayer(self.sim, self.clock)
        self._visits: Counter[str] = Counter()

    def view_satisfied(self, state: HouseholdState) -> bool:
        """Return True if the camera sees what it should, and nothing that it should not."""
        expected = in_view(self.things, state)
        return all(map(self.geometry.in_view, expected)) and all(
            map(self.geometry.out_of_view, names_to_avoid(self.things, state))
        )

    def find_base_pose(self, state: HouseholdState) -> BasePose:
        """Return a base pose for a state, without moving the robot. Each call gives another one."""
        goal = state.focus or f"past {state.near}"
        rng = rng_for(self.built.seed, f"stand for {goal} {self._visits[goal]}")
        self._visits[goal] += 1
        return self._search(state, self._view_goal(state), rng)

    def find_side_pose(self, state: HouseholdState, degrees: float, name: str) -> BasePose:
        """Return a pose to look at the same thing from `degrees` around it; the same for the same name."""
        goal, here = self._view_goal(state), self.player.base_pose
        now = math.degrees(math.atan2(here.y - goal.target[1], here.x - goal.target[0]))
        goal = replace(goal, direction=now + degrees, spread=_SIDE_SPREAD)
        return self._search(state, goal, rng_for(self.built.seed, f"look {name}"))

    def take_initial_pose(self, state: HouseholdState) -> None:
        """Put the robot at the first start pose in the room's data that is free and shows nothing that the
        task names.

        Nothing is in view before the first `find`, furniture included, and the picture must agree. If no
        start pose qualifies, the robot stands at the room's south side and looks in.
        """
        data, navigation_map = self.built.scene.rooms[self._room(state)], self.navigation_map()
        rng, arm = rng_for(self.built.seed, "first look"), self.player.kinematics
        named = [*self.built.assignment.furniture, *self.built.assignment.things]
        for start in data.starts:
            for _ in range(_TRIES_PER_START):
                spot = np.array((*start.at, *start.towards)) + rng.uniform(-1, 1, 5) * _JITTER
                x, y, *towards = map(float, spot)
                base_pose = arm.pose_looking_at(x, y, (towards[0], towards[1], towards[2]))
                if not navigation_map.is_free(np.array([(base_pose.x, base_pose.y)]))[0]:
                    continue
                self.player.teleport(base_pose)
                if all(
                    self.geometry.behind_closed_door(n) or not self.visibility.visible_share(n) for n in named
                ):
                    return
        (x0, y0), (x1, y1) = data.free
        middle = (x0 + x1) / 2
        self.player.teleport(arm.pose_looking_at(middle, y0 + 0.3, (middle, y1, 0.9)))

    def navigation_map(self) -> NavigationMap:
        lying = tuple(  # to drive around
            body
            for name in self.built.assignment.things
            if self.visibility.surface_points(name)[:, 2].min() < 0.1
            for body in self.built.bodies[name]
        )
        return NavigationMap(self.sim, self.built.scene.robot.footprint, lying)

    def _room(self, state: HouseholdState) -> str:
        """Return the scene's room in which the robot stands."""
        return self.built.assignment.floors[self.things.floor(state.room)]

    # --- what to see --------------------------------------------------------------------------------

    def _view_goal(self, state: HouseholdState) -> ViewGoal:
        """Return the goal: aim at the focus, with what belongs to it in the picture too."""
        assignment = self.built.assignment
        focus = state.focus or state.near or next(iter(assignment.floors))
        place = state.places.get(focus, focus)
        if place == HAND:
            place = focus = self.things.floor(state.room)
        avoid = frozenset(
            n for n in names_to_avoid(self.things, state) if not self.geometry.behind_closed_door(n)
        )
        if kind := assignment.furniture.get(place):
            goal = self._furniture_goal(kind, focus if focus != place else "")
        else:
            goal = self._floor_goal(focus, place, avoid)
        if not state.focus:
            tilt = -0.45 if focus in assignment.floors else 0.30  # the floor is visible except above
            return replace(
                goal, max_distance=goal.max_distance + 0.4, avoid=avoid, look_past=100.0, tilt=tilt
            )
        return replace(goal, wanted_shares=_wanted_shares(self.things, state, focus), avoid=avoid)

    def _furniture_goal(self, kind: str, thing: str) -> ViewGoal:
        piece, pose = self.built.scene.furniture[kind], self.built.furniture_poses[kind]
        direction, spread = piece.view.stand
        side = -1 if self.geometry.ajar(kind) else 1  # beside its hinge, a half-open door hides what is in it
        towards = pose.yaw + direction + side * piece.view.open_side
        area = self.built.scene.rooms[piece.room].free
        if not thing:
            aim = _to_vec3(self.geometry.to_world_frame(kind, piece.view.aim))
            return ViewGoal(aim, piece.view.near, piece.view.far, area, towards, spread)
        near, far = (0.80, 1.15) if piece.inside else (0.66, 1.0)
        return ViewGoal(self._middle(thing), near, far, area, towards, spread)

    def _floor_goal(self, focus: str, floor: str, avoid: frozenset[str]) -> ViewGoal:
        room = self.built.scene.rooms[self.built.assignment.floors[floor]]
        if focus != floor:
            return ViewGoal(self._middle(focus), 0.62, 0.90, room.free)
        # a bare piece of floor, far from other things
        points = self.visibility.surface_points
        lying = [points(name).mean(0)[:2] for name in sorted(avoid) if name in self.built.bodies]
        spot = max(
            room.spots, key=lambda s: min((abs(s[0] - p[0]) + abs(s[1] - p[1]) for p in lying), default=0.0)
        )
        return ViewGoal((spot[0], spot[1], 0.0), 0.75, 0.95, room.free)

    def _middle(self, thing: str) -> Vec3:
        points = self.visibility.surface_points(thing)
        return _to_vec3((points.min(0) + points.max(0)) / 2)

    # --- where to stand -----------------------------------------------------------------------------

    def _search(self, state: HouseholdState, goal: ViewGoal, rng: np.random.Generator) -> BasePose:
        """Return the best of several candidate poses, or the present one; the same for the same generator."""
        saved = self.sim.joints
        kind = self.built.assignment.furniture.get(state.focus, "")
        was = self.sim.door_opening(kind) if kind in self.sim.max_door_angle else None
        if was is not None:  # leave room for its door
            self.sim.set_door_opening(kind, 1.0)
            self.sim.update_kinematics()
        plan = self.navigation_map()
        if was is not None:
            self.sim.set_door_opening(kind, was)
        scored: list[tuple[float, BasePose]] = []
        for x, y in _free_positions(goal, plan, rng):
            base_pose = self.player.kinematics.pose_looking_at(x, y, goal.target)
            if goal.look_past:
                side = 1 if rng.random() < 0.5 else -1
                base_pose = BasePose(x, y, base_pose.yaw + side * math.radians(goal.look_past), goal.tilt)
            self.player.teleport(base_pose)
            scored.append((self._score(goal, base_pose), base_pose))
        self.player.set_joints(saved)
        return max(scored, key=lambda found: found[0])[1] if scored else self.player.base_pose

    def _score(self, goal: ViewGoal, base_pose: BasePose) -> float:
        """Score a pose: about 1 if it sees everything; each thing to avoid outweighs everything wanted."""
        share_of = self.visibility.visible_share
        shares = {name: share_of(name) for name in goal.wanted_shares}
        fit = [min(shares[name] / wanted, 1.0) for name, wanted in goal.wanted_shares.items()]
        wrong = sum(share_of(name) > 0 for name in goal.avoid)
        missing = min(fit, default=1.0)
        more = np.mean([min(s, 0.95) for s in shares.values()]) if shares else 0.0
        far = math.hypot(goal.target[0] - base_pose.x, goal.target[1] - base_pose.y)
        near = 1 - (far - goal.min_distance) / max(goal.max_distance - goal.min_distance, 0.1)
        return missing - 1.5 * wrong + 0.04 * float(more) + 0.10 * near


def names_to_avoid(things: HouseholdObjects, state: HouseholdState) -> frozenset[str]:
    """Return what must not be in the picture: things out of view, and what the robot fails to find."""
    seen = in_view(things, state)
    loose = {m for m, place in state.places.items() if place != HAND and m not in seen}
    if not seen and state.near and state.near != state.held:
        loose.add(state.near)
    return frozenset(loose)


def _wanted_shares(things: HouseholdObjects, state: HouseholdState, focus: str) -> dict[str, float]:
    """Return the wanted visible shares, the focus first."""
    wanted = {focus: _FULL if focus in state.places else _PIECE}
    for name in sorted(in_view(things, state) - {focus}):
        wanted[name] = _SOME if name in state.places else _PIECE
    return wanted | {floor: _FLOOR for floor in things.floors.values() if floor in wanted}


def _free_positions(goal: ViewGoal, navigation_map: NavigationMap, rng: np.random.Generator) -> Any:
    """Return free positions around the target, in the order in which to try them."""
    for widen in (1.0, 1.35, 1.8, 4.0):
        count = _MAX_CANDIDATES * 2
        angle = np.radians(goal.direction + np.clip(rng.normal(0, 0.5, count), -1, 1) * goal.spread * widen)
        if goal.spread >= 180:
            angle = rng.uniform(-np.pi, np.pi, count)
        depth = (goal.max_distance - goal.min_distance) * min(widen, 1.8)
        far = rng.uniform(goal.min_distance, goal.min_distance + depth, count)
        spots = np.stack([goal.target[0] + far * np.cos(angle), goal.target[1] + far * np.sin(angle)], axis=1)
        (x0, y0), (x1, y1) = goal.area
        inside = (spots >= (x0, y0)).all(1) & (spots <= (x1, y1)).all(1)
        free = spots[inside][navigation_map.is_free(spots[inside])] if inside.any() else spots[:0]
        if len(free):
            return free[:_MAX_CANDIDATES]
    return ()


def _to_vec3(point: Sequence[float] | NDArray[np.float64]) -> Vec3:
    return float(point[0]), float(point[1]), float(point[2])
