"""Search for motions in a process of its own, which ends at once when its caller cancels, closes or dies."""

from __future__ import annotations

import copyreg
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pkgutil import resolve_name
from threading import Lock
from types import MappingProxyType
from typing import Any

from core.planning.cancellable_process import CancellableProcess, Send, serve
from core.planning.engines.engine import SearchLimits
from core.planning.planner import ImprovingPlanner, make_planner
from core.planning_model import Plan, Problem, Step
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import Wish, WishOptions
from core.wishes.grasps import try_grasps
from core.wishes.wish_planner import WishPlan, WishPlanner

_MODULE, _NAME = "core.wishes.motion_process", "motion planning process"


def _proxy(values: dict[object, object]) -> MappingProxyType[object, object]:
    return MappingProxyType(values)


copyreg.pickle(MappingProxyType, lambda mapping: (_proxy, (dict(mapping),)))  # the values of a step


@dataclass(frozen=True)
class MotionRequest:
    """A wish, the problem and the scene that it is about, and how to plan it."""

    problem: Problem
    wish: Wish
    scene: Scene
    options: WishOptions
    engine: str = "pyperplan"
    engine_options: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class SkillRequest:
    """What else is asked of a scene's skills: one of their methods, and its arguments."""

    scene: Scene
    method: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class GraspRequest:
    """With which grasps the arm can do a pick, of so many; `following` is the step after it."""

    scene: Scene
    step: Step
    following: Step | None
    count: int = 36


class MotionProcess(CancellableProcess):
    """The client; it starts the process when first needed, and keeps it. One thread asks after the other."""

    def __init__(self) -> None:
        super().__init__(_MODULE, name=_NAME)
        self._asking = Lock()

    def plan(self, request: MotionRequest, cancel: StopToken) -> WishPlan:
        """Return the plan. A cancel kills the process. Raises Cancelled and PlanningError."""
        plan: WishPlan = self._answer(request, cancel)
        return plan

    def ask(self, request: SkillRequest | GraspRequest, cancel: StopToken) -> Any:
        """Return what the skills say. A cancel kills the process. Raises Cancelled and PlanningError."""
        return self._answer(request, cancel)

    def _answer(self, request: object, cancel: StopToken) -> Any:
        with self._asking:
            (found,) = self.answers(request, cancel.check)
        return found


def _skills(scene: Scene) -> Any:
    return resolve_name(scene.skills)(scene)


def plan_here(request: MotionRequest, cancel: StopToken) -> WishPlan:
    """Plan a wish in this process. Raises ConsoleError."""
    skills = _skills(request.scene)
    planner = make_planner(request.engine, options=request.engine_options)
    try:
        return WishPlanner(
            skills, planner, request.problem, request.wish, request.options, cancel.check
        ).plan(cancel)
    finally:
        planner.close()


def answer(request: MotionRequest | SkillRequest | GraspRequest, send: Send) -> None:
    match request:
        case MotionRequest():
            send(plan_here(request, StopToken()))
        case GraspRequest(scene, step, following, count):
            send(try_grasps(_skills(scene), step, following, count))
        case SkillRequest(scene, method, arguments):
            send(getattr(_skills(scene), method)(*arguments))


if __name__ == "__main__":
    serve(import_module(_MODULE).answer, _NAME)  # under its real name, as the requests are pickled


class MotionPlanner(ImprovingPlanner):
    """Implements PlansMotion, in a process of its own. Not thread-safe."""

    def __init__(
        self, engine: str, limits: SearchLimits, options: Mapping[str, str], costs: bool = False
    ) -> None:
        super().__init__(engine, limits, options, costs)
        self._engine, self._options = engine, dict(options)
        self._process = MotionProcess()

    def plan_motion(
        self, problem: Problem, wish: Wish, scene: Scene, options: WishOptions, cancel: StopToken
    ) -> Plan:
        """Return a plan whose steps have their moves. It is not remembered: no scene comes again."""
        request = MotionRequest(problem, wish, scene, options, self._engine, self._options)
        return self._process.plan(request, cancel).plan

    def close(self) -> None:
        super().close()
        self._process.close()
