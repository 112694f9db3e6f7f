"""The planner of the loop, for robots that tell where things are: it also finds the motions of a wish."""

from __future__ import annotations

from collections.abc import Mapping

from core.planning.engines.engine import SearchLimits
from core.planning.planner import ImprovingPlanner
from core.planning_model import Plan, Problem
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import Wish, WishOptions
from core.wishes.motion_process import MotionProcess, MotionRequest


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
