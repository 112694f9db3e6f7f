"""Whether the arm may be somewhere: its limits, and what it or what it holds would touch, by MuJoCo."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import mujoco
import numpy as np

from core.motion.frames import Frame
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.emulator.scene import GRAIN, TabletopScene
from robots.ur5e.kinematics import PARKED, Joints, VectorLike, inverse_kinematics, unwrap
from robots.ur5e.links import self_collision
from robots.ur5e.motion.situation import Poses

_TOUCH_M = -0.0007  # penetration from which two things count as touching
_SIDEWAYS = -0.2  # upward part of a push from which it holds something up
TABLE, ITSELF, LIMIT = "the table", "the arm itself", "a limit"
_OWN = frozenset((TABLE, ITSELF, LIMIT))


class Collisions:
    """One scene's geometry. One thread."""

    def __init__(self, scene: TabletopScene, limits: ArmLimits) -> None:
        self._limits = limits
        self._model = m = mujoco.MjModel.from_xml_string(scene.xml)
        m.opt.enableflags &= ~int(mujoco.mjtEnableBit.mjENBL_SLEEP)
        self._data = mujoco.MjData(m)
        solid = [thing.name for thing in scene.things if thing.kind is not GRAIN]
        for thing in scene.things:
            if thing.kind is GRAIN:  # they are where their container is, and only in physics
                body = m.body(thing.name)
                m.geom_contype[body.geomadr[0]] = m.geom_conaffinity[body.geomadr[0]] = 0
        self._id = {name: int(m.body(name).id) for name in solid}
        self._name = {i: name for name, i in self._id.items()}
        self._adr = {name: int(m.joint(name).qposadr[0]) for name in solid}
        arm = (*(f"link{i}" for i in range(6)), "hand", "left", "right")
        self._arm = frozenset(int(m.body(part).id) for part in arm)
        self._fingers = frozenset(int(m.body(part).id) for part in ("hand", "left", "right"))
        self._links = [int(m.body(f"link{i}").id) for i in range(2, 6)]
        self._tool = int(m.site("tcp").id)
        self.latest = frozenset[str]()  # what was touched when it was asked last
        self.tcp = np.eye(4)
        self.tcp[2, 3] = scene.gripper.reach

    def touched(
        self,
        poses: Poses,
        q: VectorLike | None = None,
        opening: float = 0.0,
        held: Collection[str] = (),
        apart_from: Collection[str] = (),
    ) -> frozenset[str]:
        """Return what the arm at `q`, and what it holds, would touch; without `q`, what is held only.

        A limit of the arm counts as touched. `opening`: metres that each finger has closed.
        """
        d, m = self._data, self._model
        d.qpos[:6] = PARKED if q is None else q
        d.qpos[6:8] = opening
        for name, adr in self._adr.items():
            f = poses[name]
            d.qpos[adr : adr + 3] = f[:3, 3]
            mujoco.mju_mat2Quat(d.qpos[adr + 3 : adr + 7], f[:3, :3].ravel())
        mujoco.mj_kinematics(m, d)
        if q is not None and self._outside(q):
            found = frozenset((LIMIT,))
        else:
            mujoco.mj_comPos(m, d)
            mujoco.mj_collision(m, d)
            found = frozenset(self._contacts(self._arm if q is not None else frozenset(), held, apart_from))
            if q is not None and not found and self_collision(q, self.tcp)[0]:
                found = frozenset((LIMIT,))  # the model's links are thinner than those of the arm's own check
        self.latest = found
        return found

    def _contacts(
        self, arm: frozenset[int], held: Collection[str], apart_from: Collection[str]
    ) -> Iterable[str]:
        mine = arm | {self._id[name] for name in held}
        ignored = {self._id[name] for name in apart_from}
        d, geom_body = self._data, self._model.geom_bodyid
        for number in np.flatnonzero(d.contact.dist[: d.ncon] <= _TOUCH_M):
            one, two = (int(geom_body[g]) for g in d.contact.geom[number])
            if one in mine and two in mine:
                if one in arm and two in arm and not {one, two} <= self._fingers:
                    yield ITSELF
            elif (one in mine or two in mine) and one not in ignored and two not in ignored:
                yield self._name.get(two if one in mine else one, TABLE)

    def leaning(self, poses: Poses, on: Collection[str]) -> frozenset[str]:
        """Return what leans on these things: what they hold up, while it touches the table as well."""
        self.touched(poses, held=on)
        d, geom_body, held_up, grounded = self._data, self._model.geom_bodyid, set[str](), set[str]()
        for number in range(d.ncon):
            one, two = (self._name.get(int(geom_body[g]), TABLE) for g in d.contact.geom[number])
            up = float(d.contact.frame[number, 2])  # of the way from the first to the second
            for under, over, rise in ((one, two, up), (two, one, -up)):
                if under in on and over not in (*on, TABLE) and rise > _SIDEWAYS:
                    held_up.add(over)
                if under == TABLE:
                    grounded.add(over)
        return frozenset(held_up & grounded)

    def _outside(self, q: VectorLike) -> bool:
        """Return what `limits.limit_violation` does of boxes, by the frames that MuJoCo has just computed."""
        d, limits = self._data, self._limits
        tool, low = d.site_xpos[self._tool], float(np.min(d.xpos[self._links, 2]))
        return bool(
            max(map(abs, q)) > limits.joint
            or np.any(tool < limits.lower)
            or np.any(tool > limits.upper)
            or low < limits.lower[2] + limits.clearance
        )

    def solutions(self, hand: Frame, near: VectorLike) -> list[Joints]:
        """Return the joints for a pose of the hand, the nearest first."""
        found = (unwrap(q, near, self._limits.joint) for q in inverse_kinematics(hand, self.tcp))
        return sorted(found, key=lambda q: sum((a - b) ** 2 for a, b in zip(q, near, strict=True)))


def things_of(touched: Iterable[str]) -> frozenset[str]:
    """Return the things among what is touched."""
    return frozenset(touched) - _OWN
