"""The paper's baseline Suc.-QA: after each step it asks whether the step succeeded (section 4.2).

The paper leaves open what follows a "no". Here the step then had no effect: the belief before it holds again,
and a plan is made from there, which begins with the same step. The sensors' current readings stand
nevertheless, because the paper gives every baseline the truth of what is perceived without vision (section
3.2): a thing that fell out of the hand is not believed to be in it.
"""

from __future__ import annotations

from core.belief import Belief, Purpose, Query, QueryTopic
from core.domains import Perception
from core.methods.sensor_precedence import sensor_readings
from core.methods.skeleton import AskInterpretPlan
from core.methods.step_questions import first_no, step_question
from core.policy import Context, GotAnswers
from core.reason import Cause, Reason


class SuccessQuestion(AskInterpretPlan):
    name = "suc-qa"

    def questions(self, context: Context) -> tuple[Query, ...]:
        if context.last_step is None or context.replanned:
            return ()
        return (
            step_question(
                self.domain_spec, QueryTopic.STEP_SUCCEEDED, context.last_step.step, Purpose.EFFECT
            ),
        )

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
