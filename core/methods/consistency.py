"""Find contradictions: answers that differ from expectations, and facts that exclude each other."""

from __future__ import annotations

from collections.abc import Sequence

from core.belief import Answer, Contradiction, Verdict
from core.domains import DomainSpec
from core.methods.expectations import Expectations
from core.methods.sensor_precedence import SensorPrecedence
from core.planning.default_rules import RuleSet
from core.planning_model import Problem
from core.policy import Context


class DomainConsistency:
    """Judges by the domain alone, whatever the method is. Pure; what depends on the problem is a cache."""

    def __init__(self, domain_spec: DomainSpec, problem: Problem) -> None:
        self._rules = RuleSet(domain_spec, problem)
        self._problem, self._expectations = problem, Expectations(problem)
        self._precedence = SensorPrecedence(domain_spec, self._rules)

    def contradictions(self, context: Context, answers: Sequence[Answer]) -> tuple[Contradiction, ...]:
        if context.problem.digest != self._problem.digest:
            self._problem, self._expectations = context.problem, Expectations(context.problem)
        expected = (
            *self._expectations.needed_effects(context),
            *self._expectations.next_preconditions(context),
        )
        needed = {literal.atom for literal in expected}
        found = []
        for answer in answers:
            held = context.belief.entry(answer.atom)
            if answer.verdict in (Verdict.UNKNOWN, held.verdict) or answer.atom not in needed:
                continue
            reason = f"{held.source.value} {held.verdict.value}, now {answer.verdict.value}"
            found.append(Contradiction((answer.atom,), reason))
        named = {atom for contradiction in found for atom in contradiction.atoms}
        found += [c for c in self._precedence.contradictions(context, answers) if c.atoms[0] not in named]
        found += self._rules.conflicts(context.belief.updated_with(answers), {a.atom for a in answers})
        return tuple(found)
