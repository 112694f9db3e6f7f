"""A simulated language model that plans: the planner's plan from the true state, with errors at given rates.

It is a `Model` for the method vlm-planner and answers nothing else. A reply is the whole plan, one step per
line, or "done". Random draws depend on the seed, the step and how often that step occurred in earlier
replies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

from pydantic.dataclasses import dataclass

from core.belief import Atom
from core.closing import close_part
from core.data_file import FILE, UnitInterval, load_toml
from core.errors import AnswererError
from core.planners import Planner
from core.planning_model import PlanStatus, Problem, Step
from core.ports import ChatMessage, GroundTruth, Reply
from core.stop_token import StopToken
from core.vqa.answerers.profiles import Profile
from core.vqa.answerers.simulated import SimulatedAnswerer, keyed_uniform
from core.vqa.data_files import find_file

BABBLE = "First I would have a good look around, and then we shall see."


@dataclass(frozen=True, config=FILE)
class PlannerErrors:
    """`resources/planners/NAME.toml`.

    `wrong_step` is how often a plan contains another applicable step instead of the right one, `unreadable`
    how often a reply contains no plan at all. `source` says where the rates come from.
    """

    name: str
    about: str
    source: str
    wrong_step: UnitInterval
    unreadable: UnitInterval


def load_planner_errors(name: str | Path) -> PlannerErrors:
    """Load a planner model by name or path. Raises UnknownName, BadFile."""
    return load_toml(find_file("planner model", "planners", name), PlannerErrors)


class SimulatedPlanner:
    """A `Model` that belongs to the loop's thread."""

    def __init__(
        self, errors: PlannerErrors, problem: Problem, truth: GroundTruth, planner: Planner, seed: int = 0
    ) -> None:
        self._errors, self._problem, self._truth = errors, problem, truth
        self._planner, self._seed = planner, seed
        self._said: Counter[Step] = Counter()
        self._replies = 0

    @property
    def name(self) -> str:
        return f"simulated planner ({self._errors.name})"

    def ask(self, messages: Sequence[ChatMessage], pictures: Sequence[bytes], cancel: StopToken) -> Reply:
        """Return a plan as a reply. Raises Cancelled, and AnswererError if no plan leads to the goal."""
        cancel.check()
        self._replies += 1
        if keyed_uniform(self._seed, self._replies, "unreadable") < self._errors.unreadable:
            return Reply(BABBLE, self.name)
        here = self._problem.with_state(self._known(self._truth.truth()))
        plan = self._planner.plan(here, cancel)
        if plan.status is not PlanStatus.FOUND:
            raise AnswererError(f"The {self.name} finds no plan: {plan.reason or plan.status.value}")
        lines = [f"{step.name}({', '.join(step.args)})" for step in self._spoilt(here, plan.steps)]
        return Reply("\n".join(lines) or "done", self.name)

    def close(self) -> None:
        """Close the planner's process, if it has one. Idempotent."""
        close_part(self._planner)

    def _known(self, holding: frozenset[Atom]) -> frozenset[Atom]:
        """Return the atoms that the planner's problem can express; the simulated world may contain more."""
        predicates = {p.name for p in self._problem.domain.predicates}
        objects = {o.name for o in self._problem.all_objects}
        return frozenset(a for a in holding if a.predicate in predicates and objects.issuperset(a.args))

    def _spoilt(self, problem: Problem, steps: Sequence[Step]) -> list[Step]:
        from core.planning import semantics

        state, said = problem.state, []
        for step in steps:
            self._said[step] += 1
            key = (self._seed, str(step), self._said[step])
            others = [s for s in semantics.applicable_steps(problem, state) if s != step]
            wrong = others and keyed_uniform(*key, "wrong") < self._errors.wrong_step
            said.append(others[int(keyed_uniform(*key, "which") * len(others))] if wrong else step)
            state = semantics.apply(problem, state, step)
        return said


class PlanningAnswerer(SimulatedAnswerer):
    """A simulated answerer whose model also plans (`UsesModel`)."""

    def __init__(
        self, profile: Profile, truth: GroundTruth, errors: PlannerErrors, problem: Problem, seed: int = 0
    ) -> None:
        super().__init__(profile, truth, seed, problem.goal)
        self._errors, self._problem = errors, problem

    @cached_property
    def model(self) -> SimulatedPlanner:
        from core.planning.planner import make_planner

        return SimulatedPlanner(self._errors, self._problem, self._truth, make_planner(), self._seed)

    def close(self) -> None:
        self.model.close()
