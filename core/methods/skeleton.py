"""The skeleton of methods that ask, interpret and plan; a baseline of the paper takes twenty lines on it.

In each turn: ask once (perhaps nothing), interpret the answers, and then claim the goal, replan or continue
the plan. The first step of a new plan is asked about in the same way. A method overrides `questions`,
`interpret` and `repair`, each a pure function of the context.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from types import MappingProxyType

from pydantic import Field

from core.belief import Atom, Belief, BeliefEntry, BeliefSource, Purpose, Query, Verdict
from core.domains import DomainSpec, Perception, PredicateSpec
from core.errors import BadValue, UnknownName
from core.methods.expectations import Expectations
from core.methods.sensor_precedence import SensorPrecedence, news
from core.planning.default_rules import RuleSet
from core.planning_model import Literal, PlanStatus, Problem, Step
from core.policy import (
    Action,
    AskQuestions,
    BeliefCorrected,
    BeliefRestored,
    ClaimGoal,
    Context,
    DoSteps,
    GiveUp,
    GotAnswers,
    GotPlan,
    GotSenses,
    MakePlan,
    Observation,
    PlanRequested,
    StepDone,
    StepHalted,
)
from core.reason import Cause, Reason, believed_answer
from core.registry import Options

OF_A_PERSON = (Cause.CORRECTED, Cause.UNDONE, Cause.REQUESTED)  # they come before what a method finds


class PerceptionOptions(Options):
    """How predicates are perceived, where that shall differ from the domain folder."""

    ask: tuple[str, ...] = Field(default=(), title="Ask", description="Predicates to ask a model about.")
    sense: tuple[str, ...] = Field(default=(), title="Sense", description="Predicates read from the robot.")
    assume: tuple[str, ...] = Field(
        default=(), title="Assume", description="Predicates never asked or sensed: what was predicted stands."
    )


def with_perception(domain_spec: DomainSpec, options: PerceptionOptions) -> DomainSpec:
    """Return the domain with its predicates perceived as the options say. Raises BadValue, UnknownName."""
    wording = dict(domain_spec.predicate_specs)
    chosen = {
        Perception.VISION: options.ask,
        Perception.SENSE: options.sense,
        Perception.NONE: options.assume,
    }
    known = {p.name for p in domain_spec.domain.predicates}
    for perception, names in chosen.items():
        for name in names:
            if name not in known:
                raise UnknownName("predicate", name, known)
            words = wording.get(name, PredicateSpec(""))
            if perception is Perception.VISION and not words.question:
                raise BadValue(f"{name} has no question to ask: give it one in domain.toml.")
            wording[name] = replace(words, perception=perception)
    return replace(domain_spec, predicate_specs=MappingProxyType(wording))


def _old_plan_kept(context: Context) -> bool:
    """Return True if a person kept the old plan in this turn and changed nothing since."""
    for seen in reversed(context.this_turn()):
        if isinstance(seen, BeliefCorrected | BeliefRestored | PlanRequested):
            return False
        if isinstance(seen, GotPlan) and not seen.accepted:
            return True
    return False


class AskInterpretPlan:
    """Asks about vision predicates only (Table 2 of the paper).

    Sensors are read; everything else stays as it was initially or as predicted.
    """

    name = ""

    def __init__(
        self, domain_spec: DomainSpec, problem: Problem, options: PerceptionOptions | None = None
    ) -> None:
        self.domain_spec = with_perception(domain_spec, options or PerceptionOptions())
        self.problem = problem
        self.expectations = Expectations(problem)
        self.rules = RuleSet(domain_spec, problem)
        self.precedence = SensorPrecedence(self.domain_spec, self.rules)

    # --- what a method overrides -------------------------------------------------------------------------

    def questions(self, context: Context) -> tuple[Query, ...]:
        """Return what to ask about the current picture, each question once."""
        return ()

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        """Return the belief after these answers, with the domain's default rules applied."""
        facts = (
            observation.facts if observation.reviewed else self.precedence.resolve(context, observation.facts)
        )
        return self.assume(context.belief.updated_with(facts), context.turn)

    def repair(self, context: Context) -> Reason | None:
        """Return why to replan, None to continue the plan. The latest observation is the answers."""
        return None

    # --- Policy ------------------------------------------------------------------------------------------

    def begin(self, problem: Problem) -> Belief:
        return Belief.from_init(problem.state)

    def update(self, context: Context, observation: Observation) -> Belief:
        belief = context.belief
        match observation:
            case GotSenses(answers):
                return belief.updated_with(
                    a for a in news(context, answers) if self.perception(a.atom) is Perception.SENSE
                )
            case GotAnswers():
                return self.interpret(context, observation)
            case BeliefCorrected(answers):
                return self.assume(belief.updated_with(answers), context.turn)
            case StepDone(step):
                return self.predict(belief, step, context.turn)
            case StepHalted(step):
                return self.mark_uncertain(belief, step)
        return belief

    def act(self, context: Context) -> Action:
        if not context.plan_count or isinstance(context.latest, PlanRequested):
            return self.plan(context, context.replan_reason or Reason(Cause.REQUESTED))
        match context.latest:
            case GotAnswers():
                return self.conclude(context)
            case GotPlan(_, accepted, changed) if not (accepted and changed):
                return self.continue_plan(context)
        return AskQuestions(self.questions(context))

    # --- what the skeleton does --------------------------------------------------------------------------

    def conclude(self, context: Context) -> Action:
        """Claim the goal, replan or continue, after the answers."""
        if context.problem.is_goal(context.belief.state):
            return ClaimGoal(Reason(Cause.NEXT_IN_PLAN))
        reason, wanted = None if _old_plan_kept(context) else self.repair(context), context.replan_reason
        if wanted is not None and (reason is None or wanted.cause in OF_A_PERSON):
            return self.plan(context, replace(wanted, literals=reason.literals if reason else ()))
        return self.plan(context, reason) if reason else self.continue_plan(context)

    def plan(self, context: Context, reason: Reason) -> MakePlan:
        return MakePlan(context.problem.with_state(context.belief.state), replace(reason, turn=context.turn))

    def continue_plan(self, context: Context) -> DoSteps | GiveUp:
        """Continue the plan in force. The reason names what a rejected or an unchanged plan was made for."""
        match context.latest:
            case GotPlan(accepted=False, reason=made_for):
                reason = replace(made_for, cause=Cause.KEPT, plan_cause=made_for.cause)
            case GotPlan(changed=False, reason=made_for):
                reason = replace(made_for, cause=Cause.UNCHANGED, plan_cause=made_for.cause)
            case _:
                reason = Reason(Cause.NEXT_IN_PLAN)
        if context.plan:
            return DoSteps(context.plan, replace(reason, step=context.plan[0], turn=context.turn))
        if reason.cause is Cause.KEPT:
            return GiveUp(reason)
        plan = next((s.plan for s in reversed(context.history) if isinstance(s, GotPlan)), None)
        broke = plan is not None and plan.status is PlanStatus.FAILED
        return GiveUp(Reason(Cause.FAULT if broke else Cause.NO_PLAN, note=plan.reason if plan else ""))

    def discrepancy_reason(self, context: Context, missing: tuple[Literal, ...]) -> Reason:
        """Return the reason that these literals are not believed, with the answer that says so: one that was
        given, before one that is only predicted or assumed."""
        known = [believed_answer(context.belief.entry(m.atom)) for m in missing]
        unseen = (BeliefSource.INITIAL, BeliefSource.PREDICTED, BeliefSource.ASSUMED)
        answer = min(known, key=lambda a: a.source in unseen, default=None)
        return Reason(Cause.DISCREPANCY, missing, answer, context.plan[0] if context.plan else None)

    def perception(self, atom: Atom) -> Perception:
        return self.domain_spec.perception(atom.predicate)

    def queries(self, context: Context, wanted: Iterable[tuple[Purpose, Literal]]) -> tuple[Query, ...]:
        """Return questions about what a picture can show, each atom once per picture."""
        found: dict[Atom, Query] = {}
        for purpose, literal in wanted:
            atom = literal.atom
            if atom in context.asked_atoms or atom in found or self.perception(atom) is not Perception.VISION:
                continue
            query = self.domain_spec.query(atom, purpose, Verdict.from_bool(literal.positive))
            if query is not None:
                found[atom] = query
        return tuple(found.values())

    def assume(self, belief: Belief, turn: int) -> Belief:
        return self.rules.apply(belief, turn)

    def predict(self, belief: Belief, step: Step, turn: int) -> Belief:
        """Return the belief after `step`, with its effects PREDICTED."""
        return belief.with_entries(
            BeliefEntry(effect.atom, Verdict.from_bool(effect.positive), BeliefSource.PREDICTED, turn)
            for effect in self.expectations.effects(belief.state, step)
        )

    def mark_uncertain(self, belief: Belief, step: Step) -> Belief:
        """Mark what a halted step may have changed, to be asked again; the values stay as before the step."""
        changes = self.expectations.effects(belief.state, step)
        touched = {literal.atom for literal in (*self.expectations.preconditions(step), *changes)}
        return belief.with_entries(
            replace(belief.entry(atom), uncertain=True)
            for atom in touched
            if self.perception(atom) is Perception.VISION
        )
