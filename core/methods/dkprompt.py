"""DKPROMPT (Zhang et al., section 3.3): the domain's own preconditions and effects become the questions.

Here are also its variants: with doubt, with repetitions, and as its authors released it.
"""

from __future__ import annotations

import typing
from collections.abc import Iterator
from dataclasses import replace
from itertools import takewhile

from pydantic import Field

from core.belief import Answer, Belief, BeliefEntry, BeliefSource, Purpose, Query, Verdict
from core.domains import DomainSpec, Perception
from core.methods.expectations import Expectations, unmet
from core.methods.skeleton import AskInterpretPlan, PerceptionOptions
from core.planning_model import Literal, Problem, Step
from core.policy import (
    Action,
    Context,
    DoSteps,
    GotAnswers,
    GotSenses,
    MakePlan,
    Observation,
    StepDone,
    same_step,
)
from core.reason import Cause, Reason


class DKPromptOptions(PerceptionOptions):
    """Options that the paper leaves open; the defaults follow its text literally."""

    replan_on: typing.Literal["every", "needed"] = Field(
        default="every",
        title="Plan again on",
        description="every effect that stays away (the paper), or only those that the step was done for",
    )
    doubt_unseen: bool = Field(
        default=False,
        title="Doubt what nobody saw",
        description="where a visible effect stays away, doubt what the step needed and was only predicted",
    )


class DKPrompt(AskInterpretPlan):
    """Asks about the effects of the last step and the preconditions of the next one, in one call.

    The robot's report of a step is ignored: a failure must be seen.
    """

    def __init__(
        self,
        domain_spec: DomainSpec,
        problem: Problem,
        options: DKPromptOptions | None = None,
        name: str = "dkprompt",
    ) -> None:
        self.name, self.options = name, options or DKPromptOptions()
        super().__init__(domain_spec, problem, self.options)

    def questions(self, context: Context) -> tuple[Query, ...]:
        return self.queries(context, self._wanted(context))

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        belief = super().interpret(context, observation)
        if not self.options.doubt_unseen:
            return belief
        return doubt_unseen(self.domain_spec, self.expectations, context, observation.facts, belief)

    def repair(self, context: Context) -> Reason | None:
        missing = unmet(
            (*self.checked_effects(context), *self.expectations.next_preconditions(context)), context.belief
        )
        return self.discrepancy_reason(context, missing) if missing else None

    def checked_effects(self, context: Context) -> tuple[Literal, ...]:
        """Return the effects of the last step whose absence causes a new plan."""
        every = self.options.replan_on == "every"
        return (
            self.expectations.promised_effects(context)
            if every
            else self.expectations.needed_effects(context)
        )

    def _wanted(self, context: Context) -> Iterator[tuple[Purpose, Literal]]:
        for effect in self.expectations.promised_effects(context):
            yield Purpose.EFFECT, effect
        for condition in self.expectations.next_preconditions(context):
            yield Purpose.PRECONDITION, condition
        for atom in context.belief.uncertain_atoms:
            expected = context.belief.verdict(atom) is Verdict.YES
            yield Purpose.UNCERTAIN, Literal(atom.predicate, atom.args, expected)


def doubt_unseen(
    domain_spec: DomainSpec,
    expectations: Expectations,
    context: Context,
    answers: tuple[Answer, ...],
    belief: Belief,
) -> Belief:
    """Return the belief with the opposite ASSUMED of invisible preconditions that were only predicted.

    This applies if all visible preconditions of the step held and an effect was answered to be absent. A mug
    that was filled while the tap was closed looks like a full one, but the water never boils, however often
    the microwave is started: something that was only predicted must be wrong. This is ours, not the paper's.
    """
    promised = {e.atom: e for e in expectations.promised_effects(context)}
    stayed_away = any(
        a.atom in promised and a.verdict is Verdict.from_bool(not promised[a.atom].positive) for a in answers
    )
    if not stayed_away or context.last_step is None or context.belief_before is None:
        return belief
    needed = expectations.preconditions(context.last_step.step)
    before = context.belief_before
    if any(_can_be_seen(domain_spec, c) and (c.atom in before.state) != c.positive for c in needed):
        return belief
    return belief.with_entries(
        BeliefEntry(c.atom, Verdict.from_bool(not c.positive), BeliefSource.ASSUMED, context.turn)
        for c in needed
        if belief.source(c.atom) is BeliefSource.PREDICTED
        and not _can_be_seen(domain_spec, c)
        and c.predicate in expectations.direct_effects
        and c.predicate not in domain_spec.bookkeeping
    )


def _can_be_seen(domain_spec: DomainSpec, literal: Literal) -> bool:
    return domain_spec.perception(literal.predicate) in (Perception.VISION, Perception.SENSE)


class RepeatFirstOptions(DKPromptOptions):
    repeats: int = Field(
        default=1, ge=0, title="Repetitions", description="Of a failed step, before another plan is made."
    )


class RepeatFirst(DKPrompt):
    """Repeats a failed step before it replans.

    The short version of the paper has the robot "repeat an unsuccessful action", or call the planner for a
    new plan, and leaves open when to do which. Here a step whose effects are not seen is repeated, followed
    by the old plan, if everything that it needs is still believed; the repetition passes the gate like any
    plan of the method's own. After `repeats` repetitions in a row, or if something that the step needs is
    gone (the object to be grasped was dropped), a new plan is made. A missing precondition of the next step
    always leads to a new plan.
    """

    def __init__(
        self, domain_spec: DomainSpec, problem: Problem, options: RepeatFirstOptions | None = None
    ) -> None:
        options = options or RepeatFirstOptions()
        super().__init__(domain_spec, problem, options, "repeat-first")
        self.repeats = options.repeats

    def conclude(self, context: Context) -> Action:
        wanted = super().conclude(context)
        done = context.last_step
        if done is None or not (isinstance(wanted, MakePlan) and self._can_repeat(context, done.step)):
            return wanted
        reason = replace(wanted.reason, cause=Cause.UNSUCCESSFUL, step=done.step)
        return DoSteps((done.step, *context.plan), reason)

    def _can_repeat(self, context: Context, step: Step) -> bool:
        """Return True if the step was seen to fail, is applicable, and was not repeated too often yet."""
        if (
            context.replan_reason and context.replan_reason.cause is not Cause.PLAN_COMPLETED
        ):  # a person intervened
            return False
        if not unmet(self.checked_effects(context), context.belief):
            return False
        if unmet(self.expectations.preconditions(step), context.belief):
            return False
        steps = (seen.step for seen in reversed(context.history) if isinstance(seen, StepDone))
        in_a_row = sum(1 for _ in takewhile(lambda past: same_step(past, step), steps))
        return in_a_row <= self.repeats


GROUND_TRUTH_PREDICATES, ASSUMED_PREDICATES = ("inside", "filled"), ("hot", "cooked")


class AsReleasedOptions(PerceptionOptions):
    sense: tuple[str, ...] = Field(
        default=GROUND_TRUTH_PREDICATES,
        title="Told",
        description="Predicates read from a sensor, or else from the simulator.",
    )
    assume: tuple[str, ...] = Field(
        default=ASSUMED_PREDICATES,
        title="Assume",
        description="Predicates never asked or read: the prediction stands.",
    )


class AsReleased(DKPrompt):
    """DKPROMPT as in its authors' released code, where that differs from the paper's text.

    - `inside` and `filled` are read from the simulator's ground truth; `hot` and `cooked` are neither asked
      nor told, so their predictions stand. Only inview, closed, halved, onfloor and ontop are asked of the
      model.
    - Effects of the last step and preconditions of the next one go into one call. If an effect does not
      match, the answers about the preconditions are ignored.
    - A thing that is not in the hand after all is at once assumed on the floor and empty, before the answers
      count.
    - Missing answers count as agreement: UNKNOWN keeps what was predicted.

    It stops after 50 actions, the default of `max_steps`. Not carried over are the domain of that code (a
    third way to grasp, which needs no place), its wording, and its own rates of situations; domain and rates
    are settings of an episode. On a robot without ground truth, such as a real arm, the predictions of the
    predicates that it would be told stand.
    """

    def __init__(
        self, domain_spec: DomainSpec, problem: Problem, options: AsReleasedOptions | None = None
    ) -> None:
        values = (options or AsReleasedOptions()).model_dump()
        known = {predicate.name for predicate in domain_spec.domain.predicates}
        for name in ("sense", "assume"):  # a domain may lack the household's predicates
            values[name] = tuple(
                n
                for n in values[name]
                if n in known or n not in (*GROUND_TRUTH_PREDICATES, *ASSUMED_PREDICATES)
            )
        super().__init__(domain_spec, problem, DKPromptOptions(**values), "as-released")
        own = {n for n in values["sense"] if domain_spec.perception(n) is Perception.SENSE}
        self.ground_truth_predicates = frozenset(values["sense"]) - own

    def update(self, context: Context, observation: Observation) -> Belief:
        belief = super().update(context, observation)
        return self.assume(belief, context.turn) if isinstance(observation, GotSenses) else belief

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        pairs = zip(observation.queries, observation.answers, strict=True)
        effects = tuple(answer for query, answer in pairs if query.purpose is Purpose.EFFECT)
        belief = context.belief.updated_with(effects)
        if unmet(self.checked_effects(context), belief):
            return self.assume(belief, context.turn)
        return super().interpret(context, observation)
