"""Count how often each step failed for the same reason, so that a person is asked before an arm wears out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from core.belief import Verdict
from core.planning_model import Literal, Step
from core.policy import Context
from core.ports import StepStatus
from core.reason import RepeatedFailure

DEFAULT_FAILURE_LIMIT = 3  # failures of one step for one reason, after which a person is asked; 0: never


@dataclass(frozen=True)
class FailureHistory:
    """The failures of each step since it last worked, by kind. Immutable."""

    failures: Mapping[tuple[Step, str], RepeatedFailure] = field(default_factory=lambda: MappingProxyType({}))
    approved: Mapping[Step, int] = field(default_factory=lambda: MappingProxyType({}))  # failures until then

    def after(self, context: Context) -> FailureHistory:
        """Return the history after the last step was judged, once its answers are known."""
        done = context.last_step
        if done is None:
            return self
        report, missing = _failure(context)
        if not report and not missing:
            others = {key: value for key, value in self.failures.items() if key[0] != done.step}
            approved = {step: count for step, count in self.approved.items() if step != done.step}
            return FailureHistory(MappingProxyType(others), MappingProxyType(approved))
        key = (done.step, _kind(report, missing))
        before = self.failures.get(key)
        failure = RepeatedFailure(done.step, 1 + (before.count if before else 0), report, missing)
        return replace(self, failures=MappingProxyType({**self.failures, key: failure}))

    def repeated(self, step: Step, limit: int) -> RepeatedFailure | None:
        """Return the step's most frequent failure, if it occurred `limit` times since a person last
        approved the step."""
        worst = self.worst(step)
        if not limit or worst is None or worst.count - self.approved.get(step, 0) < limit:
            return None
        return worst

    def worst(self, step: Step | None = None) -> RepeatedFailure | None:
        """Return the most frequent failure, of this step or of any."""
        found = [f for (of, _), f in self.failures.items() if step is None or of == step]
        return max(found, key=lambda f: f.count, default=None)

    def approve(self, step: Step) -> FailureHistory:
        """Return the history after a person approved the step anyway, so that it asks again only after as
        many more failures.
        """
        worst = self.worst(step)
        count = worst.count if worst else 0
        return replace(self, approved=MappingProxyType({**self.approved, step: count}))


def _failure(context: Context) -> tuple[str, tuple[Literal, ...]]:
    """Return the robot's report of a failed last step, or the effects that are not believed."""
    done, problem = context.last_step, context.problem
    if done is None or problem.step_faults(done.step):
        return "", ()
    if done.result.status is StepStatus.FAILED:
        return done.result.detail or "the robot reports a failure", ()
    schema = problem.domain.action(done.step.name)
    names = dict(zip((p.name for p in schema.parameters), done.step.args, strict=True))
    plain = (e for e in schema.effects if not (e.variables or e.condition or e.formulas))
    bound = [e.literal.bind(names) for e in plain]
    added = {literal.atom for literal in bound if literal.positive}
    lasting = (literal for literal in bound if literal.positive or literal.atom not in added)
    verdict = context.belief.verdict  # UNKNOWN denies nothing
    return "", tuple(e for e in lasting if verdict(e.atom) is Verdict.from_bool(not e.positive))


def _kind(report: str, missing: tuple[Literal, ...]) -> str:
    """Return the kind of a failure: the report without its numbers, or else the missing effects."""
    return re.sub(r"\d+(\.\d+)?", "#", report) or " ".join(sorted(map(str, missing)))
