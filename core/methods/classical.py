"""The paper's baseline Classical-planner: plan once, execute every step, ask nothing (section 4.2).

"Without perception, assuming all action executions are successful": neither sensors nor default rules are
used, so the predicted effects are believed to the end. A person's correction leads to a new plan, as with
every method.
"""

from __future__ import annotations

from core.belief import Belief
from core.methods.skeleton import AskInterpretPlan
from core.policy import Context, GotAnswers, GotSenses, Observation


class OpenLoop(AskInterpretPlan):
    """Asks nothing and repairs nothing."""

    name = "classical"

    def update(self, context: Context, observation: Observation) -> Belief:
        return context.belief if isinstance(observation, GotSenses) else super().update(context, observation)

    def interpret(self, context: Context, observation: GotAnswers) -> Belief:
        return context.belief
