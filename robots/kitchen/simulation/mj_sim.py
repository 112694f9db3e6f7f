"""The compiled scene with its handles: place things, swing doors, switch looks, attach and release.

It knows nothing of tasks and facts. One thread at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.kitchen.scene.builder import CompiledScene
from robots.kitchen.scene.geom_builder import HIDDEN_GROUP, Quat, quat_multiply
from robots.kitchen.scene.robot_model import JOINTS

Vector = NDArray[np.float64]
_IDENTITY = np.array([1.0, 0, 0, 0])


@dataclass(frozen=True)
class RenderSnapshot:
    """Everything that a picture depends on. Never modified, so any thread may read it."""

    qpos: Vector
    groups: NDArray[np.uint8]


@dataclass(frozen=True)
class SimState:
    """The complete state of the physics."""

    qpos: Vector
    qvel: Vector
    groups: NDArray[np.uint8]
    active: NDArray[np.uint8]
    welds: Vector
    looks: Mapping[str, frozenset[str]]


class MjSim:
    def __init__(self, built: CompiledScene) -> None:
        self.built = built
        self.model: Any = built.model
        self.data: Any = mujoco.MjData(self.model)
        model = self.model
        self._robot_q = [model.joint(j).qposadr[0] for j in JOINTS]
        self._robot_v = [model.joint(j).dofadr[0] for j in JOINTS]
        self._free_q = {
            b: int(model.joint(f"{b} free").qposadr[0]) for bs in built.bodies.values() for b in bs
        }
        self._free_v = {b: int(model.joint(f"{b} free").dofadr[0]) for b in self._free_q}
        doors = {kind: piece.door for kind, piece in built.scene.furniture.items() if piece.door}
        self.max_door_angle = {kind: float(np.radians(door.open)) for kind, door in doors.items()}
        self._hinge = {kind: int(model.joint(f"{kind} hinge").qposadr[0]) for kind in self.max_door_angle}
        self._welds = {model.equality(k).name: k for k in range(model.neq)}
        self._looks: dict[str, frozenset[str]] = {}
        for name, bodies in built.bodies.items():
            if len(bodies) > 1:
                self.join_halves(name, True)
        mujoco.mj_forward(model, self.data)
        self.publish_snapshot()

    # --- things -------------------------------------------------------------------------------------

    def set_body_pose(
        self, body: str, at: Sequence[float] | Vector, quat: Sequence[float] | Vector = _IDENTITY
    ) -> None:
        """Place a free body, at rest. `at` in metres."""
        q, v = self._free_q[body], self._free_v[body]
        self.data.qpos[q : q + 3] = at
        self.data.qpos[q + 3 : q + 7] = quat
        self.data.qvel[v : v + 6] = 0

    def body_pose(self, body: str) -> tuple[Vector, Quat]:
        """Return position and orientation of a free body."""
        q = self._free_q[body]
        return self.data.qpos[q : q + 3].copy(), self.data.qpos[q + 3 : q + 7].copy()

    def set_body_velocity(
        self, body: str, velocity: Sequence[float] | Vector, spin: Sequence[float] | Vector = (0, 0, 0)
    ) -> None:
        v = self._free_v[body]
        self.data.qvel[v : v + 3] = velocity
        self.data.qvel[v + 3 : v + 6] = spin

    def max_speed(self, bodies: Iterable[str]) -> float:
        """Return the largest speed among free bodies, m/s; a rotation counts as that of a radius of 0.1 m."""
        found = [0.0]
        for body in bodies:
            v = self._free_v[body]
            found.append(float(np.linalg.norm(self.data.qvel[v : v + 3])))
            found.append(0.1 * float(np.linalg.norm(self.data.qvel[v + 3 : v + 6])))
        return max(found)

    def is_falling(self, body: str) -> bool:
        """Return True if nothing supports it: after a forward step, it accelerates downwards freely."""
        v = self._free_v[body]
        return float(self.data.qacc[v + 2]) < -5.0

    def in_contact(self, bodies: Iterable[str]) -> bool:
        """Return True if these free bodies touch anything in their current poses."""
        mujoco.mj_collision(self.model, self.data)
        ours = {int(self.model.body(body).id) for body in bodies}
        owner = self.model.geom_bodyid
        pairs = ((int(owner[c.geom1]), int(owner[c.geom2])) for c in self.data.contact)
        return any((a in ours) != (b in ours) for a, b in pairs)

    @property
    def free_bodies(self) -> tuple[str, ...]:
        return tuple(self._free_q)

    # --- doors --------------------------------------------------------------------------------------

    def door_opening(self, kind: str) -> float:
        """Return the opening of a door, from 0 (closed) to 1 (wide open)."""
        return float(self.data.qpos[self._hinge[kind]]) / self.max_door_angle[kind]

    def set_door_opening(self, kind: str, part: float) -> None:
        self.data.qpos[self._hinge[kind]] = part * self.max_door_angle[kind]
        self.data.qvel[self.model.joint(f"{kind} hinge").dofadr[0]] = 0

    # --- looks --------------------------------------------------------------------------------------

    def looks(self, owner: str) -> frozenset[str]:
        return self._looks.get(owner, frozenset())

    def set_looks(self, owner: str, looks: Iterable[str]) -> None:
        """Set the looks of a thing or a piece of furniture: exactly these are on."""
        on = frozenset(looks)
        if on == self.looks(owner) and owner in self._looks:
            return
        self._looks[owner] = on
        for look in self.built.looks:
            if look.owner == owner:
                shown = look.on <= on and look.off.isdisjoint(on)
                self.model.geom(look.geom).group = look.group if shown else HIDDEN_GROUP

    # --- the hand -----------------------------------------------------------------------------------

    def weld_to_hand(self, name: str) -> None:
        """Attach a thing to the hand in its current pose by equality constraints."""
        mujoco.mj_kinematics(self.model, self.data)
        for body in self.built.bodies[name]:
            self._activate_weld(f"hand+{body}", "hand", body)

    def release_from_hand(self, name: str) -> None:
        for body in self.built.bodies[name]:
            self.data.eq_active[self._welds[f"hand+{body}"]] = 0

    def join_halves(self, name: str, whole: bool) -> None:
        """Join the two halves of a thing, or separate them."""
        one, other = self.built.bodies[name]
        weld = self._welds[f"{one}+{other}"]
        if whole:
            self.model.eq_data[weld, :] = 0
            self.model.eq_data[weld, 6:10] = (0, 0, 0, 1)  # the other half is rotated by half a turn
            self.model.eq_data[weld, 10] = 1
        self.data.eq_active[weld] = whole

    def is_whole(self, name: str) -> bool:
        """Return True if a thing is in one piece."""
        bodies = self.built.bodies[name]
        return len(bodies) == 1 or bool(self.data.eq_active[self._welds[f"{bodies[0]}+{bodies[1]}"]])

    def _activate_weld(self, weld: str, one: str, other: str) -> None:
        a, b = self.data.body(one), self.data.body(other)
        back = np.zeros(4)
        mujoco.mju_negQuat(back, a.xquat)
        offset = np.zeros(3)
        mujoco.mju_rotVecQuat(offset, b.xpos - a.xpos, back)
        k = self._welds[weld]
        self.model.eq_data[k, :] = 0
        self.model.eq_data[k, 3:6] = offset
        self.model.eq_data[k, 6:10] = quat_multiply(back, b.xquat)
        self.model.eq_data[k, 10] = 1
        self.data.eq_active[k] = 1

    # --- the robot ----------------------------------------------------------------------------------

    @property
    def joints(self) -> Vector:
        """Return the joint positions in the order of JOINTS: metres and radians."""
        return np.array(self.data.qpos[self._robot_q])

    def set_joints(
        self, joints: Sequence[float] | Vector, speeds: Sequence[float] | Vector | None = None
    ) -> None:
        self.data.qpos[self._robot_q] = joints
        self.data.qvel[self._robot_v] = 0 if speeds is None else speeds

    # --- time ---------------------------------------------------------------------------------------

    def update_kinematics(self) -> None:
        """Update where everything is; no time passes."""
        mujoco.mj_kinematics(self.model, self.data)
        mujoco.mj_camlight(self.model, self.data)

    def publish_snapshot(self) -> None:
        """Make the current state the one that pictures show."""
        self.published = RenderSnapshot(self.data.qpos.copy(), self.model.geom_group.astype(np.uint8))

    def save_state(self) -> SimState:
        data = self.data
        return SimState(
            data.qpos.copy(),
            data.qvel.copy(),
            self.model.geom_group.astype(np.uint8),
            data.eq_active.copy(),
            self.model.eq_data.copy(),
            dict(self._looks),
        )

    def restore_state(self, saved: SimState) -> None:
        data = self.data
        data.qpos[:], data.qvel[:], data.eq_active[:] = saved.qpos, saved.qvel, saved.active
        data.qacc_warmstart[:] = 0
        self.model.geom_group[:] = saved.groups
        self.model.eq_data[:] = saved.welds
        self._looks = dict(saved.looks)
        self.update_kinematics()
