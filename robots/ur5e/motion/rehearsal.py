"""Do a step in physics before it is believed: from the saved state of the step before, once."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from core.motion.frames import Frame, frame
from core.planning_model import Step
from robots.ur5e.emulator.plant import DT_S, Plant
from robots.ur5e.emulator.scene import TabletopScene
from robots.ur5e.kinematics import (
    PARKED,
    Joints,
    Transform,
    forward_kinematics,
    invert_transform,
    pose_distance,
)
from robots.ur5e.motion.situation import Poses, Situation, is_inside, reaches_into

_FREE_SPEED, _LINE_SPEED = 1.0, 0.5  # rad/s of the fastest joint
_GRIP_S, _GRIP_SPEED, _GRIP_FORCE_N = 0.45, 0.1, 40.0
_SETTLE_S = 0.1
_SLIPPED_M, _ROLLED_M, _PUSHED_M = 0.015, 0.05, 0.02  # in the hand; of what is put down; of anything else
_AS_PLANNED_M, _AS_TURNED = 0.006, 0.1  # metres, radians
SHARE_POURED, _REHEARSED_SHARE = 0.75, 0.85  # of the grains that have to land; a plan has some to spare


@dataclass(frozen=True)
class _Saved:
    data: Any
    q: NDArray[np.float64]
    opening: float
    command: float


class Rehearsal:
    """A plant of its own, in which steps are tried faster than in real time. `watch` is called after each
    20th part of a second of it. One thread."""

    def __init__(
        self, scene: TabletopScene, tcp: Transform, watch: Callable[[Plant], None] | None = None
    ) -> None:
        self.plant = Plant(scene)
        self._tcp, self._watch, self._ticks = tcp, watch, 0
        self._stroke = scene.gripper.stroke
        self._zero = np.zeros(6)
        self._q, self._closed = np.array(PARKED), 0.0

    def begin(self, poses: Poses, q: Joints = PARKED, opening: float = 0.0) -> None:
        """Put the arm and everything else where it is, and let it settle; a hand that has closed grips."""
        model, data = self.plant.model, self.plant.data
        mujoco.mj_resetData(model, data)
        data.qpos[:6], data.qpos[6:8] = q, opening
        for name, f in poses.items():
            if name in self.plant.things:
                self.plant.set_thing_pose(name, f[:3, 3], f[:3, :3])
        self._q, self._closed = np.array(q), self._stroke / 2 if opening else 0.0
        self.plant.forget_fingers(opening)
        self._hold(0.2)

    def rehearse(
        self, before: Situation, after: Situation, step: Step, grains: Poses | None = None
    ) -> Situation | str:
        """Return the world as the step leaves it, or why it fails.

        Where the state of the world before it is not saved, it begins with everything where `before` and
        `grains` say.
        """
        if before.state is None:
            self.begin({**before.poses, **(grains or {})}, before.q, before.opening)
        else:
            self._load(before.state)
        self.carry_out(after.moves)
        seen = self.poses()
        poses = {**after.poses, **{name: f for name, f in seen.items() if name in after.kinds}}
        if fault := _fault(after, poses, step) or self._spilt(before, after, poses, seen, step):
            return fault
        grasp = None
        if after.held:
            grasp = invert_transform(poses[after.held]) @ forward_kinematics(after.q, self._tcp)
        inside = {
            n: c
            for n, c in after.inside.items()
            if reaches_into(after.kinds[n], poses[n], poses[c], after.kinds[c])
        }
        after = replace(after, poses=poses, inside=inside, loose=(), unsettled=False)
        return replace(after, grasp=grasp, state=self._save())

    def carry_out(self, moves: Iterable[Any]) -> None:
        for kind, *values in moves:
            match kind:
                case "grip":
                    self._closed = (self._stroke - values[0]) / 2
                    self._hold(_GRIP_S)
                case "wait":
                    self._hold(values[0])
                case "free":
                    for leg in pairwise(values):
                        self._follow(leg, _FREE_SPEED)
                case _:
                    self._follow(values, _LINE_SPEED)
        self._hold(_SETTLE_S)

    @property
    def is_closed(self) -> bool:
        """Return True if the hand is closing, or has closed."""
        return self._closed > 0

    def stay(self) -> None:
        """Stay where the arm is by now, until its next move."""
        self._q = self.plant.q

    def poses(self) -> dict[str, Frame]:
        return {
            name: frame(turned, at)
            for name in self.plant.things
            for at, turned in [self.plant.thing_pose(name)]
        }

    def _follow(self, points: Collection[Any], speed: float) -> None:
        """Follow joints without a stop between them, slowly at both ends."""
        way = np.array(points)
        lengths = np.maximum(np.max(np.abs(np.diff(way, axis=0)), axis=1), 1e-9)
        at = np.concatenate(([0.0], np.cumsum(lengths)))
        ticks = max(2, int(1.3 * at[-1] / speed / DT_S))
        course = (0.5 - 0.5 * np.cos(np.pi * np.arange(ticks + 1) / ticks)) * at[-1]
        joints = np.column_stack([np.interp(course, at, way[:, j]) for j in range(6)])
        for last, now in pairwise(joints):
            self._tick(now, (now - last) / DT_S)
        self._q = way[-1]

    def _hold(self, seconds: float) -> None:
        for _ in range(int(seconds / DT_S)):
            self._tick(self._q, self._zero)

    def _tick(self, q: NDArray[np.float64], qd: NDArray[np.float64]) -> None:
        self.plant.step(q, qd, self._zero)
        self.plant.drive_fingers(self._closed, _GRIP_SPEED, _GRIP_FORCE_N)
        self._ticks += 1
        if self._watch and self._ticks % 25 == 0:
            self._watch(self.plant)

    def _spilt(self, before: Situation, after: Situation, poses: Poses, seen: Poses, step: Step) -> str:
        """Return why what was poured is not where it belongs, or ""."""
        if step.name != "pour":
            return ""
        name, target = step.args[0], step.args[-1]
        container = before.kinds[name]
        if any(is_inside(poses[b], poses[name], container) for b in before.carried(name)[1:]):
            return f"something is still in the {name}"
        grains = [f for grain, f in seen.items() if grain not in after.kinds]
        into = before.kinds.get(target)
        if name in before.full and into is not None:
            landed = sum(is_inside(f, poses[target], into) for f in grains)
            if landed < _REHEARSED_SHARE * len(grains):
                return f"{len(grains) - landed} of {len(grains)} grains missed the {target}"
        return ""

    def _save(self) -> _Saved:
        data = mujoco.MjData(self.plant.model)
        mujoco.mj_copyData(data, self.plant.model, self.plant.data)
        return _Saved(data, self._q.copy(), self._closed, self.plant.finger_command)

    def _load(self, saved: _Saved) -> None:
        mujoco.mj_copyData(self.plant.data, self.plant.model, saved.data)
        self._q, self._closed = saved.q.copy(), saved.opening
        self.plant.forget_fingers(saved.command)


def _fault(after: Situation, poses: Poses, step: Step) -> str:
    """Return what moved that should not have, or ""."""
    name = step.args[0]
    off = {
        n: float(np.linalg.norm(poses[n][:3, 3] - f[:3, 3]))
        for n, f in after.poses.items()
        if n == name or n not in (*after.loose, *after.falling)
    }
    if step.name in ("pick", "pour"):
        return f"the {name} slips in the hand by {1000 * off[name]:.0f} mm" if off[name] > _SLIPPED_M else ""
    if name in after.inside:  # it may fall to the bottom
        off[name] = float(np.linalg.norm(poses[name][:2, 3] - after.poses[name][:2, 3]))
    if off[name] > _ROLLED_M:
        return f"the {name} rolls away by {1000 * off[name]:.0f} mm"
    others = {n: v for n, v in off.items() if n != name and n not in after.inside and v > _PUSHED_M}
    pushed = max(others, key=lambda n: others[n], default="")
    return f"the {pushed} is pushed by {1000 * others[pushed]:.0f} mm" if pushed else ""


def as_planned(planned: Poses, came: Poses, round_: Collection[str] = ()) -> bool:
    """Return True if everything came to lie near enough to where it was planned."""
    off = ((name, *pose_distance(f, came[name])) for name, f in planned.items())
    return all(d <= _AS_PLANNED_M and (turn <= _AS_TURNED or name in round_) for name, d, turn in off)
