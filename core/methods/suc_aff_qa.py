"""The paper's baseline Suc.Aff.-QA: did the step succeed, and is the next one possible (section 4.2)?

Both are asked in one call, about one picture. What the paper leaves open is decided as in Suc.-QA and
Aff.-QA. A step that did not succeed is repeated first, and the answer about the step after it is then
ignored.
"""

from __future__ import annotations

from core.belief import Belief, Query, QueryTopic
from core.domains import DomainSpec
from core.methods.aff_qa import AffordanceQuestion
from core.methods.skeleton import AskInterpretPlan, PerceptionOptions
from core.methods.step_questions import first_no
from core.methods.suc_qa import SuccessQuestion
from core.planning_model import Problem
from core.policy import Context, GotAnswers
from core.reason import Reason


class SuccessAndAffordance(AskInterpretPlan):
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
