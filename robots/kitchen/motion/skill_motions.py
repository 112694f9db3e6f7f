"""The motions of each skill from one state to the next, whether it succeeds or fails.

Each function gets the things that the skill acts on, and ends at the base pose that it began at, save `find`.
`animator.commit()` marks the moment from which the new facts hold. A situation is recognised by what the
household changed: a thing that fell, which is played at the end of each, or nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.household.state import HouseholdTransition
from robots.kitchen.motion.animator import Animator
from robots.kitchen.motion.drop_motion import play_drop
from robots.kitchen.motion.hand_targets import (
    find_floor_target,
    find_place_target,
    handle_position,
    offset_up,
)
from robots.kitchen.simulation.settling import settle_bodies

Vector = NDArray[np.float64]
_APPROACH_HEIGHT = 0.13  # metres above a place before going down to it
# Fractions by which a door that did not obey may stand open.
_AJAR, _WIDE = (0.36, 0.32, 0.28, 0.24, 0.20, 0.16, 0.13), (0.72, 0.85, 1.0)
_DOOR_MARGIN = 0.02  # fraction by which the door could open further and still hide what is behind it


def play_skill(animator: Animator, transition: HouseholdTransition) -> None:
    """Play the skill of a transition. Raises MotionHalted if a halt cuts it short."""
    if transition.failed_constraint:
        fail_gesture(animator)
        return
    skill, *things = transition.attempt_key
    SKILL_MOTIONS[skill](animator, transition, *things)
    if transition.dropped and transition.dropped[0] == animator.player.held:
        play_drop(animator, *transition.dropped)


def fail_gesture(animator: Animator) -> None:
    """Lift and lower the hand to show that the step cannot be done; nothing changes."""
    joints = animator.sim.joints
    up = joints.copy()
    up[4] += 0.08
    animator.player.move(up, 0.35)
    animator.player.move(joints, 0.35)


def find(animator: Animator, transition: HouseholdTransition, thing: str) -> None:
    player, after = animator.player, transition.after
    home = player.base_pose
    if transition.situation and after == transition.before:  # no free space: it sets out and comes back
        x, y = home.point_ahead(-0.25)
        player.turn_to(type(home)(x, y, home.yaw + 0.3, home.pitch))
        player.turn_to(home)
        return
    if transition.dropped:  # only after the drive
        fallen = transition.dropped[0]
        after = after.with_thing_at(fallen, transition.before.places[fallen])
    animator.drive_to(animator.find_base_pose(after))


def grasp(animator: Animator, transition: HouseholdTransition, thing: str) -> None:
    player = animator.player
    home = player.base_pose
    point = player.grasp_point(thing)
    player.reach(point, height_above=_APPROACH_HEIGHT)
    player.reach(point, 0.5)
    if not transition.succeeded and not transition.dropped:  # the gripper closes beside the thing
        player.move_fingers(0.008)
        player.reach(point, 0.4, height_above=_APPROACH_HEIGHT)
        player.finger_gap = 0.052
        player.turn_to(home)
        return
    animator.commit_change(lambda: player.grasp(thing)) if transition.succeeded else player.grasp(thing)
    player.reach(point, 0.5, height_above=_APPROACH_HEIGHT)
    player.turn_to(home)


def place(animator: Animator, transition: HouseholdTransition, thing: str, where: str) -> None:
    player = animator.player
    home = player.base_pose
    if where in animator.things.floors.values():
        target, home = find_floor_target(animator, thing, where)
        player.turn_to(home)
    else:
        target = find_place_target(animator, thing, where, transition.after)
    player.reach(target.grip_point, height_above=_APPROACH_HEIGHT)
    if not transition.succeeded:
        player.turn_to(home)
        return
    player.reach(target.grip_point, 0.5, height_above=0.02)
    animator.commit_change(player.release)
    animator.placements.place_at(thing, offset_up(target.underside, 0.004), target.yaw)
    settle_bodies(animator.sim, animator.clock, animator.built.bodies[thing], 0.6)
    player.reach(target.grip_point, 0.4, height_above=_APPROACH_HEIGHT)
    player.turn_to(home)


def swing_door(animator: Animator, transition: HouseholdTransition, name: str) -> None:
    """Open or close a door: the hand takes it along a little, then the robot makes way for it."""
    player, sim = animator.player, animator.sim
    kind = animator.built.assignment.furniture[name]
    home, start = player.base_pose, sim.door_opening(kind)
    end = _final_door_opening(animator, transition, name, kind)
    player.reach(handle_position(animator, kind), 0.8)

    def turn(progress: float, low: float = 0.0, high: float = 1.0) -> None:
        part = start + (end - start) * (low + (high - low) * progress)
        sim.set_door_opening(kind, part)
        if transition.succeeded and (part < 0.5) == (end < 0.5):
            animator.commit()

    early = start + 0.15 * (end - start)
    sim.set_door_opening(kind, early)
    sim.update_kinematics()
    pulled = handle_position(animator, kind)
    sim.set_door_opening(kind, start)
    sim.update_kinematics()
    player.reach(pulled, 0.5, on_progress=lambda p: turn(p, 0, 0.15))
    player.turn_to(home, on_progress=lambda p: turn(p, 0.15, 1))


def _final_door_opening(animator: Animator, transition: HouseholdTransition, name: str, kind: str) -> float:
    """Return the final opening of a door, from 0 (closed) to 1 (open).

    It lies between where the door did not obey, and what is behind it must stay visible or hidden as the
    facts say.
    """
    stays_closed = transition.after.holds("closed", name)
    if transition.succeeded:
        return 0.0 if stays_closed else 1.0
    now = animator.sim.door_opening(kind)

    behind = [m for m, where in transition.after.places.items() if where == name and stays_closed]

    def fits(part: float) -> bool:
        animator.sim.set_door_opening(kind, part + (_DOOR_MARGIN if behind else 0))
        animator.sim.update_kinematics()
        if any(animator.visibility.visible_share(m) > 0 for m in behind):
            return False
        animator.sim.set_door_opening(kind, part)
        animator.sim.update_kinematics()
        return animator.view_satisfied(transition.after)

    end = next((part for part in (_AJAR if stays_closed else _WIDE) if fits(part)), now)
    if stays_closed and end == now:  # the robot will step aside to look from elsewhere
        joints = animator.sim.joints
        for part in _AJAR[1::2]:
            animator.sim.set_door_opening(kind, part)
            animator.player.teleport(animator.find_base_pose(transition.after))
            if fits(part):
                end = part
                break
        animator.player.set_joints(joints)
    animator.sim.set_door_opening(kind, now)
    animator.sim.update_kinematics()
    return end


def fill_sink(animator: Animator, transition: HouseholdTransition, sink: str) -> None:
    player = animator.player
    home, kind = player.base_pose, animator.built.assignment.furniture[sink]
    player.reach(_button_position(animator, kind), 0.8)
    if transition.succeeded:
        animator.sim.set_looks(kind, animator.sim.looks(kind) | {"running"})
        _wait(animator, 0.8)
        animator.commit_change(lambda: animator.update_looks(transition.after))
    _wait(animator, 0.4)
    player.turn_to(home)


def fill(animator: Animator, transition: HouseholdTransition, thing: str, sink: str) -> None:
    player = animator.player
    home, kind = player.base_pose, animator.built.assignment.furniture[sink]
    middle = animator.geometry.to_world_frame(kind, (0, -0.02, 0.06))
    player.reach(middle, 0.8, height_above=_APPROACH_HEIGHT)
    player.reach(middle, 0.5)
    if transition.succeeded:
        animator.partly_filled -= {thing}
        animator.commit_change(lambda: animator.update_looks(transition.after))
    elif not transition.dropped:
        animator.partly_filled |= {thing}
        animator.update_looks(transition.after)
    player.reach(middle, 0.5, height_above=_APPROACH_HEIGHT)
    player.turn_to(home)


def turn_on(animator: Animator, transition: HouseholdTransition, device: str) -> None:
    player = animator.player
    home, kind = player.base_pose, animator.built.assignment.furniture[device]
    player.reach(_button_position(animator, kind), 0.8)
    if transition.succeeded:
        animator.commit_change(lambda: animator.update_looks(transition.after))
    _wait(animator, 0.2)
    player.turn_to(home)
    if transition.succeeded:
        _wait(animator, 0.8)


def cut(animator: Animator, transition: HouseholdTransition, knife: str, food: str) -> None:
    player, sim = animator.player, animator.sim
    home = player.base_pose
    points = animator.visibility.surface_points(food)
    middle, top = (points.min(0) + points.max(0)) / 2, float(points[:, 2].max())
    towards = np.array([np.cos(home.yaw), np.sin(home.yaw), 0])
    beside = np.zeros(3) if transition.succeeded else np.array([towards[1], -towards[0], 0]) * 0.07
    edge = np.array([middle[0], middle[1], top]) - 0.13 * towards + beside
    player.reach(edge, 0.8, height_above=0.10)
    player.reach(edge, 0.35, height_above=0.01)
    if transition.succeeded:
        foot = np.array([middle[0], middle[1], points[:, 2].min()])

        def part() -> None:
            sim.join_halves(food, False)
            animator.placements.place_at(food, offset_up(foot, 0.002), float(np.degrees(home.yaw)) - 90)
            animator.update_looks(transition.after)

        animator.commit_change(part)
        settle_bodies(sim, animator.clock, animator.built.bodies[food], 0.6)
    player.reach(edge, 0.4, height_above=0.12)
    player.turn_to(home)


def _button_position(animator: Animator, kind: str) -> Vector:
    piece = animator.built.scene.furniture[kind]
    return animator.geometry.to_world_frame(kind, piece.button or piece.view.aim)


def _wait(animator: Animator, seconds: float) -> None:
    animator.sim.update_kinematics()
    for _ in animator.clock.progress(seconds):
        pass


SKILL_MOTIONS: Mapping[str, Callable[..., None]] = MappingProxyType(
    {
        "find": find, "grasp": grasp, "placein": place, "placeon": place, "open": swing_door,
        "close": swing_door, "fillsink": fill_sink, "fill": fill, "turnon": turn_on, "cut": cut,
    }
)  # fmt: skip
