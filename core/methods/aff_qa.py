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

from core.facts import About, Belief, Entry, Purpose, Query, Source, Verdict
from core.methods.expectations import unmet
from core.methods.skeleton import AskInterpretPlan
from core.methods.wording import first_no, step_query
from core.policy import Context, GotAnswers
from core.reason import Cause, Reason


class AffordanceQuestion(AskInterpretPlan):
    name = "aff-qa"

    def questions(self, context: Context) -> tuple[Query, ...]:
        if not context.plan or context.stale:
            return ()
        query = step_query(self.folder, About.POSSIBLE, context.plan[0], Purpose.PRECONDITION)
        return () if query.atom in context.asked else (query,)

    def interpret(self, context: Context, seen: GotAnswers) -> Belief:
        belief = context.belief
        if first_no(seen, About.POSSIBLE):
            belief = belief.holding(
                Entry(c.atom, Verdict.of(not c.positive), Source.ASSUMED, context.turn)
                for c in self.expectations.needed_next(context)
                if belief.source(c.atom) is Source.PREDICTED and (c.atom in belief.state) == c.positive
            )
        return self.assume(belief, context.turn)

    def repair(self, context: Context) -> Reason | None:
        no = first_no(context.latest, About.POSSIBLE)
        missing = unmet(self.expectations.needed_next(context), context.belief)
        if no is None or not missing:
            return None
        return Reason(Cause.IMPOSSIBLE, missing, no, context.plan[0])
