"""The physics, by MuJoCo: the arm under computed torque, its gripper, and the things that it touches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.ur5e.emulator.scene import FINGER_KP_N_PER_M, MAX_TORQUES, TabletopScene
from robots.ur5e.kinematics import rotation_matrix
from robots.ur5e.links import LINKS

DT_S = 0.002  # of one tick
_REST_SPEED, _REST_TICKS = 1e-6, 100  # m/s or rad/s below which, and for how long, all is at rest
_STIFFNESS, _DAMPING = 80.0**2, 2 * 80.0  # of the joint controller, 1/s2 and 1/s


class Plant:
    """One moving scene. Belongs to the emulator's thread."""

    def __init__(self, scene: TabletopScene) -> None:
        self.scene = scene
        self.model: Any = mujoco.MjModel.from_xml_string(scene.xml)
        self.data: Any = mujoco.MjData(self.model)
        self.data.qpos[:6] = scene.start
        mujoco.mj_forward(self.model, self.data)
        self._limit = np.array(MAX_TORQUES)
        self._acceleration = np.zeros(self.model.nv)
        self._torque = np.zeros(self.model.nv)
        self._grip_command = 0.0
        self._adr = {t.name: int(self.model.joint(t.name).qposadr[0]) for t in scene.things}
        self._body = {t.name: int(self.model.body(t.name).id) for t in scene.things}
        grips = ("cup",) if scene.gripper.is_cup else ("left", "right", "hand")
        self._pads = {int(self.model.body(n).id) for n in grips}
        links = [int(self.model.body(f"link{i}").id) for i in range(6)]
        self._links = dict(zip(links, LINKS, strict=False))
        self._links |= dict.fromkeys(self._pads | {int(self.model.body("hand").id)}, LINKS[6])
        self._calm = 0  # ticks in a row in which nothing moved
        self.grip_lost = False  # fault: the fingers yield, or the cup leaks

    @property
    def at_rest(self) -> bool:
        """Return True if another step with the same targets would change nothing, as when MuJoCo sleeps."""
        return self._calm > _REST_TICKS

    # --- the arm -------------------------------------------------------------------------------------------

    @property
    def q(self) -> NDArray[np.float64]:
        return np.array(self.data.qpos[:6])

    @property
    def qd(self) -> NDArray[np.float64]:
        return np.array(self.data.qvel[:6])

    @property
    def torques(self) -> NDArray[np.float64]:
        return self._torque[:6].copy()

    @property
    def contact_torques(self) -> NDArray[np.float64]:
        """Return the joint torques caused by contacts, in N m."""
        return np.array(self.data.qfrc_constraint[:6])

    def self_contact(self) -> str:
        """Return which two links of the arm touch each other, "" if none do."""
        for pair in self.model.geom_bodyid[self.data.contact.geom]:
            one, other = (self._links.get(int(body), "") for body in pair)
            if one and other and one != other:
                return f"the {one} and the {other}"
        return ""

    def step(
        self,
        q: NDArray[np.float64],
        qd: NDArray[np.float64],
        qdd: NDArray[np.float64],
        compliant: bool = False,
    ) -> None:
        """Step one tick towards these joints; if `compliant`, compensate only gravity: a hand may move it."""
        data = self.data
        if compliant:
            self._torque[:6] = data.qfrc_bias[:6] - 8.0 * data.qvel[:6]
        else:
            self._acceleration[:6] = qdd + _STIFFNESS * (q - data.qpos[:6]) + _DAMPING * (qd - data.qvel[:6])
            mujoco.mj_mulM(self.model, data, self._torque, self._acceleration)
            self._torque[:6] += data.qfrc_bias[:6]
        np.clip(self._torque[:6], -self._limit, self._limit, out=self._torque[:6])
        data.qfrc_applied[:6] = self._torque[:6]
        mujoco.mj_step(self.model, data)
        fast = compliant or max(data.qvel.max(), -data.qvel.min()) > _REST_SPEED
        self._calm = 0 if fast else self._calm + 1

    # --- the gripper ---------------------------------------------------------------------------------------

    def suck(self, on: bool) -> bool:
        """Have the cup suck this tick, or not. Return True if it holds something."""
        self._command(float(on and not self.grip_lost))
        return bool(self.data.ctrl[0]) and bool(self.grasped_things())

    @property
    def finger_position(self) -> float:
        """Return the metres that each finger has closed, from 0 to half the stroke."""
        return 0.0 if self.scene.gripper.is_cup else float(self.data.qpos[6] + self.data.qpos[7]) / 2

    def drive_fingers(self, goal: float, speed: float, force: float) -> None:
        """Drive one tick towards `goal` (m that each finger closes), at m/s of the stroke and N of both."""
        now = self.finger_position
        slack = force / 2 / FINGER_KP_N_PER_M
        step = speed / 2 * DT_S
        if self.grip_lost:
            goal, step = 0.0, 0.03 * DT_S
        command = self._grip_command + max(-step, min(step, goal - self._grip_command))
        self._command(max(now - slack, min(now + slack, command)))

    def _command(self, value: float) -> None:
        """Command the fingers to be where each has closed by so many metres, or the cup to suck, 0 or 1."""
        if value != self._grip_command:
            self.data.ctrl[:] = self._grip_command = value
            self._calm = 0

    @property
    def finger_command(self) -> float:
        """Return where the fingers are commanded to be, in metres that each has closed."""
        return self._grip_command

    def forget_fingers(self, command: float = 0.0) -> None:
        """Take up another command of the fingers, as after other data were loaded."""
        self._grip_command, self._calm = command, 0

    # --- the things ----------------------------------------------------------------------------------------

    def thing_pose(self, name: str) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the position of a thing's centre and its rotation, 3 x 3."""
        body = self._body[name]
        return self.data.xpos[body].copy(), self.data.xmat[body].reshape(3, 3).copy()

    @property
    def things(self) -> tuple[str, ...]:
        return tuple(self._adr)

    def set_thing_pose(
        self, name: str, at: Sequence[float] | NDArray[np.float64], turn: float | NDArray[np.float64] = 0.0
    ) -> None:
        """Put a thing somewhere at rest, as a person's hand would.

        `turn` is about the vertical, in radians, or a rotation, 3 x 3.
        """
        turned = rotation_matrix((0, 0, turn)) if isinstance(turn, float) else turn
        adr = self._adr[name]
        self.data.qpos[adr : adr + 3] = at
        mujoco.mju_mat2Quat(self.data.qpos[adr + 3 : adr + 7], np.ascontiguousarray(turned).ravel())
        dof = int(self.model.joint(name).dofadr[0])
        self.data.qvel[dof : dof + 6] = 0
        self._calm = 0
        mujoco.mj_forward(self.model, self.data)

    def set_thing_velocity(self, name: str, speed: Sequence[float]) -> None:
        """Give a thing this velocity, m/s."""
        dof = int(self.model.joint(name).dofadr[0])
        self.data.qvel[dof : dof + 3] = speed
        self._calm = 0

    def grasped_things(self) -> frozenset[str]:
        """Return the things that touch two parts of the hand, or the cup while it sucks."""
        if self.scene.gripper.is_cup and not self.data.ctrl[0]:
            return frozenset()
        bodies: dict[int, set[int]] = {}
        geoms = self.model.geom_bodyid
        for pair in self.data.contact.geom:
            one, other = int(geoms[pair[0]]), int(geoms[pair[1]])
            for pad, thing in ((one, other), (other, one)):
                if pad in self._pads:
                    bodies.setdefault(thing, set()).add(pad)
        return frozenset(
            n for n, b in self._body.items() if len(bodies.get(b, ())) >= min(2, len(self._pads))
        )

    @property
    def state(self) -> tuple[float, ...]:
        """Return all positions, for a camera elsewhere; rounded, so that a scene at rest looks the same."""
        return tuple(round(float(v), 5) for v in self.data.qpos)
