"""The robot's own movements on the stage: drive, reach, take hold, let go.

What a movement ends in does not depend on the pace: on the way, physics is for the eye; at its end the
robot is where it should be, what it holds is where the hand has it, and all else is where it was.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence

import mujoco
import numpy as np
from numpy.typing import NDArray

from robots.kitchen.arm import CARRIED, OPEN_GAP, Arm, Joints, Stance, stance_of
from robots.kitchen.falling import held_doors
from robots.kitchen.floorplan import FloorPlan
from robots.kitchen.pace import FRAMES, Clock, eased
from robots.kitchen.scene import Grip
from robots.kitchen.shapes import Quat, times, yaw_quat
from robots.kitchen.stage import Stage

Vector = NDArray[np.float64]
SHOULDER = 0.30  # metres above what it reaches for, so that the forearm comes down clear of counters


class Actor:
    def __init__(self, stage: Stage, clock: Clock) -> None:
        self.stage, self.clock = stage, clock
        data = stage.built.scene.robot
        self.arm = Arm(data, float(stage.model.body("head").pos[2]))
        self.held = ""
        self.gap = OPEN_GAP
        self._carried: dict[str, tuple[Vector, Quat]] = {}  # body -> place and turn in the hand's frame

    # --- where the robot is -------------------------------------------------------------------------

    @property
    def stance(self) -> Stance:
        return stance_of(self.stage.joints)

    @property
    def _roll(self) -> float:
        grip = self._grip(self.held) if self.held else None
        return math.radians(grip.roll) if grip else 0.0

    def _grip(self, name: str) -> Grip:
        built = self.stage.built
        kind = built.cast.things[name].kind
        return built.scene.things[kind].grip or Grip((0, 0, -0.03), 0.04)

    def standing(self, stance: Stance) -> Joints:
        """The robot's joints in a stance. What it holds is held so near that it touches nothing."""
        if not self.held:
            return self.arm.standing(stance, self.gap)
        here, held = self.stage.joints, [self.stage.pose(body) for body in self._carried]
        goal = here
        for nearer in range(len(CARRIED)):
            goal = self.arm.standing(stance, self.gap, True, self._roll, nearer)
            self.be(goal)
            if not self.stage.touches(self._carried):
                break
        self.stage.drive(here)
        for body, (at, quat) in zip(self._carried, held, strict=True):
            self.stage.put(body, at, quat)
        self.stage.update()
        return goal

    def take(self, stance: Stance) -> None:
        """Be there at once, with what is in the hand."""
        self.be(self.standing(stance))

    @property
    def joints(self) -> Joints:
        return self.stage.joints

    def be(self, joints: Joints) -> None:
        """Have these joints at once, with what is in the hand."""
        self.stage.drive(joints)
        self.follow()
        self.stage.update()

    def follow(self) -> None:
        """What is held is just where the hand has it."""
        if not self._carried:
            return
        mujoco.mj_kinematics(self.stage.model, self.stage.data)
        hand = self.stage.data.body("hand")
        for body, (offset, turn) in self._carried.items():
            place = np.zeros(3)
            mujoco.mju_rotVecQuat(place, offset, hand.xquat)
            self.stage.put(body, hand.xpos + place, times(hand.xquat, turn))

    # --- moving -------------------------------------------------------------------------------------

    def move(self, joints: Joints, seconds: float, also: Callable[[float], None] = lambda _: None) -> None:
        """All joints at once, gently, to the goal; what is held hangs on its constraint on the way.

        `also` moves something else along, by its progress from above 0 to 1.
        """
        start = self.stage.joints
        change = np.asarray(joints) - start
        change[2] = (change[2] + math.pi) % (2 * math.pi) - math.pi
        others = self._loose()
        before = 0.0
        for beat in self.clock.beats(seconds):
            now = eased(beat)
            also(now)
            if beat < 1:
                self._ride(start + before * change, (now - before) * change)
                before = now
            else:
                self.be(np.asarray(joints))
                self._put_back(others)

    def _ride(self, start: Joints, change: Joints) -> None:
        """One frame of physics: the robot moves evenly, the thing in its hand is pulled along."""
        stage = self.stage
        steps = max(1, round(1 / FRAMES / stage.model.opt.timestep))
        speed = change / (steps * stage.model.opt.timestep)
        hold_doors = held_doors(stage)
        for k in range(steps):
            stage.drive(start + change * k / steps, speed)
            if self.held:
                mujoco.mj_step(stage.model, stage.data)
                hold_doors()
        stage.drive(start + change)
        if self.held:
            self._keep_near()
        stage.update()

    def _keep_near(self) -> None:
        """Something hard was brushed and the constraint gave: put the thing back into the hand."""
        body = next(iter(self._carried))
        at, _ = self.stage.pose(body)
        if np.linalg.norm(at - self.stage.data.site("grip").xpos) > 0.4:
            self.follow()

    def _loose(self) -> dict[str, tuple[Vector, Quat]]:
        return {b: self.stage.pose(b) for b in self.stage.free_bodies if b not in self._carried}

    def _put_back(self, poses: dict[str, tuple[Vector, Quat]]) -> None:
        for body, (at, quat) in poses.items():
            self.stage.put(body, at, quat)
        self.stage.update()

    def face(self, stance: Stance, also: Callable[[float], None] = lambda _: None) -> None:
        """Turn and move a little, as far as it takes, the hand before the eye."""
        now = self.stance
        turn = abs((stance.yaw - now.yaw + math.pi) % (2 * math.pi) - math.pi)
        far = math.hypot(stance.x - now.x, stance.y - now.y)
        data = self.stage.built.scene.robot
        arm = 0.5 if np.abs(self.stage.joints[4:] - self.standing(stance)[4:]).max() > 0.05 else 0.1
        seconds = max(turn / math.radians(data.turning), far / data.speed, float(arm))
        self.move(self.standing(stance), seconds, also)

    def travel(
        self, stance: Stance, plan: FloorPlan, area: tuple[tuple[float, float], tuple[float, float]]
    ) -> None:
        """Drive round what is in the way, looking where it goes, and then at the goal."""
        if self.clock.pace:
            here = self.stance
            way = plan.path(np.array([here.x, here.y]), np.array([stance.x, stance.y]), area)
            for a, b in itertools.pairwise(way):
                if np.linalg.norm(b - a) > 0.5 or len(way) > 2:
                    yaw = math.atan2(b[1] - a[1], b[0] - a[0])
                    self.face(Stance(float(a[0]), float(a[1]), yaw, 0.25))
                    self.face(Stance(float(b[0]), float(b[1]), yaw, 0.25))
        self.face(stance)

    def reach(
        self,
        point: Sequence[float] | Vector,
        seconds: float = 0.7,
        over: float = 0.0,
        also: Callable[[float], None] = lambda _: None,
    ) -> None:
        """Bring the grip point there, `over` metres above it; the base comes as near as the arm needs."""
        joints = self.reaching(point, over)
        base = np.linalg.norm(joints[:2] - self.stage.joints[:2])
        self.move(joints, max(seconds, float(base) / self.stage.built.scene.robot.speed), also)

    def reaching(self, point: Sequence[float] | Vector, over: float = 0.0) -> Joints:
        x, y, z = (float(v) for v in point)
        stance = self.stance
        now = math.hypot(x - stance.x, y - stance.y)
        nearest = 0.45 if z > 0.5 else 0.55
        ahead = min(max(math.sqrt(max(now**2 - self.arm.side**2, 0.01)), nearest), self.arm.longest)
        stance = self.arm.facing(stance, x, y, ahead)
        arm = self.arm.reach(ahead, z + over, self._roll, SHOULDER)
        return np.array([stance.x, stance.y, stance.yaw, stance.pitch, *arm, self.gap, self.gap])

    def fingers(self, gap: float, seconds: float = 0.25) -> None:
        joints = self.stage.joints
        joints[9:] = gap
        self.gap = gap
        self.move(joints, seconds)

    # --- holding ------------------------------------------------------------------------------------

    def grip_point(self, name: str) -> Vector:
        """Where the gripper takes a thing as it lies or stands now."""
        built = self.stage.built
        at, quat = self.stage.pose(built.bodies[name][0])
        up = np.zeros(3)
        mujoco.mju_rotVecQuat(up, np.array([0.0, 0.0, 1.0]), quat)
        return np.asarray(at - up * self._grip(name).shift[2])

    def hold(self, name: str) -> None:
        """The thing comes into the hand as it is carried, and hangs there on its constraint."""
        grip = self._grip(name)
        self.held, self.gap = name, grip.gap
        joints = self.stage.joints
        joints[8], joints[9:] = math.radians(grip.roll), grip.gap
        self.stage.drive(joints)
        self.stage.update()
        yaw = math.degrees(self.stance.yaw) + grip.turn
        point = self.stage.data.site("grip").xpos
        forward = yaw_quat(math.degrees(self.stance.yaw))
        offset = np.zeros(3)
        mujoco.mju_rotVecQuat(offset, np.asarray(grip.shift, float), forward)
        for body, quat, aside in self._poses(name, yaw):
            self.stage.put(body, point + offset + aside, quat)
        self.stage.hold(name)
        self._remember(name)
        self.stage.update()

    def _poses(self, name: str, yaw: float) -> Iterable[tuple[str, Quat, Vector]]:
        """Each body of a thing as it stands upright: turn, and place beside the thing's own."""
        bodies = self.stage.built.bodies[name]
        for k, body in enumerate(bodies):
            quat, aside = yaw_quat(yaw + 180 * k), np.zeros(3)
            if len(bodies) > 1 and not self.stage.whole(name):
                quat, aside = halved(k, yaw)
                aside = aside * 0.55
            yield body, quat, aside

    def _remember(self, name: str) -> None:
        data = self.stage.data
        mujoco.mj_kinematics(self.stage.model, data)
        hand = data.body("hand")
        back = np.zeros(4)
        mujoco.mju_negQuat(back, hand.xquat)
        self._carried = {}
        for body in self.stage.built.bodies[name]:
            offset = np.zeros(3)
            mujoco.mju_rotVecQuat(offset, data.body(body).xpos - hand.xpos, back)
            self._carried[body] = (offset, times(back, data.body(body).xquat))

    def let_go(self) -> None:
        """What is held does not fall before time passes."""
        name, self.held = self.held, ""
        if name:
            self.stage.release(name)
        self._carried, self.gap = {}, OPEN_GAP
        joints = self.stage.joints
        joints[9:] = OPEN_GAP
        self.stage.drive(joints)
        self.stage.update()

    @property
    def carried(self) -> Collection[str]:
        """The bodies in the hand."""
        return self._carried

    def grip_state(self) -> tuple[str, float, dict[str, tuple[Vector, Quat]]]:
        """What `restore_grip` takes, beside the stage's own `save`."""
        return self.held, self.gap, dict(self._carried)

    def restore_grip(self, state: tuple[str, float, dict[str, tuple[Vector, Quat]]]) -> None:
        self.held, self.gap, self._carried = state[0], state[1], dict(state[2])


def halved(half: int, yaw: float) -> tuple[Quat, Vector]:
    """How a half of a thing lies when its cut face looks up: turn, and place beside the middle."""
    up = np.array([math.cos(-math.pi / 4), math.sin(-math.pi / 4), 0, 0])  # -y turned to +z
    aside = (1 if half == 0 else -1) * 0.046
    angle = math.radians(yaw)
    return times(yaw_quat(yaw), up), np.array([-math.sin(angle), math.cos(angle), 0]) * aside
