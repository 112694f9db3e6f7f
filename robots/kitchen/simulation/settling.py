"""Let loose things fall and come to rest by physics, with the same physics steps at any pace."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.kitchen.simulation.mj_sim import MjSim
from robots.kitchen.simulation.motion_clock import MotionClock

Vector = NDArray[np.float64]
_REST_SPEED = 0.02  # m/s; a body slower than this is at rest ...
_REST_STEPS = 25  # ... after this many steps
_MAX_FALL_TIME = 2.4  # seconds after which a fall counts as over


def settle_bodies(
    sim: MjSim, clock: MotionClock, bodies: Collection[str], seconds: float = _MAX_FALL_TIME
) -> None:
    """Simulate until these bodies are at rest; robot and doors stay as they are. Raises MotionHalted."""
    steps, total, done = _physics_steps(sim, bodies, seconds), round(seconds / sim.model.opt.timestep), 0
    resting = False
    for beat in clock.progress(seconds):
        while done < round(beat * total) and not resting:
            resting = next(steps, True)
            done += 1
        sim.update_kinematics()
        if resting:
            break
    _stop_bodies(sim, bodies)


def simulate_fall(sim: MjSim, bodies: Collection[str], velocity: Vector, spin: Vector) -> None:
    """Let the bodies fall at this velocity, unseen and at once. The caller restores the state."""
    for body in bodies:
        sim.set_body_velocity(body, velocity, spin)
    for _ in _physics_steps(sim, bodies, _MAX_FALL_TIME):
        pass
    sim.update_kinematics()


def settle_all(sim: MjSim, held: Collection[str], follow: Callable[[], None]) -> None:
    """After a halt, let all that falls come to rest at once; `follow` keeps held things in the hand."""
    follow()
    loose = [body for body in sim.free_bodies if body not in held]
    mujoco.mj_forward(sim.model, sim.data)
    if sim.max_speed(loose) >= _REST_SPEED or any(map(sim.is_falling, loose)):
        for _ in _physics_steps(sim, loose, _MAX_FALL_TIME):
            follow()
        _stop_bodies(sim, loose)
    sim.update_kinematics()


def fix_doors(sim: MjSim) -> Callable[[], None]:
    """Return a function that puts all doors back to where they are now."""
    doors = {kind: sim.door_opening(kind) for kind in sim.max_door_angle}

    def hold() -> None:
        for kind, part in doors.items():
            sim.set_door_opening(kind, part)

    return hold


def _physics_steps(sim: MjSim, bodies: Collection[str], seconds: float) -> Iterator[bool]:
    """Yield after each physics step until the bodies rest. Robot and doors are kept where they are."""
    joints, hold_doors, quiet = sim.joints, fix_doors(sim), 0
    for _ in range(round(seconds / sim.model.opt.timestep)):
        mujoco.mj_step(sim.model, sim.data)
        sim.set_joints(joints)
        hold_doors()
        quiet = quiet + 1 if sim.max_speed(bodies) < _REST_SPEED else 0
        if quiet >= _REST_STEPS:
            return
        yield False


def _stop_bodies(sim: MjSim, bodies: Collection[str]) -> None:
    for body in bodies:
        sim.set_body_velocity(body, (0, 0, 0))
    sim.update_kinematics()
