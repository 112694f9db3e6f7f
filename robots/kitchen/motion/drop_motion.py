"""Let a thing slip from the hand and come to lie on the floor, out of view, by physics."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.motion.animator import Animator
from robots.kitchen.motion.hand_targets import MIN_SEPARATION
from robots.kitchen.scene.builder import rng_for
from robots.kitchen.simulation.settling import settle_bodies, simulate_fall

Vector = NDArray[np.float64]
_MAX_THROWS = 16


def play_drop(animator: Animator, thing: str, floor: str) -> None:
    """Move the hand in, and let the thing slip from it and fall beside the robot.

    Falls are simulated until one ends as the facts say; only that one is played. If none does, the thing is
    laid on the floor, and a remark says so.
    """
    player, sim = animator.player, animator.sim
    home = player.base_pose
    joints = sim.joints
    joints[4:9] = player.kinematics.solve_reach(0.34, 0.95, float(joints[8]))
    player.move(joints, 0.4)
    animator.partly_filled -= {thing}
    animator.commit_change(player.release)
    sim.set_looks(thing, sim.looks(thing) - {"filled", "partly", "cooked"})
    push = _find_fall(animator, thing, floor)
    if push is None:  # it cannot fall there by itself, so it is laid there
        laid = f"no fall of {thing} ended in a free place out of view, so it was laid on {floor}"
        animator.last_remark = laid
        animator.placements.place_free(
            thing, floor, animator.built.seed, lambda: animator.geometry.out_of_view(thing)
        )
    else:
        for name in animator.built.bodies[thing]:
            sim.set_body_velocity(name, *push)
        settle_bodies(sim, animator.clock, animator.built.bodies[thing])
    player.turn_to(home)


def _find_fall(animator: Animator, thing: str, floor: str) -> tuple[Vector, Vector] | None:
    """Return velocity and spin with which the thing comes to lie there, out of view; None if none does."""
    sim, reading = animator.sim, animator.geometry
    first = animator.built.bodies[thing][0]
    for velocity, spin in _candidate_throws(animator, thing, floor):
        saved = sim.save_state()
        simulate_fall(sim, animator.built.bodies[thing], velocity, spin)
        at, quat = sim.body_pose(first)
        lies = reading.location_of(thing) == floor and reading.out_of_view(thing)
        near = float(np.linalg.norm(at[:2] - sim.joints[:2])) < animator.built.scene.robot.footprint + 0.08
        upright = not _is_flat(animator, thing) or _upright_cosine(quat) > 0
        sim.restore_state(saved)
        if lies and not near and upright:
            return velocity, spin
    return None


def _candidate_throws(animator: Animator, thing: str, floor: str) -> Iterator[tuple[Vector, Vector]]:
    """Yield throws to bare places beside and behind the robot, the hand's own slip first."""
    base_pose, plan = animator.player.base_pose, animator.navigation_map()
    (x0, y0), (x1, y1) = animator.built.scene.rooms[animator.built.assignment.floors[floor]].area
    start, _ = animator.sim.body_pose(animator.built.bodies[thing][0])
    seconds = math.sqrt(2 * max(start[2] - 0.05, 0.05) / 9.81)
    rng = rng_for(animator.built.seed, f"{thing} falls on {floor} from {start.round(3).tolist()}")
    count = 0
    others = [
        animator.visibility.surface_points(n).mean(0)[:2]
        for n in animator.built.assignment.things
        if n != thing
    ]
    for k in range(60 * _MAX_THROWS):
        angle, far = rng.uniform(math.radians(35), math.radians(150)), rng.uniform(0.50, 0.95)
        left = -1 if rng.random() < 0.65 else 1  # mostly to the side of the arm
        x, y = base_pose.point_ahead(far * math.cos(angle), left * far * math.sin(angle))
        if not (x0 + 0.15 < x < x1 - 0.15 and y0 + 0.15 < y < y1 - 0.15):
            continue
        if float(plan.distance(np.array([x, y]))[0]) < 0.22:
            continue
        alone = min((float(np.hypot(*(o - (x, y)))) for o in others), default=MIN_SEPARATION)
        if alone < MIN_SEPARATION * (1 - k / (40 * _MAX_THROWS)):
            continue
        flat = (np.array([x, y]) - start[:2]) / seconds * 0.85  # it slides a little further
        yield np.array([*flat, 0.0]), rng.uniform(-1.5, 1.5, 3)
        count += 1
        if count == _MAX_THROWS:
            return


def _is_flat(animator: Animator, thing: str) -> bool:
    """Return True if the thing is flat, so that nobody could tell that it lies on its face."""
    low, high = animator.geometry.height_range(thing)
    return (
        high - low < animator.geometry.radius(thing) and not animator.placements.thing_spec(thing)[0].halves
    )


def _upright_cosine(quat: Vector) -> float:
    """Return the cosine of the angle between the thing's own z axis and the vertical."""
    return float(1 - 2 * (quat[1] ** 2 + quat[2] ** 2))
