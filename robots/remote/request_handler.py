"""Handle what a served robot is asked for, in the thread that robots are made and moved in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from core.belief import Atom
from core.errors import RobotError
from core.permit import PermitKind
from core.planning_model import Step
from core.ports import (
    CropsStills,
    Frame,
    GroundTruth,
    NoticesSituations,
    ProvidesBoxes,
    ProvidesLiveFrames,
    ReportsRendering,
    Robot,
    StepStatus,
    StepTruth,
    SupportsViewpoints,
)
from core.stock import KnowsStock
from core.stop_token import StopToken
from robots.remote.session_guard import SessionGuard
from robots.remote.wire_message import JsonValue, WireMessage
from robots.remote.wire_values import RobotTask, Snapshot, decode, encode

CAPABILITIES: Mapping[str, type] = {
    kind.__name__: kind
    for kind in (
        GroundTruth,
        StepTruth,
        SupportsViewpoints,
        ProvidesBoxes,
        ProvidesLiveFrames,
        CropsStills,
        ReportsRendering,
        NoticesSituations,
        KnowsStock,
    )
}
REQUESTS = frozenset({"make", "do", "look", "look_from", "release", "observable", "possible"})
Body = dict[str, JsonValue]
Answer = tuple[Body, tuple[bytes, ...]]
Progress = Callable[[str], None]  # shows people how far something is
Make = Callable[[RobotTask, Progress], Robot]


class RequestHandler:
    """Makes the robot, and does with it what is asked. `guard` and `robot` may be read from any thread.

    `guarded(robot)` makes the guard; `progress(text)` shows how far the making is.
    """

    def __init__(self, make: Make, guarded: Callable[[Robot], SessionGuard], progress: Progress) -> None:
        self._make, self._guarded, self._progress = make, guarded, progress
        self.robot: Robot | None = None
        self.guard: SessionGuard | None = None
        self._things: tuple[str, ...] = ()

    def handle(self, request: WireMessage, cancel: StopToken) -> Answer:
        """Return the answer. Raises what the robot raises, and RobotError for what cannot be asked."""
        if request.kind not in REQUESTS:
            raise RobotError(f"This version has no {request.kind!r}.")
        answer: Answer = getattr(self, request.kind)(request, cancel)
        return answer

    def _made(self) -> Robot:
        if self.robot is None:
            raise RobotError("The robot was not made yet.")
        return self.robot

    def _guard(self) -> SessionGuard:
        self._made()
        assert self.guard is not None
        return self.guard

    def _snapshot(self) -> Body:
        robot = self._made()
        found = Snapshot(
            tuple(robot.sense().items()),
            robot.truth() if isinstance(robot, GroundTruth) else frozenset(),
            robot.situation if isinstance(robot, GroundTruth) else "",
            robot.step_succeeded() if isinstance(robot, StepTruth) else None,
            robot.viewpoints if isinstance(robot, SupportsViewpoints) else (),
            robot.boxes(self._things) if isinstance(robot, ProvidesBoxes) else (),
            robot.situations() if isinstance(robot, NoticesSituations) else (),
            robot.stock() if isinstance(robot, KnowsStock) else (),
        )
        return {"now": encode(found)}

    def make(self, request: WireMessage, cancel: StopToken) -> Answer:
        task: RobotTask = decode(RobotTask, request, "task")
        if self.robot is not None:
            raise RobotError("The robot was made already: one session, one robot.")
        robot = self._make(task, self._progress)
        self._things = tuple(thing.name for thing in task.task.problem.all_objects)
        self.guard = self._guarded(robot)
        self.robot = robot
        body: Body = {
            "name": robot.name,
            "embodiment": robot.embodiment.value,
            "capabilities": [name for name, kind in CAPABILITIES.items() if isinstance(robot, kind)],
            "cameras": list(robot.cameras) if isinstance(robot, ProvidesLiveFrames) else [],
            "still_camera": robot.still_camera if isinstance(robot, CropsStills) else "",
            "blank": robot.blank_frames_reason if isinstance(robot, ReportsRendering) else "",
        }
        return body | self._snapshot(), ()

    def do(self, request: WireMessage, cancel: StopToken) -> Answer:
        step: Step = decode(Step, request, "step")
        with self._guard().permitted(request, step, PermitKind.STEP, PermitKind.RESTORE) as permit:
            result = self._made().do(step, permit, cancel)
        if result.status is StepStatus.HALTED and (reason := self._guard().own_reason):
            result = replace(result, detail=reason)
        return {"result": encode(result)} | self._snapshot(), ()

    def look(self, request: WireMessage, cancel: StopToken) -> Answer:
        return self._pictured(self._made().look(cancel))

    def look_from(self, request: WireMessage, cancel: StopToken) -> Answer:
        robot, viewpoint = self._made(), request.text("viewpoint")
        if not isinstance(robot, SupportsViewpoints):
            raise RobotError("This robot looks from where it is only.")
        with self._guard().permitted(request, viewpoint, PermitKind.LOOK) as permit:
            return self._pictured(robot.look_from(viewpoint, permit, cancel))

    def _pictured(self, frame: Frame) -> Answer:
        body: Body = {"camera": frame.camera, "viewpoint": frame.viewpoint}
        return body | self._snapshot(), (frame.png,) if frame.png else ()

    def release(self, request: WireMessage, cancel: StopToken) -> Answer:
        self._guard().release(request.whole("up_to"))
        return {}, ()

    def observable(self, request: WireMessage, cancel: StopToken) -> Answer:
        robot, atom = self._made(), decode(Atom, request, "atom")
        return {"so": isinstance(robot, GroundTruth) and robot.is_observable(atom)}, ()

    def possible(self, request: WireMessage, cancel: StopToken) -> Answer:
        robot, step = self._made(), decode(Step, request, "step")
        return {"so": isinstance(robot, StepTruth) and robot.step_possible(step)}, ()
