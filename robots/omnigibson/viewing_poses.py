"""Sample poses of the robot from which it can look at something. Pure."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

NEAREST, FARTHEST = 1.0, 2.5  # metres from what it looks at, as the paper's authors sampled
LOOK_AHEAD = 1.5  # metres in front of the robot at which it looks at a floor
_STEEPEST = 1.0  # radians that the head can look down


@dataclass(frozen=True)
class ViewingPose:
    """Position (m) and yaw (rad) of the base, and the tilt of the head (rad, downwards)."""

    x: float
    y: float
    yaw: float
    tilt: float

    @property
    def orientation(self) -> tuple[float, float, float, float]:
        return 0.0, 0.0, math.sin(self.yaw / 2), math.cos(self.yaw / 2)

    def turned(self, yaw: float, tilt: float) -> ViewingPose:
        return ViewingPose(self.x, self.y, yaw, tilt)

    def ahead(self, metres: float, aside: float = 0.0) -> tuple[float, float]:
        """Return the point `metres` in front of the robot, turned by `aside` (rad) to its left."""
        return self.x + metres * math.cos(self.yaw + aside), self.y + metres * math.sin(self.yaw + aside)

    def around(self, target: Sequence[float], angle: float, eye_height: float) -> ViewingPose:
        """Return this pose rotated about the target by `angle` (rad), facing it from the same distance."""
        dx, dy = self.x - target[0], self.y - target[1]
        c, s = math.cos(angle), math.sin(angle)
        there = ViewingPose(target[0] + c * dx - s * dy, target[1] + s * dx + c * dy, 0.0, 0.0)
        return there.facing(target, eye_height)

    def facing(self, target: Sequence[float], eye_height: float) -> ViewingPose:
        """Return the same position, turned so that the eye looks at the target (x, y, z)."""
        far = math.hypot(target[0] - self.x, target[1] - self.y)
        tilt = math.atan2(eye_height - target[2], max(far, 0.1))
        return self.turned(
            math.atan2(target[1] - self.y, target[0] - self.x), min(max(tilt, -0.3), _STEEPEST)
        )


def sample_poses_around(
    target: Sequence[float], eye_height: float, rng: Random, count: int
) -> Iterator[ViewingPose]:
    """Yield poses around a thing that put it in the middle of the picture."""
    for _ in range(count):
        far, angle = rng.uniform(NEAREST, FARTHEST), rng.uniform(-math.pi, math.pi)
        place = ViewingPose(target[0] + far * math.cos(angle), target[1] + far * math.sin(angle), 0.0, 0.0)
        yield place.facing(target, eye_height)


def sample_poses_on_floor(
    low: Sequence[float], high: Sequence[float], eye_height: float, rng: Random, count: int
) -> Iterator[ViewingPose]:
    """Yield poses on the floor with this bounding box, looking down at it."""
    for _ in range(count):
        yaw = rng.uniform(-math.pi, math.pi)
        place = ViewingPose(rng.uniform(low[0], high[0]), rng.uniform(low[1], high[1]), yaw, 0.0)
        yield place.facing((*place.ahead(LOOK_AHEAD), high[2]), eye_height)


def sample_floor_points(
    pose: ViewingPose, rng: Random, count: int, behind: bool
) -> Iterator[tuple[float, float]]:
    """Yield points of the floor within 1.5 m of the robot, in front of it or behind it."""
    for _ in range(count):
        aside = rng.uniform(-0.6, 0.6) + (math.pi if behind else 0.0)
        yield pose.ahead(rng.uniform(0.8, 1.4), aside)
