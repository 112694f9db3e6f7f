"""A robot in a grid world whose steps are words: a draft can be run and watched against its world.

The world decides whether a step works. The facts are those of the domain that is run, so they are right only
as far as the domain is; but the goal is reached only where the world says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from time import monotonic

from core.belief import Atom
from core.domains import DomainSpec, Task
from core.drafting.world import said, world_of
from core.errors import ConsoleError
from core.permit import Permit, PermitKind
from core.pictures import blank_frame, make_frame
from core.planning import semantics
from core.planning_model import Step
from core.ports import Frame, StepResult, StepStatus
from core.stop_token import StopToken
from robots.grids.games import games, picture
from robots.grids.options import GridOptions
from robots.simulated_robot import SimulatedRobot
from robots.task_support import raise_unsupported

CAMERA, VIEWPOINT, SIZE = "overhead", "from above", (256, 256)


class GridRobot(SimulatedRobot):
    """Implements Robot, GroundTruth, StepTruth and JudgesGoal. Only `halt` may be called from any thread."""

    name, title = "grids", "grid world"

    def __init__(
        self,
        options: GridOptions,
        *,
        domain_spec: DomainSpec,
        task: Task,
        pictures: bool,
        pace: float,
        **_: object,
    ) -> None:
        super().__init__()
        raise_unsupported(unsupported(domain_spec, task, options.map))
        self._game, self._world = world_of(games(), options.map or task.problem.name)
        self._word_of, self._problem = partial(said, domain_spec.verbs), task.problem
        self._state, self._facts = self._world.first, task.problem.state
        self._pictures, self._pace, self._look = pictures, pace, options.look
        self._worked: bool | None = None

    def look(self, cancel: StopToken) -> Frame:
        self._check_open()
        cancel.check()
        if not self._pictures:
            return blank_frame(CAMERA, monotonic(), VIEWPOINT)
        import cv2
        import numpy as np

        painted = picture(self._game, self._world, self._state, self._look)
        if self._game.paint is None:
            painted = np.asarray(cv2.resize(painted, SIZE), np.uint8)
        return make_frame(painted, CAMERA, monotonic(), VIEWPOINT)

    def sense(self) -> Mapping[Atom, bool]:
        return {}

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self._check_open()
        self.permits.redeem(permit, step, PermitKind.STEP, PermitKind.RESTORE)
        began, self._worked = monotonic(), False
        if self._latch.wait(self._pace, cancel):
            return StepResult(StepStatus.HALTED, cancel.reason or "halted", monotonic() - began)
        if reason := self._refusal(step):
            return StepResult(StepStatus.FAILED, f"{self._word_of(step)}: {reason}", monotonic() - began)
        after = self._world.do(self._state, self._word_of(step))
        assert not isinstance(after, str)
        self._state, self._worked = after, True
        self._facts = semantics.apply(self._problem, self._facts, step)
        return StepResult(StepStatus.DONE, "", monotonic() - began)

    def _refusal(self, step: Step) -> str:
        """Return why a step cannot be done now, "" if it can."""
        if faults := self._problem.step_faults(step):
            return faults[0]
        word = self._word_of(step)
        if word not in self._world.words:
            return f"the world has no step {word!r}"
        after = self._world.do(self._state, word)
        if isinstance(after, str):
            return after
        reasons = semantics.inapplicable_reasons(self._problem, self._facts, step)
        return reasons[0] if reasons else ""

    # --- GroundTruth, JudgesGoal and StepTruth ---------------------------------------------------------

    def truth(self) -> frozenset[Atom]:
        if self._world.reached(self._state):
            return self._facts
        return self._facts - {goal.atom for goal in self._problem.goal if goal.positive}

    @property
    def true_state(self) -> frozenset[Atom]:
        return self._facts

    def is_observable(self, atom: Atom) -> bool:
        return True

    def step_succeeded(self) -> bool | None:
        return self._worked

    def step_possible(self, step: Step) -> bool:
        return not self._refusal(step)


def unsupported(domain_spec: DomainSpec, task: Task, map: str = "") -> tuple[str, ...]:
    """Return why the robot cannot do a task, one sentence each; () if it can."""
    try:
        game, _ = world_of(games(), map or task.problem.name)
    except ConsoleError:
        return ("It knows only tasks whose problem is named after a map, such as package-4-0.",)
    unsaid = [
        a.name for a in task.problem.domain.actions if game.verbs.get(a.name) != domain_spec.verbs.get(a.name)
    ]
    return tuple(f"It does not know the action {name!r} by its words in [verbs]." for name in unsaid)
