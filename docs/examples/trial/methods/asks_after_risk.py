"""An example method, which asks about effects only after steps that can go wrong in the domain."""

from core.belief import Purpose, Query
from core.methods.baselines import EffectsOnly
from core.methods.skeleton import PerceptionOptions
from core.policy import Context
from core.registry import Entry


class AsksAfterRisk(EffectsOnly):
    name = "asks-after-risk"

    def questions(self, context: Context) -> tuple[Query, ...]:
        done, skills = context.last_step, self.domain_spec.skills
        if done is None or done.step.name not in skills or not skills[done.step.name].situations:
            return ()
        effects = self.expectations.promised_effects(context)
        return self.queries(context, ((Purpose.EFFECT, effect) for effect in effects))


ENTRIES = {
    "methods": [
        Entry(
            "asks-after-risk",
            "Asks after risk",
            "Effects of steps that can go wrong, and nothing else.",
            lambda domain_spec, problem, options, **_: AsksAfterRisk(domain_spec, problem, options),
            PerceptionOptions,
        )
    ]
}
