"""The worker's calls as methods, with the task's names of things and values of ours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from core.cancel import Cancel
from core.errors import RobotError
from robots.omnigibson.activities import Activity
from robots.omnigibson.observed_facts import Box, SimulatorState, StateQuery
from robots.omnigibson.sight import Lens, seen_names, sight_points
from robots.omnigibson.viewing_poses import ViewingPose
from robots.omnigibson.worker_session import WorkerSession
from robots.stop_latch import Latch

_CHUNK = 10  # steps of the physics between two looks at the stop


class SimulationHalted(Exception):
    """A stop came between two calls."""


@dataclass(frozen=True)
class LoadedScene:
    """What was loaded."""

    omnigibson: str
    era: str
    inferred: bool  # the era's features are only inferred, and nobody has checked them
    scene: str
    rooms: dict[str, str]  # of what has a room of its own, by the activity's names
    scope: frozenset[str]


@dataclass(frozen=True)
class CameraImage:
    """A picture: rows of RGB or RGBA, and which named things it shows (count of pixels, box)."""

    height: int
    width: int
    channels: int
    raw: bytes
    seen: dict[str, list[int]] | None


class Simulator:
    """Every call but the readings first checks for a stop, and raises SimulationHalted if there is one."""

    def __init__(self, session: WorkerSession, latch: Latch, after_steps: Callable[[], None]) -> None:
        self._session, self._latch, self._after_steps = session, latch, after_steps
        self._cancel = Cancel()
        self.activity: Activity
        session.is_stopped = self._is_stopped

    def load(self, activity: str, scene: str, robot: str, size: int, headless: bool) -> LoadedScene:
        """Start Isaac Sim, which takes minutes."""
        found = self._session.call(
            "load", activity=activity, scene=scene, robot=robot, size=size, headless=headless
        )
        scope: dict[str, Any] = found["scope"]
        rooms = {name: entity["rooms"][0] for name, entity in scope.items() if entity and entity["rooms"]}
        version, era, inferred = found["omnigibson"], found["era"], found["inferred"]
        return LoadedScene(version, era, inferred, found["scene"], rooms, frozenset(scope))

    def begin(self, cancel: Cancel) -> None:
        """Heed this cancel from now on."""
        self._cancel = cancel

    def check(self) -> None:
        if self._is_stopped():
            raise SimulationHalted

    def _is_stopped(self) -> bool:
        return self._latch.halted or self._cancel.is_set()

    def _do(self, call: str, **args: object) -> Any:
        self.check()
        return self._session.call(call, **args)

    # --- reading ------------------------------------------------------------------------------------

    def name(self, thing: str) -> str:
        """Return the simulator's name of a thing of ours. Raises RobotError for one that it does not have."""
        if name := self.activity.theirs(thing):
            return name
        raise RobotError(f"The activity {self.activity.name} has no {thing}.")

    def read(self, asked: Sequence[StateQuery], names: Sequence[str]) -> SimulatorState:
        """Return object states and bounding boxes, also while a stop is in force."""
        values = self._session.call("states", asked=[list(question) for question in asked])
        poses = self._session.call("poses", names=list(names))
        boxes = {n: Box(tuple(p["low"]), tuple(p["high"])) for n, p in poses.items() if p is not None}
        scope = self._session.call("scope")
        there = frozenset(name for name, entity in scope.items() if entity)
        return SimulatorState(dict(zip(asked, values, strict=True)), boxes, self._session.call("held"), there)

    def look(self, camera: str, picture: bool) -> CameraImage | None:
        found, raw = self._session.call_for_picture("look", camera=camera, picture=picture)
        if found is None:
            return None
        return CameraImage(found["height"], found["width"], found["channels"], raw, found["seen"])

    def in_view(self) -> frozenset[str] | None:
        """Return what OmniGibson's own state counts as in view, None where it cannot tell."""
        names: list[str] | None = self._session.call("in_view")
        return None if names is None else frozenset(names)

    def in_sight(self, names: Sequence[str]) -> frozenset[str]:
        """Return which of these things the eye sees by geometry alone."""
        pose = self.robot_pose()
        aperture, focal_length = pose["lens"]
        lens = Lens(pose["eye"], pose["gaze"], 2 * math.atan(aperture / 2 / focal_length))
        points = sight_points(lens, self.read((), names).boxes)
        stops = iter(self._session.call("rays", ends=[list(p) for found in points.values() for p in found]))
        return seen_names({name: [next(stops) for _ in found] for name, found in points.items()})

    def robot_pose(self) -> dict[str, Any]:
        pose: dict[str, Any] = self._session.call("robot_pose")
        return pose

    def spots(self, points: Sequence[Sequence[float]]) -> list[tuple[bool, str]]:
        """Return for each point of the floor whether it is free, and its room."""
        found = self._session.call("spots", points=[list(point) for point in points])
        return [(bool(free), str(room)) for free, room in found]

    def goal(self) -> bool:
        return bool(self._session.call("goal"))

    # --- changing -----------------------------------------------------------------------------------

    def step(self, count: int) -> None:
        """Run the physics, a few steps at a time."""
        while count > 0:
            self._do("step", count=min(count, _CHUNK))
            count -= _CHUNK
            self._after_steps()

    def move_base(self, pose: ViewingPose, height: float) -> None:
        self._do("teleport_base", position=[pose.x, pose.y, height], orientation=list(pose.orientation))
        self._session.call("aim", tilt=pose.tilt)

    def put_at(self, name: str, position: Sequence[float]) -> None:
        self._do("teleport", name=name, position=list(position), orientation=None)

    def put(self, name: str, relation: str, other: str) -> bool:
        return bool(self._do("sample", name=name, relation=relation, other=other))

    def set_state(self, name: str, state: str, value: bool) -> bool:
        return bool(self._do("set_state", name=name, state=state, value=value))

    def fill(self, name: str, liquid: str) -> bool:
        return bool(self._do("fill", name=name, liquid=liquid))

    def empty(self, name: str, liquid: str) -> None:
        self._do("empty", name=name, liquid=liquid)

    def attach(self, name: str) -> str:
        """Put a thing into the hand. Return what is held then."""
        return str(self._do("attach", name=name, may_park=True)["held"])

    def detach(self) -> None:
        self._do("detach")

    def cut(self, name: str) -> bool:
        return bool(self._do("cut", name=name))

    def place_viewer(self, position: Sequence[float], orientation: Sequence[float]) -> None:
        self._session.call("place_viewer", position=list(position), orientation=list(orientation))

    def reset(self) -> None:
        self._session.call("reset")
