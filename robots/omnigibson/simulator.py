"""The worker's calls as methods, with our names and values, and poses to look from."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from random import Random
from typing import TYPE_CHECKING, Any

from core.errors import RobotError
from core.stop_token import StopToken
from robots.omnigibson.activities import Activity
from robots.omnigibson.observed_facts import Box, SimulatorState, StateQuery
from robots.omnigibson.worker_session import WorkerSession
from robots.stop_latch import Latch

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


MIN_PIXELS = 24  # of 65,536 that a thing in view has at least
NO_EYE = "OmniGibson's robot has no camera with segmentation: choose another robot in the options."
_CHUNK = 10  # steps of the physics between two looks at the stop


class SimulationHalted(Exception):
    """A stop came between two calls."""


class Simulator:
    """The worker's calls, by their own names in `do` and `ask`, and those that need more than that."""

    def __init__(self, session: WorkerSession, latch: Latch, after_steps: Callable[[], None]) -> None:
        self._session, self._latch, self._after_steps = session, latch, after_steps
        self._cancel = StopToken()
        self.activity: Activity
        self.ask = session.call
        session.is_stopped = self._is_stopped

    def begin(self, cancel: StopToken) -> None:
        """Heed this cancel from now on."""
        self._cancel = cancel

    def do(self, call: str, /, **args: object) -> Any:
        """Have the simulator changed. Raises SimulationHalted after a stop or a cancel; `ask` does not."""
        if self._is_stopped():
            raise SimulationHalted
        return self._session.call(call, **args)

    def _is_stopped(self) -> bool:
        return self._latch.halted or self._cancel.is_set()

    # --- reading ------------------------------------------------------------------------------------

    def name(self, thing: str) -> str:
        """Return the simulator's name of a thing of ours. Raises RobotError for one that it does not have."""
        if name := self.activity.theirs(thing):
            return name
        raise RobotError(f"The activity {self.activity.name} has no {thing}.")

    def read(self, asked: Sequence[StateQuery], names: Sequence[str]) -> SimulatorState:
        """Return object states and bounding boxes, also while a stop is in force."""
        values = self.ask("states", asked=[list(question) for question in asked])
        poses = self.ask("poses", names=list(names))
        boxes = {n: Box(tuple(p["low"]), tuple(p["high"])) for n, p in poses.items() if p is not None}
        there = frozenset(name for name, entity in self.ask("scope").items() if entity)
        return SimulatorState(dict(zip(asked, values, strict=True)), boxes, self.ask("held"), there)

    def picture(self, camera: str) -> tuple[NDArray[np.uint8], dict[str, list[int]]] | None:
        """Return RGB of a camera, and the pixels and box of what its segmentation shows; None without it."""
        import numpy as np

        found, raw = self._session.call_for_picture("look", camera=camera, picture=True)
        if found is None:
            return None
        rows = np.frombuffer(raw, np.uint8).reshape(found["height"], found["width"], found["channels"])
        return np.array(rows[..., :3]), found["seen"] or {}

    def shown(self) -> frozenset[str]:
        """Return what the eye shows, by its segmentation. Raises RobotError for an eye without one."""
        found = self.ask("look", camera="eye", picture=False)
        if not found or found["seen"] is None:
            raise RobotError(NO_EYE)
        return frozenset(n for n, (pixels, *_) in found["seen"].items() if pixels >= MIN_PIXELS)

    def spots(self, points: Sequence[Sequence[float]]) -> list[tuple[bool, str]]:
        """Return for each point of the floor whether it is free, and its room."""
        return [(bool(f), str(room)) for f, room in self.ask("spots", points=[list(p) for p in points])]

    # --- changing -----------------------------------------------------------------------------------

    def step(self, count: int) -> None:
        """Run the physics, a few steps at a time."""
        while count > 0:
            self.do("step", count=min(count, _CHUNK))
            count -= _CHUNK
            self._after_steps()

    def move_base(self, pose: ViewingPose, height: float) -> None:
        self.do("teleport_base", position=[pose.x, pose.y, height], orientation=list(pose.orientation))
        self.ask("aim", tilt=pose.tilt)


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
