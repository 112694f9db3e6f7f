"""The part of a simulated language model that writes plans, for the baselines that let a model plan.

Its rates are fitted to the paper's Table 4 (docs/cowp.md says how): what comes out for these baselines is no
prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.belief import Atom
from core.knowledge.apply import apply_changes
from core.knowledge.changes import AddFact, AddObject, AddPrecondition, AddRepair, AllowSubstitute, Change
from core.open_world.prompts import NOTHING_UNUSUAL, PromptKind
from core.open_world.situations import hindrance, uniform_random
from core.open_world.world_file import OpenSituation
from core.planners import Planner
from core.planning_model import PlanStatus, Problem, Step
from core.stock import StockItem
from core.stop_token import StopToken
from core.vqa.knower.commonsense import Commonsense
from core.vqa.knower.knower_profile import KnowerProfile, ProgramRates

_BAD = "is_unusable"
PERFECT = ProgramRates(0.0, 1.0)


@dataclass(frozen=True)
class SimulatedPrograms:
    """Writes plans from the true state. Belongs to the loop's thread."""

    profile: KnowerProfile
    sense: Commonsense
    stock: tuple[StockItem, ...]
    state: Callable[[], frozenset[Atom]]  # the true one
    planner: Planner
    seed: int = 0

    def reply(self, purpose: PromptKind, situation: str, cancel: StopToken) -> str:
        """Return a plan, one step a line; "done" for none."""
        rates = self.profile.programs.get(purpose.name.lower(), PERFECT)
        told = situation not in ("", NOTHING_UNUSUAL)
        faulty = self._luck("fault", purpose) < rates.faults
        steps: Sequence[Step] = ()
        if told and self._luck("handles", purpose, situation) < rates.handles:
            steps = self.solution(self.sense.situation(situation), cancel)
        steps = steps or self._plan(self._here(), cancel)
        if purpose is PromptKind.MONOLOGUE:
            half_done = len(self.state() - self.sense.problem.state) > 1
            steps = () if faulty and half_done else steps[:1]
        elif faulty and steps:
            gone = int(self._luck("which", purpose) * len(steps))
            steps = (*steps[:gone], *steps[gone + 1 :])
        return "\n".join(f"{step.name}({', '.join(step.args)})" for step in steps) or "done"

    def solution(self, situation: OpenSituation, cancel: StopToken) -> Sequence[Step]:
        """Return a plan that a person would accept in this situation; () if there is none."""
        here = self._here()
        forbidden = self._forbidden(here, situation)
        for item in self.stock:
            for changes in self._ways(situation, item):
                problem = apply_changes(here, (*forbidden, *changes))
                facts = {f.fact for f in forbidden if isinstance(f, AddFact)}
                if steps := self._plan(problem.with_state(self._seen(problem) | facts), cancel):
                    return steps
        return ()

    def _ways(self, situation: OpenSituation, item: StockItem) -> list[tuple[Change, ...]]:
        type, world = self.sense.type_of(situation.object), self.sense.world
        if not type:
            return []
        seen, found = AddObject(item.name, item.kind, item.facts), list[tuple[Change, ...]]()
        if self.sense.accepts(type, item.kind):
            same = self.sense.problem.domain.is_a(item.kind, type)
            found.append((seen,) if same else (AllowSubstitute(item.kind, type), seen))
        if world.repair_skill and world.mends(item.kind, situation.kind, type):
            repair = AddRepair(world.repair_skill, item.kind, _BAD, type)
            found.append((AllowSubstitute(item.kind, item.sort), repair, seen))
        return found

    def _forbidden(self, here: Problem, situation: OpenSituation) -> tuple[Change, ...]:
        """Return that no action that the situation hinders can be done with its object."""
        world, found, thing = self.sense.world, list[Change](), situation.object
        type = self.sense.type_of(thing)
        for action in here.domain.actions if type else ():
            takes = any(here.domain.is_a(type, p.type) for p in action.parameters)
            if takes and hindrance(world, situation, action.name, (thing,)):
                found.append(AddPrecondition(action.name, _BAD, (type,)))
        return (*found, AddFact(Atom(_BAD, (thing,)))) if found else ()

    def _plan(self, problem: Problem, cancel: StopToken) -> tuple[Step, ...]:
        plan = self.planner.plan(problem, cancel)
        return plan.steps if plan.status is PlanStatus.FOUND else ()

    def _here(self) -> Problem:
        """Return the task's problem from the true state."""
        return self.sense.problem.with_state(self._seen(self.sense.problem))

    def _seen(self, problem: Problem) -> frozenset[Atom]:
        """Return the true state, as far as a problem can express it."""
        known = {o.name for o in problem.all_objects}
        predicates = {p.name for p in self.sense.problem.domain.predicates}
        return frozenset(a for a in self.state() if a.predicate in predicates and known.issuperset(a.args))

    def _luck(self, what: str, purpose: PromptKind, more: str = "") -> float:
        return uniform_random(self.seed, self.sense.task.name, self.profile.name, what, purpose.value, more)
