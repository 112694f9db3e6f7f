"""The baseline CW, and what COWP and the other baselines share with it: a planner that follows the state.

CW plans again whenever the sensed state is not what its plan needs. It learns nothing, and understands no
situations in words. EK is CW with external knowledge, from the start, about what may stand in for what.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from core.belief import Belief, BeliefEntry, BeliefSource, Verdict
from core.domains import DomainSpec
from core.knowledge.apply import apply_changes, change_faults, new_facts
from core.knowledge.changes import AddObject, AllowSubstitute, Change, Evidence, LearntChange
from core.knowledge.suggestion import SituationReport, Suggestion
from core.methods.expectations import Expectations, unmet
from core.methods.sensor_precedence import news
from core.open_world.situations import random_half
from core.planners import Planner
from core.planning.pddl.writer import write_domain
from core.planning.remembered import remembered
from core.planning_model import PlanStatus, Problem, Step
from core.policy import (
    Action,
    BeliefCorrected,
    ChangeDomain,
    ClaimGoal,
    Context,
    DomainChangeDecided,
    DoSteps,
    GiveUp,
    GotPlan,
    GotSenses,
    MakePlan,
    Observation,
    PlanRequested,
    ProceedRequested,
    StepDone,
)
from core.ports import StepStatus
from core.reason import Cause, Reason
from core.registry import Options
from core.stock import StockItem
from core.stop_token import StopToken

TRIES = 3  # of the same step that fails, before the method gives up


class OpenWorldMethodOptions(Options):
    """Options of the methods that learn about a domain, or are compared with one that does."""


class ClosedWorld:
    """CW. A pure policy; what depends on the problem is cached by its digest."""

    name = "cw"

    def __init__(self, domain_spec: DomainSpec, problem: Problem, planner: Planner) -> None:
        self.domain_spec, self.problem, self.planner = domain_spec, problem, planner
        self._known: dict[str, Expectations] = {}

    # --- Policy ------------------------------------------------------------------------------------------

    def begin(self, problem: Problem) -> Belief:
        return Belief.from_init(problem.state)

    def update(self, context: Context, observation: Observation) -> Belief:
        belief = context.belief
        match observation:
            case GotSenses(answers):
                return belief.updated_with(news(context, answers))
            case BeliefCorrected(answers):
                return belief.updated_with(answers)
            case StepDone(step, result) if result.status is StepStatus.DONE:
                return self.predicted(context, step)
            case DomainChangeDecided(True, problem):
                entry = (BeliefEntry(a, Verdict.YES, BeliefSource.ASSUMED, context.turn)
                         for a in new_facts(context.problem, problem))  # fmt: skip
                return belief.with_entries(entry)
        return belief

    def act(self, context: Context) -> Action:
        latest = context.latest
        if context.problem.is_goal(context.belief.state):
            return ClaimGoal(Reason(Cause.NEXT_IN_PLAN))
        if isinstance(latest, GotPlan):
            kept = latest.plan.status is PlanStatus.FOUND or not latest.accepted
            return self.continue_plan(context) if kept else self.without_plan(context, latest)
        if isinstance(latest, PlanRequested | ProceedRequested):
            return self.make_plan(context, Reason(Cause.REQUESTED))
        if (reason := self.why_plan(context)) is not None:
            return self.make_plan(context, reason)
        return self.continue_plan(context)

    # --- what COWP shares --------------------------------------------------------------------------------

    def expectations(self, problem: Problem) -> Expectations:
        """Return what steps need and do, whatever the state."""
        if problem.digest not in self._known:
            self._known[problem.digest] = Expectations(problem)
        return self._known[problem.digest]

    def predicted(self, context: Context, step: Step) -> Belief:
        """Return the belief after a step that was done; one that was not possible changes nothing."""
        known = self.expectations(context.problem)
        if context.problem.step_faults(step) or unmet(known.preconditions(step), context.belief):
            return context.belief
        effects = known.effects(context.belief.state, step)
        return context.belief.with_entries(
            BeliefEntry(e.atom, Verdict.from_bool(e.positive), BeliefSource.PREDICTED, context.turn)
            for e in effects
        )

    def why_plan(self, context: Context) -> Reason | None:
        """Return why a plan is needed now: none is there, or the state is not what the plan needs."""
        if context.replan_reason is not None or not context.plan:
            return context.replan_reason or Reason(Cause.PLAN_COMPLETED)
        if (
            context.last_step
            and context.last_step.result.status is StepStatus.FAILED
            and not context.replanned
        ):
            return Reason(
                Cause.UNSUCCESSFUL, step=context.last_step.step, note=context.last_step.result.detail
            )
        missing = unmet(self.expectations(context.problem).preconditions(context.plan[0]), context.belief)
        return Reason(Cause.DISCREPANCY, missing, step=context.plan[0]) if missing else None

    def make_plan(self, context: Context, reason: Reason) -> Action:
        if (failed := self.failing(context)) is not None and reason.cause is not Cause.REQUESTED:
            return GiveUp(
                Reason(Cause.NO_PLAN, step=failed.step, note=failing_words(self.domain_spec, failed))
            )
        return MakePlan(context.problem.with_state(context.belief.state), reason)

    def without_plan(self, context: Context, got: GotPlan) -> Action:
        failed = got.plan.status is PlanStatus.FAILED
        return GiveUp(Reason(Cause.FAULT if failed else Cause.NO_PLAN, note=got.plan.reason))

    def continue_plan(self, context: Context) -> Action:
        if context.plan:
            return DoSteps(context.plan, Reason(Cause.NEXT_IN_PLAN, step=context.plan[0], turn=context.turn))
        return GiveUp(Reason(Cause.NO_PLAN))

    def failing(self, context: Context) -> StepDone | None:
        """Return the last step if it has failed as often as a method may try it."""
        done = [seen for seen in context.history if isinstance(seen, StepDone)]
        last = done[-TRIES:]
        same = len(last) == TRIES and len({seen.step for seen in last}) == 1
        return last[-1] if same and all(s.result.status is StepStatus.FAILED for s in last) else None

    @remembered
    def steps_to(self, problem: Problem) -> tuple[Step, ...] | None:
        """Return a plan for a problem that is only thought of; None if there is none."""
        plan = self.planner.plan(problem, StopToken())
        return plan.steps if plan.status is PlanStatus.FOUND else None

    def has_plan(self, problem: Problem) -> bool:
        return self.steps_to(problem) is not None

    def suggest(self, context: Context, suggestion: Suggestion, reason: Reason) -> ChangeDomain:
        changes = tuple(learnt.change for learnt in suggestion.changes)
        problem = apply_changes(context.problem.with_state(context.belief.state), changes)
        difference = "; ".join(change.describe() for change in changes)
        return ChangeDomain(
            problem, difference, write_domain(problem.domain), reason, suggestion, self.has_plan
        )


def failing_words(domain_spec: DomainSpec, failed: StepDone) -> str:
    why = f": {failed.result.detail}" if failed.result.detail else ""
    return f"“{domain_spec.describe_step(failed.step)}” failed {TRIES} times{why}."


class EkOptions(OpenWorldMethodOptions):
    knowledge_seed: int = Field(
        default=0, title="Which half", description="of the household's things is known about, by its number"
    )


class ExternalKnowledge(ClosedWorld):
    """EK: CW, with knowledge about a half of the things."""

    name = "ek"

    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        planner: Planner,
        stock: tuple[StockItem, ...],
        roles: Mapping[str, tuple[str, ...]],
        things: tuple[str, ...],
        options: EkOptions,
    ) -> None:
        super().__init__(domain_spec, problem, planner)
        known = frozenset(random_half(things, "external knowledge", options.knowledge_seed))
        self._ways = tuple(
            (AllowSubstitute(item.kind, role), AddObject(item.name, item.kind, item.facts))
            for item in stock
            for role, kinds in roles.items()
            if item.kind in known and item.kind in kinds
        )

    def without_plan(self, context: Context, got: GotPlan) -> Action:
        here = context.problem.with_state(context.belief.state)
        for way in self._ways:
            if context.knowledge.holds(way[0]) or change_faults(here, way):
                continue
            if (steps := self.steps_to(apply_changes(here, way))) is not None:
                said = (Evidence(interpretation="external knowledge", by=self.name),)
                learnt = tuple(LearntChange(change, said) for change in _new(way, here))
                situation = SituationReport("there is no plan", by=self.name)
                return self.suggest(context, Suggestion(situation, learnt, steps), got.reason)
        return super().without_plan(context, got)


def _new(way: tuple[Change, ...], problem: Problem) -> tuple[Change, ...]:
    """Return the changes without a substitute that is one by its type already."""
    return tuple(
        c
        for c in way
        if not (isinstance(c, AllowSubstitute) and problem.domain.is_a(c.substitute, c.stands_for))
    )
