"""The paper's baseline Suc.-QA: after each step it asks whether that was successful (section 4.2).

The paper leaves open what follows a "no". Here the step has then had no effect: the belief before it holds
again, and the plan is made from there, which begins with the same step.
"""

from __future__ import annotations

from core.facts import About, Belief, Purpose, Query, Verdict
from core.methods.skeleton import AskInterpretPlan
from core.methods.wording import step_query
from core.policy import Context, GotAnswers
from core.reason import Cause, Reason


class SuccessQuestion(AskInterpretPlan):
    name = "suc-qa"

    def questions(self, context: Context) -> tuple[Query, ...]:
        if context.done is None or context.replanned:
            return ()
        return (step_query(self.folder, About.WORKED, context.done.step, Purpose.EFFECT),)

    def interpret(self, context: Context, seen: GotAnswers) -> Belief:
        before = context.before
        if before is not None and any(a.verdict is Verdict.NO for a in seen.about(About.WORKED)):
            return before
        return super().interpret(context, seen)

    def repair(self, context: Context) -> Reason | None:
        latest = context.latest
        said = latest.about(About.WORKED) if isinstance(latest, GotAnswers) else ()
        no = next((a for a in said if a.verdict is Verdict.NO), None)
        if no is None or context.done is None:
            return None
        return Reason(Cause.UNSUCCESSFUL, answer=no, step=context.done.step)
