"""The paper's baseline Suc.-QA: after each step it asks whether that was successful (section 4.2).

The paper leaves open what follows a "no". Here the step has then had no effect: the belief before it
holds again, and the plan is made from there, which begins with the same step. What the senses tell now
stands all the same, for the paper gives every baseline the truth of what is perceived without vision
(section 3.2): a thing that fell out of the hand is not believed to be in it.
"""

from __future__ import annotations

from core.domains import Perception
from core.facts import About, Belief, Purpose, Query
from core.methods.skeleton import AskInterpretPlan
from core.methods.wording import first_no, step_query
from core.policy import Context, GotAnswers, GotSenses
from core.reason import Cause, Reason


class SuccessQuestion(AskInterpretPlan):
    name = "suc-qa"

    def questions(self, context: Context) -> tuple[Query, ...]:
        if context.done is None or context.replanned:
            return ()
        return (step_query(self.folder, About.WORKED, context.done.step, Purpose.EFFECT),)

    def interpret(self, context: Context, seen: GotAnswers) -> Belief:
        before = context.before
        if before is None or first_no(seen, About.WORKED) is None:
            return super().interpret(context, seen)
        sensed = (a for past in context.this_turn() if isinstance(past, GotSenses) for a in past.answers)
        felt = before.told(a for a in sensed if self.perception(a.atom) is Perception.SENSE)
        return self.assume(felt, context.turn)

    def repair(self, context: Context) -> Reason | None:
        no = first_no(context.latest, About.WORKED)
        if no is None or context.done is None:
            return None
        return Reason(Cause.UNSUCCESSFUL, answer=no, step=context.done.step)
