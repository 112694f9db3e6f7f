"""The paper's baseline Aff.-QA: before each step it asks whether the step is possible (section 4.2).

The paper leaves open what follows a "no". The answer says that something the step needs does not hold, but
not what; and this baseline "does not consider whether the previous action is successful", so the last step is
not simply undone. Here everything that the step needs and that was only predicted is taken not to hold, the
default rules are applied, and a plan is made from there, which achieves it again. What was initial, sensed or
set by a person stands. If nothing is left to doubt, the step is executed, because the planner has no better
one.

Every "no" thus has fewer predictions to doubt than the one before, so the questions of a turn come to an end.
"""

from __future__ import annotations

from core.belief import Belief, BeliefEntry, BeliefSource, Purpose, Query, QueryTopic, Verdict
from core.methods.expectations import unmet
from core.methods.skeleton import AskInterpretPlan
from core.methods.step_questions import first_no, step_question
from core.policy import Context, GotAnswers
from core.reason import Cause, Reason


class AffordanceQuestion(AskInterpretPlan):
    name = "aff-qa"

    def questions(self, context: Context) -> tuple[Query, ...]:
        if not context.plan or context.replan_reason:
            return ()
        query = step_question(
            self.domain_spec, QueryTopic.STEP_POSSIBLE, context.plan[0], Purpose.PRECONDITION
        )
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
        if no is None or not missing:
            return None
        return Reason(Cause.IMPOSSIBLE, missing, no, context.plan[0])
