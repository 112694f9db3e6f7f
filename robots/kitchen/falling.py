"""Time for loose things: they fall and come to rest by physics, the same steps of it at any pace."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.kitchen.pace import Clock
from robots.kitchen.stage import Stage

Vector = NDArray[np.float64]
_REST = 0.02  # m/s: slower than this is at rest ...
_QUIET = 25  # ... after so many steps of it
_LONGEST = 2.4  # seconds until a fall counts as over


def settle(stage: Stage, clock: Clock, bodies: Collection[str], seconds: float = _LONGEST) -> None:
    """Time passes until these are at rest; robot and doors stay as they are. Raises Halted."""
    steps, total, done = _steps(stage, bodies, seconds), round(seconds / stage.model.opt.timestep), 0
    resting = False
    for beat in clock.beats(seconds):
        while done < round(beat * total) and not resting:
            resting = next(steps, True)
            done += 1
        stage.update()
        if resting:
            break
    _stop(stage, bodies)


def rehearse(stage: Stage, bodies: Collection[str], velocity: Vector, spin: Vector) -> None:
    """Let them fall with this speed, at once; nobody sees it. The caller restores the stage."""
    for body in bodies:
        stage.push(body, velocity, spin)
    for _ in _steps(stage, bodies, _LONGEST):
        pass
    stage.update()


def fall_to_the_end(stage: Stage, held: Collection[str], follow: Callable[[], None]) -> None:
    """What still falls when a halt took hold comes to rest, at once; `follow` keeps the held in the hand."""
    follow()
    loose = [body for body in stage.free_bodies if body not in held]
    mujoco.mj_forward(stage.model, stage.data)
    if stage.speed(loose) >= _REST or any(map(stage.falls, loose)):
        for _ in _steps(stage, loose, _LONGEST):
            follow()
        _stop(stage, loose)
    stage.update()


def held_doors(stage: Stage) -> Callable[[], None]:
    """Keeps all doors as they are now."""
    doors = {kind: stage.door(kind) for kind in stage.open_angle}

    def hold() -> None:
        for kind, part in doors.items():
            stage.swing(kind, part)

    return hold


def _steps(stage: Stage, bodies: Collection[str], seconds: float) -> Iterator[bool]:
    """One step of physics each, until these rest. Robot and doors are kept where they are."""
    joints, hold_doors, quiet = stage.joints, held_doors(stage), 0
    for _ in range(round(seconds / stage.model.opt.timestep)):
        mujoco.mj_step(stage.model, stage.data)
        stage.drive(joints)
        hold_doors()
        quiet = quiet + 1 if stage.speed(bodies) < _REST else 0
        if quiet >= _QUIET:
            return
        yield False


def _stop(stage: Stage, bodies: Collection[str]) -> None:
    for body in bodies:
        stage.push(body, (0, 0, 0))
    stage.update()
