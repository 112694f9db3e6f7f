"""The robot's own movements in the simulation: drive, reach, grasp, release.

The end of a movement does not depend on the pace. On the way, physics is only for show; at the end the robot
is where it should be, what it holds is where the hand has it, and everything else is where it was.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.kitchen.scene.geom_builder import Quat, quat_from_yaw, quat_multiply
from robots.kitchen.scene.schema import GraspSpec
from robots.kitchen.simulation.arm_kinematics import (
    CARRY_POSITIONS,
    OPEN_GAP,
    ArmKinematics,
    BasePose,
    Joints,
    base_pose_of,
)
from robots.kitchen.simulation.mj_sim import MjSim
from robots.kitchen.simulation.motion_clock import FPS, MotionClock, smoothstep
from robots.kitchen.simulation.navigation_map import NavigationMap
from robots.kitchen.simulation.placement_sampler import half_pose
from robots.kitchen.simulation.settling import fix_doors

Vector = NDArray[np.float64]
SHOULDER_CLEARANCE = 0.30  # metres above the target, so that the forearm comes down clear of counters


class MotionPlayer:
    def __init__(self, sim: MjSim, clock: MotionClock) -> None:
        self.sim, self.clock = sim, clock
        data = sim.built.scene.robot
        self.kinematics = ArmKinematics(data, float(sim.model.body("head").pos[2]))
        self.held = ""
        self.finger_gap = OPEN_GAP
        self._carried: dict[str, tuple[Vector, Quat]] = {}  # body -> position and orientation in the hand

    # --- where the robot is -------------------------------------------------------------------------

    @property
    def base_pose(self) -> BasePose:
        return base_pose_of(self.sim.joints)

    @property
    def _roll(self) -> float:
        grip = self._grip(self.held) if self.held else None
        return math.radians(grip.roll) if grip else 0.0

    def _grip(self, name: str) -> GraspSpec:
        built = self.sim.built
        kind = built.assignment.things[name].kind
        return built.scene.things[kind].grip or GraspSpec((0, 0, -0.03), 0.04)

    def joints_at(self, base_pose: BasePose) -> Joints:
        """Return the robot's joints at this pose. A held thing is carried close enough to touch nothing."""
        if not self.held:
            return self.kinematics.joints_at(base_pose, self.finger_gap)
        here, held = self.sim.joints, [self.sim.body_pose(body) for body in self._carried]
        goal = here
        for nearer in range(len(CARRY_POSITIONS)):
            goal = self.kinematics.joints_at(base_pose, self.finger_gap, True, self._roll, nearer)
            self.set_joints(goal)
            if not self.sim.in_contact(self._carried):
                break
        self.sim.set_joints(here)
        for body, (at, quat) in zip(self._carried, held, strict=True):
            self.sim.set_body_pose(body, at, quat)
        self.sim.update_kinematics()
        return goal

    def teleport(self, base_pose: BasePose) -> None:
        """Move there at once, with what is in the hand."""
        self.set_joints(self.joints_at(base_pose))

    def set_joints(self, joints: Joints) -> None:
        """Set these joints at once, with what is in the hand."""
        self.sim.set_joints(joints)
        self.move_carried()
        self.sim.update_kinematics()

    def move_carried(self) -> None:
        """Put what is held exactly where the hand has it."""
        if not self._carried:
            return
        mujoco.mj_kinematics(self.sim.model, self.sim.data)
        hand = self.sim.data.body("hand")
        for body, (offset, turn) in self._carried.items():
            place = np.zeros(3)
            mujoco.mju_rotVecQuat(place, offset, hand.xquat)
            self.sim.set_body_pose(body, hand.xpos + place, quat_multiply(hand.xquat, turn))

    # --- moving -------------------------------------------------------------------------------------

    def move(
        self, joints: Joints, seconds: float, on_progress: Callable[[float], None] = lambda _: None
    ) -> None:
        """Move all joints together smoothly to the goal; a held thing follows by its weld constraint.

        `on_progress` moves something else along; it is given the progress, from above 0 to 1.
        """
        start = self.sim.joints
        change = np.asarray(joints) - start
        change[2] = (change[2] + math.pi) % (2 * math.pi) - math.pi
        loose = {b: self.sim.body_pose(b) for b in self.sim.free_bodies if b not in self._carried}
        before = 0.0
        for beat in self.clock.progress(seconds):
            now = smoothstep(beat)
            on_progress(now)
            if beat < 1:
                self._step_physics(start + before * change, (now - before) * change)
                before = now
            else:
                self.set_joints(np.asarray(joints))
                for body, (at, quat) in loose.items():
                    self.sim.set_body_pose(body, at, quat)
                self.sim.update_kinematics()

    def _step_physics(self, start: Joints, change: Joints) -> None:
        """Simulate one frame of physics: the robot moves evenly and pulls along what it holds."""
        sim = self.sim
        steps = max(1, round(1 / FPS / sim.model.opt.timestep))
        speed = change / (steps * sim.model.opt.timestep)
        hold_doors = fix_doors(sim)
        for k in range(steps):
            sim.set_joints(start + change * k / steps, speed)
            if self.held:
                mujoco.mj_step(sim.model, sim.data)
                hold_doors()
        sim.set_joints(start + change)
        if self.held:
            self._regrasp_if_lost()
        sim.update_kinematics()

    def _regrasp_if_lost(self) -> None:
        """Put a thing back into the hand if it brushed something hard and the weld constraint gave way."""
        body = next(iter(self._carried))
        at, _ = self.sim.body_pose(body)
        if np.linalg.norm(at - self.sim.data.site("grip").xpos) > 0.4:
            self.move_carried()

    def turn_to(self, base_pose: BasePose, on_progress: Callable[[float], None] = lambda _: None) -> None:
        """Turn, and move a little if needed, with the hand in view."""
        now = self.base_pose
        turn = abs((base_pose.yaw - now.yaw + math.pi) % (2 * math.pi) - math.pi)
        far = math.hypot(base_pose.x - now.x, base_pose.y - now.y)
        data = self.sim.built.scene.robot
        arm = 0.5 if np.abs(self.sim.joints[4:] - self.joints_at(base_pose)[4:]).max() > 0.05 else 0.1
        seconds = max(turn / math.radians(data.turning), far / data.speed, float(arm))
        self.move(self.joints_at(base_pose), seconds, on_progress)

    def drive_to(
        self,
        base_pose: BasePose,
        navigation_map: NavigationMap,
        area: tuple[tuple[float, float], tuple[float, float]],
    ) -> None:
        """Drive around obstacles, looking ahead, and look at the goal at the end."""
        if self.clock.pace:
            here = self.base_pose
            path = navigation_map.find_path(
                np.array([here.x, here.y]), np.array([base_pose.x, base_pose.y]), area
            )
            for a, b in itertools.pairwise(path):
                if np.linalg.norm(b - a) > 0.5 or len(path) > 2:
                    yaw = math.atan2(b[1] - a[1], b[0] - a[0])
                    self.turn_to(BasePose(float(a[0]), float(a[1]), yaw, 0.25))
                    self.turn_to(BasePose(float(b[0]), float(b[1]), yaw, 0.25))
        self.turn_to(base_pose)

    def reach(
        self,
        point: Sequence[float] | Vector,
        seconds: float = 0.7,
        height_above: float = 0.0,
        on_progress: Callable[[float], None] = lambda _: None,
    ) -> None:
        """Bring the grip point `height_above` metres above `point`; the base moves as near as is needed."""
        joints = self.reach_joints(point, height_above)
        base = np.linalg.norm(joints[:2] - self.sim.joints[:2])
        self.move(joints, max(seconds, float(base) / self.sim.built.scene.robot.speed), on_progress)

    def reach_joints(self, point: Sequence[float] | Vector, height_above: float = 0.0) -> Joints:
        x, y, z = (float(v) for v in point)
        base_pose = self.base_pose
        now = math.hypot(x - base_pose.x, y - base_pose.y)
        nearest = 0.45 if z > 0.5 else 0.55
        ahead = min(
            max(math.sqrt(max(now**2 - self.kinematics.lateral_offset**2, 0.01)), nearest),
            self.kinematics.max_reach,
        )
        base_pose = self.kinematics.pose_facing(base_pose, x, y, ahead)
        arm = self.kinematics.solve_reach(ahead, z + height_above, self._roll, SHOULDER_CLEARANCE)
        return np.array(
            [base_pose.x, base_pose.y, base_pose.yaw, base_pose.pitch, *arm, self.finger_gap, self.finger_gap]
        )

    def move_fingers(self, gap: float, seconds: float = 0.25) -> None:
        joints = self.sim.joints
        joints[9:] = gap
        self.finger_gap = gap
        self.move(joints, seconds)

    # --- holding ------------------------------------------------------------------------------------

    def grasp_point(self, name: str) -> Vector:
        """Return where the gripper takes a thing in its current pose."""
        built = self.sim.built
        at, quat = self.sim.body_pose(built.bodies[name][0])
        up = np.zeros(3)
        mujoco.mju_rotVecQuat(up, np.array([0.0, 0.0, 1.0]), quat)
        return np.asarray(at - up * self._grip(name).shift[2])

    def grasp(self, name: str) -> None:
        """Take the thing into the hand in its carried pose, and attach it by its weld constraint."""
        grip = self._grip(name)
        self.held, self.finger_gap = name, grip.gap
        joints = self.sim.joints
        joints[8], joints[9:] = math.radians(grip.roll), grip.gap
        self.sim.set_joints(joints)
        self.sim.update_kinematics()
        yaw = math.degrees(self.base_pose.yaw) + grip.turn
        point = self.sim.data.site("grip").xpos
        forward = quat_from_yaw(math.degrees(self.base_pose.yaw))
        offset = np.zeros(3)
        mujoco.mju_rotVecQuat(offset, np.asarray(grip.shift, float), forward)
        for body, quat, aside in self._upright_poses(name, yaw):
            self.sim.set_body_pose(body, point + offset + aside, quat)
        self.sim.weld_to_hand(name)
        self._store_carried_poses(name)
        self.sim.update_kinematics()

    def _upright_poses(self, name: str, yaw: float) -> Iterable[tuple[str, Quat, Vector]]:
        """Yield for each body of an upright thing its name, orientation, and place in the thing's frame."""
        bodies = self.sim.built.bodies[name]
        for k, body in enumerate(bodies):
            quat, aside = quat_from_yaw(yaw + 180 * k), np.zeros(3)
            if len(bodies) > 1 and not self.sim.is_whole(name):
                quat, aside = half_pose(k, yaw)
                aside = aside * 0.55
            yield body, quat, aside

    def _store_carried_poses(self, name: str) -> None:
        data = self.sim.data
        mujoco.mj_kinematics(self.sim.model, data)
        hand = data.body("hand")
        back = np.zeros(4)
        mujoco.mju_negQuat(back, hand.xquat)
        self._carried = {}
        for body in self.sim.built.bodies[name]:
            offset = np.zeros(3)
            mujoco.mju_rotVecQuat(offset, data.body(body).xpos - hand.xpos, back)
            self._carried[body] = (offset, quat_multiply(back, data.body(body).xquat))

    def release(self) -> None:
        """Release what is held; it does not fall before time passes."""
        name, self.held = self.held, ""
        if name:
            self.sim.release_from_hand(name)
        self._carried, self.finger_gap = {}, OPEN_GAP
        joints = self.sim.joints
        joints[9:] = OPEN_GAP
        self.sim.set_joints(joints)
        self.sim.update_kinematics()

    @property
    def carried(self) -> Collection[str]:
        """Return the bodies in the hand."""
        return self._carried

    def grip_state(self) -> tuple[str, float, dict[str, tuple[Vector, Quat]]]:
        """Return what `restore_grip` needs in addition to the simulation's `save_state`."""
        return self.held, self.finger_gap, dict(self._carried)

    def restore_grip(self, state: tuple[str, float, dict[str, tuple[Vector, Quat]]]) -> None:
        self.held, self.finger_gap, self._carried = state[0], state[1], dict(state[2])
