"""The baselines and ablations of the paper (Zhang et al., section 4.2) that ask, interpret and plan."""

from __future__ import annotations

from core.belief import Belief, BeliefEntry, BeliefSource, Purpose, Query, QueryTopic, Verdict
from core.domains import DomainSpec, Perception
from core.methods.expectations import unmet
from core.methods.sensor_precedence import sensor_readings
from core.methods.skeleton import AskInterpretPlan, PerceptionOptions
from core.methods.step_questions import first_no, step_question
from core.planning_model import Literal, Problem
from core.policy import Context, GotAnswers, GotSenses, Observation
from core.reason import Cause, Reason


class EffectsOnly(AskInterpretPlan):
    """Ablation Eff.-only: replans if an effect of the last step is not seen; asks about nothing else."""

    name = "eff-only"
    purpose = Purpose.EFFECT

    def expected(self, context: Context) -> tuple[Literal, ...]:
        """Return what is asked about, and has to be so."""
        return self.expectations.promised_effects(context)

    def questions(self, context: Context) -> tuple[Query, ...]:
        return self.queries(context, ((self.purpose, literal) for literal in self.expected(context)))

    def repair(self, context: Context) -> Reason | None:
        missing = unmet(self.expected(context), context.belief)
        return self.discrepancy_reason(context, missing) if missing else None


class PreconditionsOnly(EffectsOnly):
    """Ablation Pre.-only: replans if a precondition of the next step is not seen; asks about nothing else."""

    name = "pre-only"
    purpose = Purpose.PRECONDITION

    def expected(self, context: Context) -> tuple[Literal, ...]:
        return self.expectations.next_preconditions(context)


class OpenLoop(AskInterpretPlan):
    """Baseline Classical-planner: plans once, executes every step, asks and repairs nothing.

    "Without perception, assuming all action executions are successful": neither sensors nor default rules are
    used, so the predicted effects are believed to the end. A person's correction leads to a new plan, as with
    every method.
    """

    name = "classical"

    def update(self, context: Context, observation: Observation) -> Belief:
        return context.belief if isinstance(observation, GotSenses) else super().update(context, observation)

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        return context.belief


class SuccessQuestion(AskInterpretPlan):
    """Baseline Suc.-QA: after each step it asks whether the step succeeded.

    The paper leaves open what follows a "no". Here the step then had no effect: the belief before it holds
    again, and a plan is made from there, which begins with the same step. The sensors' current readings stand
    nevertheless, because the paper gives every baseline the truth of what is perceived without vision
    (section 3.2): a thing that fell out of the hand is not believed to be in it.
    """

    name = "suc-qa"

    def questions(self, context: Context) -> tuple[Query, ...]:
        if context.last_step is None or context.replanned:
            return ()
        step = context.last_step.step
        return (step_question(self.domain_spec, QueryTopic.STEP_SUCCEEDED, step, Purpose.EFFECT),)

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        before = context.belief_before
        if before is None or first_no(observation, QueryTopic.STEP_SUCCEEDED) is None:
            return super().interpret(context, observation)
        felt = (a for a in sensor_readings(context).values() if self.perception(a.atom) is Perception.SENSE)
        return self.assume(before.updated_with(felt), context.turn)

    def repair(self, context: Context) -> Reason | None:
        no = first_no(context.latest, QueryTopic.STEP_SUCCEEDED)
        if no is None or context.last_step is None:
            return None
        return Reason(Cause.UNSUCCESSFUL, answer=no, step=context.last_step.step)


class AffordanceQuestion(AskInterpretPlan):
    """Baseline Aff.-QA: before each step it asks whether the step is possible.

    The paper leaves open what follows a "no". The answer says that something the step needs does not hold,
    but not what; and this baseline "does not consider whether the previous action is successful", so the last
    step is not simply undone. Here everything that the step needs and that was only predicted is taken not to
    hold, the default rules are applied, and a plan is made from there, which achieves it again. What was
    initial, sensed or set by a person stands. If nothing is left to doubt, the step is executed, because the
    planner has no better one.

    Every "no" thus has fewer predictions to doubt than the one before, so the questions of a turn come to an
    end.
    """

    name = "aff-qa"

    def questions(self, context: Context) -> tuple[Query, ...]:
        if not context.plan or context.replan_reason:
            return ()
        step, topic = context.plan[0], QueryTopic.STEP_POSSIBLE
        query = step_question(self.domain_spec, topic, step, Purpose.PRECONDITION)
        return () if query.atom in context.asked_atoms else (query,)

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        belief = context.belief
        if first_no(observation, QueryTopic.STEP_POSSIBLE):
            belief = belief.with_entries(
                BeliefEntry(c.atom, Verdict.from_bool(not c.positive), BeliefSource.ASSUMED, context.turn)
                for c in self.expectations.next_preconditions(context)
                if belief.source(c.atom) is BeliefSource.PREDICTED and (c.atom in belief.state) == c.positive
            )
        return self.assume(belief, context.turn)

    def repair(self, context: Context) -> Reason | None:
        no = first_no(context.latest, QueryTopic.STEP_POSSIBLE)
        missing = unmet(self.expectations.next_preconditions(context), context.belief)
        return Reason(Cause.IMPOSSIBLE, missing, no, context.plan[0]) if no and missing else None


class SuccessAndAffordance(AskInterpretPlan):
    """Baseline Suc.Aff.-QA: asks both, in one call, about one picture.

    What the paper leaves open is decided as in Suc.-QA and Aff.-QA. A step that did not succeed is repeated
    first, and the answer about the step after it is then ignored.
    """

    name = "suc-aff-qa"

    def __init__(
        self, domain_spec: DomainSpec, problem: Problem, options: PerceptionOptions | None = None
    ) -> None:
        super().__init__(domain_spec, problem, options)
        self.success = SuccessQuestion(domain_spec, problem, options)
        self.affordance = AffordanceQuestion(domain_spec, problem, options)

    def questions(self, context: Context) -> tuple[Query, ...]:
        return (*self.success.questions(context), *self.affordance.questions(context))

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        failed = first_no(observation, QueryTopic.STEP_SUCCEEDED) is not None
        return (self.success if failed else self.affordance).interpret(context, observation)

    def repair(self, context: Context) -> Reason | None:
        return self.success.repair(context) or self.affordance.repair(context)
