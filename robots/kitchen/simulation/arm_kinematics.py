"""The kinematics of the kitchen robot: its arm moves in a plane, the gripper in view of the camera."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from robots.kitchen.scene.schema import RobotSpec

Joints = NDArray[np.float64]  # in the order of JOINTS
BASE, HEAD, ARM = slice(0, 3), 3, slice(4, 9)
OPEN_GAP = 0.052  # metres between an idle finger and the middle
# Metres that the shoulder may be above the grip point, best first.
_SHOULDER_OFFSETS = (0.13, 0.30, 0.45, 0.60, 0.80, 1.0, -0.2)
# Metres ahead of the camera, and below its axis.
CARRY_POSITIONS = ((0.50, 0.155), (0.45, 0.135), (0.41, 0.11), (0.38, 0.08))
_LINK_RADIUS = 0.085  # metres, of the shoulder and the elbow
MAX_PITCH = 0.98  # radians that the head looks down


@dataclass(frozen=True)
class BasePose:
    """Where the robot stands and looks: metres, radians, the head's pitch downwards."""

    x: float
    y: float
    yaw: float
    pitch: float

    def point_ahead(self, metres: float, left: float = 0.0) -> tuple[float, float]:
        """Return a point on the floor relative to this pose."""
        cos, sin = math.cos(self.yaw), math.sin(self.yaw)
        return self.x + metres * cos - left * sin, self.y + metres * sin + left * cos


def base_pose_of(joints: Joints) -> BasePose:
    return BasePose(*(float(joints[k]) for k in (0, 1, 2, HEAD)))


@dataclass(frozen=True)
class ArmKinematics:
    """Two links in a vertical plane, on a lift; the hand stays level."""

    data: RobotSpec
    eye_height: float

    @property
    def lateral_offset(self) -> float:
        """Return how far left of the middle the arm's plane is, in metres."""
        return self.data.shoulder[1]

    @property
    def max_reach(self) -> float:
        """Return the greatest distance of the grip point ahead of the base, in metres."""
        upper, fore, hand = self.data.lengths
        return self.data.shoulder[0] + upper + fore + hand - 0.01

    def solve_reach(
        self, ahead: float, height: float, roll: float = 0.0, shoulder_offset: float = 0.13
    ) -> NDArray[np.float64]:
        """Return lift, upper, fore, wrist and roll that bring the grip point there, or as near as possible.

        The shoulder is `shoulder_offset` above the grip point, as far as the lift goes; the elbow points down
        and back.
        """
        upper, fore, hand = self.data.lengths
        lift = float(np.clip(height + shoulder_offset - self.data.shoulder[2], *self.data.lift))
        dx = ahead - hand - self.data.shoulder[0]
        dz = height - self.data.shoulder[2] - lift
        far = min(max(math.hypot(dx, dz), 0.12), upper + fore - 1e-3)
        aim = math.atan2(-dz, dx)
        a = math.acos((upper**2 + far**2 - fore**2) / (2 * upper * far))
        b = math.acos((fore**2 + far**2 - upper**2) / (2 * fore * far))
        return np.array([lift, aim + a, -a - b, b - aim, roll])

    def hand_in_view(
        self, pitch: float, holding: bool, roll: float = 0.0, carry_index: int = 0
    ) -> NDArray[np.float64]:
        """Return the arm joints that hold the gripper low and at the right of the picture, at any pitch of
        the head.

        `carry_index` selects one of CARRY_POSITIONS.
        """
        ahead, below = CARRY_POSITIONS[carry_index] if holding else (0.47, 0.185)
        cos, sin, eye = math.cos(pitch), math.sin(pitch), self.data.eye[0]
        x = eye * cos + ahead * cos - below * sin
        z = self.eye_height - eye * sin - ahead * sin - below * cos
        poses = [self.solve_reach(x, z, roll, above) for above in _SHOULDER_OFFSETS]
        return next((pose for pose in poses if not self._occludes_camera(pose, pitch)), poses[0])

    def _occludes_camera(self, pose: NDArray[np.float64], pitch: float) -> bool:
        """Return True if the camera would see the robot's own shoulder or elbow, modelled as spheres."""
        x, y, z = self.data.shoulder
        upper = self.data.lengths[0]
        shoulder = (x, z + pose[0])
        elbow = (x + upper * math.cos(pose[1]), shoulder[1] - upper * math.sin(pose[1]))
        cos, sin, eye = math.cos(pitch), math.sin(pitch), self.data.eye[0]
        slope = math.tan(math.radians(self.data.fov) / 2)
        for px, pz in (shoulder, elbow):
            dx, dz = px - eye * cos, pz - self.eye_height + eye * sin
            forward, up = dx * cos - dz * sin, dx * sin + dz * cos
            reach = forward * slope + _LINK_RADIUS
            if forward > -_LINK_RADIUS and abs(up) < reach and abs(y) < reach:
                return True
        return False

    def joints_at(
        self,
        base_pose: BasePose,
        gap: float = OPEN_GAP,
        holding: bool = False,
        roll: float = 0.0,
        carry_index: int = 0,
    ) -> Joints:
        """Return all joints of the robot at this pose, with the hand in view of the camera."""
        arm = self.hand_in_view(base_pose.pitch, holding, roll, carry_index)
        return np.array([base_pose.x, base_pose.y, base_pose.yaw, base_pose.pitch, *arm, gap, gap])

    def pose_facing(self, base_pose: BasePose, x: float, y: float, ahead: float) -> BasePose:
        """Return the pose on the same side of (x, y) that has this point `ahead` in the arm's plane."""
        far = math.hypot(ahead, self.lateral_offset)
        to = math.atan2(y - base_pose.y, x - base_pose.x)
        return replace(
            base_pose,
            x=x - far * math.cos(to),
            y=y - far * math.sin(to),
            yaw=to - math.atan2(self.lateral_offset, ahead),
        )

    def pose_looking_at(self, x: float, y: float, target: tuple[float, float, float]) -> BasePose:
        """Return the pose at (x, y) that looks at `target`."""
        far = math.hypot(target[0] - x, target[1] - y)
        pitch = math.atan2(self.eye_height - target[2], max(far - self.data.eye[0], 0.05))
        return BasePose(x, y, math.atan2(target[1] - y, target[0] - x), min(max(pitch, -0.2), MAX_PITCH))
