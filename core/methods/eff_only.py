"""The paper's ablation Eff.-only: asks about effects, never about preconditions (section 4.2)."""

from __future__ import annotations

from core.belief import Purpose, Query
from core.methods.expectations import unmet
from core.methods.skeleton import AskInterpretPlan
from core.policy import Context
from core.reason import Reason


class EffectsOnly(AskInterpretPlan):
    """Replans if an effect of the last step is not seen."""

    name = "eff-only"

    def questions(self, context: Context) -> tuple[Query, ...]:
        return self.queries(
            context, ((Purpose.EFFECT, e) for e in self.expectations.promised_effects(context))
        )

    def repair(self, context: Context) -> Reason | None:
        missing = unmet(self.expectations.promised_effects(context), context.belief)
        return self.discrepancy_reason(context, missing) if missing else None
