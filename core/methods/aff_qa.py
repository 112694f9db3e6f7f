"""The paper's baseline Aff.-QA: before each step it asks whether that is possible (section 4.2).

The paper leaves open what follows a "no". The answer says that something which the step needs is not so,
and not what; and this baseline "does not consider whether the previous action is successful", so the last
step is not simply taken back. Here everything that the step needs and that was only ever predicted is
taken not to be so, the domain's assumptions are made, and the plan is made from there, which brings it
about again. What was given, sensed or set by a person stands. Where nothing is left to doubt the step is
done: the planner knows no better one.

So every "no" has fewer predictions behind it than the one before, and the questions of a turn come to an
end.
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
