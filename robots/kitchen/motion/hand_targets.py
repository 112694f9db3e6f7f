"""Targets of the hand: a free place for what it puts down, the handle of a door."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.household.state import HouseholdState
from robots.kitchen.motion.animator import Animator
from robots.kitchen.scene.builder import rng_for
from robots.kitchen.simulation.arm_kinematics import BasePose

Vector = NDArray[np.float64]
MIN_SEPARATION = 1.1  # metres between things on a floor, so that each can be looked at alone


@dataclass(frozen=True)
class PlaceTarget:
    """A target. The underside comes to `foot`, the gripper lets go at `grip`; `yaw` is in degrees."""

    underside: Vector
    grip_point: Vector
    yaw: float


def offset_up(point: Vector, height: float) -> Vector:
    """Return the point `height` above it."""
    raised: Vector = point + np.array((0, 0, height))
    return raised


def find_place_target(animator: Animator, thing: str, where: str, after: HouseholdState) -> PlaceTarget:
    """Return the first free spot at which the thing is visible from where the robot stands. Nothing moves."""
    saved, held = animator.sim.save_state(), animator.player.grip_state()
    base_pose = animator.sim.joints
    animator.player.release()

    def seen() -> bool:
        return not after.focus or animator.geometry.in_view(thing)

    foot = animator.placements.place_free(thing, where, animator.built.seed, seen)
    animator.sim.restore_state(saved)
    animator.player.restore_grip(held)
    animator.player.set_joints(base_pose)
    return _make_target(animator, thing, foot)


def find_floor_target(animator: Animator, thing: str, where: str) -> tuple[PlaceTarget, BasePose]:
    """Return a bare place on the floor in front of the robot, and the base pose that looks at it.

    The robot turns as little as needed to have that place, and no other thing on the floor, in its picture.
    """
    begin, plan = animator.player.base_pose, animator.navigation_map()
    (x0, y0), (x1, y1) = animator.built.scene.rooms[animator.built.assignment.floors[where]].area
    rng = rng_for(animator.built.seed, f"{thing} on {where}")
    others = [n for n in animator.built.assignment.things if n != thing]
    lying = [animator.visibility.surface_points(n).mean(0)[:2] for n in others]
    best: tuple[float, Vector, BasePose] | None = None
    joints = animator.sim.joints
    for turn in (0, 35, -35, 70, -70, 110, -110, 150, -150, 180):
        base_pose = replace(
            begin, yaw=begin.yaw + math.radians(turn), pitch=min(max(begin.pitch, 0.80), 0.95)
        )
        animator.player.teleport(base_pose)
        wrong = sum(animator.visibility.visible_share(n) > 0 for n in others)
        for _ in range(12):
            x, y = base_pose.point_ahead(rng.uniform(0.72, 1.0), rng.uniform(-0.10, 0.24))
            spot = np.array([x, y, 0.0])
            alone = min((float(np.linalg.norm(spot[:2] - o)) for o in lying), default=MIN_SEPARATION)
            gap = min(float(plan.distance(spot[:2])[0]), 0.3)
            if not (x0 < x < x1 and y0 < y < y1):
                gap = -1.0
            score = 3 * gap + min(alone, MIN_SEPARATION) - 2 * wrong
            if best is None or score > best[0]:
                best = (score, spot, base_pose)
        if best and best[0] > 1.5:
            break
    animator.player.set_joints(joints)
    assert best
    return _make_target(animator, thing, best[1]), best[2]


def _make_target(animator: Animator, thing: str, foot: Vector) -> PlaceTarget:
    """Make the target that keeps the orientation in which it is carried: it does not jump when released."""
    built, player = animator.built, animator.player
    kind = built.assignment.things[thing]
    piece, scale = animator.placements.thing_spec(thing)
    grip = built.scene.things[kind.kind].grip
    shift, turn = (grip.shift, grip.turn) if grip else ((0.0, 0.0, -0.03), 0.0)
    origin = offset_up(foot, piece.rest * scale[2])
    yaw = float(player.reach_joints(origin)[2])
    back = np.array([math.cos(yaw) * shift[0], math.sin(yaw) * shift[0], shift[2]])
    return PlaceTarget(foot, origin - back, math.degrees(yaw) + turn)


def handle_position(animator: Animator, kind: str) -> Vector:
    """Return where the door's handle is now."""
    door = animator.built.scene.furniture[kind].door
    assert door
    frame = animator.sim.data.body(f"{kind} door")
    return np.asarray(frame.xmat.reshape(3, 3) @ np.asarray(door.handle) + frame.xpos)
