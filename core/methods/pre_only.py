"""The paper's ablation Pre.-only: asks about preconditions, never about effects (section 4.2)."""

from __future__ import annotations

from core.belief import Purpose, Query
from core.methods.expectations import unmet
from core.methods.skeleton import AskInterpretPlan
from core.policy import Context
from core.reason import Reason


class PreconditionsOnly(AskInterpretPlan):
    """Replans if a precondition of the next step is not seen."""

    name = "pre-only"

    def questions(self, context: Context) -> tuple[Query, ...]:
        needed = self.expectations.next_preconditions(context)
        return self.queries(context, ((Purpose.PRECONDITION, condition) for condition in needed))

    def repair(self, context: Context) -> Reason | None:
        missing = unmet(self.expectations.next_preconditions(context), context.belief)
        return self.discrepancy_reason(context, missing) if missing else None
