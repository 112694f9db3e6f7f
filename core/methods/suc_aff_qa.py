"""The paper's baseline Suc.Aff.-QA: was the step successful, and is the next one possible (section 4.2).

Both are asked in one call, about one picture. What the paper leaves open is decided as in Suc.-QA and
Aff.-QA. A step that was not successful is done again first, and what was said about the step after it
then counts for nothing.
"""

from __future__ import annotations

from core.domains import Folder
from core.facts import About, Belief, Query
from core.methods.aff_qa import AffordanceQuestion
from core.methods.skeleton import AskInterpretPlan, PerceptionOptions
from core.methods.suc_qa import SuccessQuestion
from core.methods.wording import first_no
from core.policy import Context, GotAnswers
from core.problem import Problem
from core.reason import Reason


class SuccessAndAffordance(AskInterpretPlan):
    name = "suc-aff-qa"

    def __init__(self, folder: Folder, problem: Problem, options: PerceptionOptions | None = None) -> None:
        super().__init__(folder, problem, options)
        self.success = SuccessQuestion(folder, problem, options)
        self.affordance = AffordanceQuestion(folder, problem, options)

    def questions(self, context: Context) -> tuple[Query, ...]:
        return (*self.success.questions(context), *self.affordance.questions(context))

    def interpret(self, context: Context, seen: GotAnswers) -> Belief:
        failed = first_no(seen, About.WORKED) is not None
        return (self.success if failed else self.affordance).interpret(context, seen)

    def repair(self, context: Context) -> Reason | None:
        return self.success.repair(context) or self.affordance.repair(context)
