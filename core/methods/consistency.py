"""What does not fit together: answers against what is expected, and facts that exclude each other."""

from __future__ import annotations

from collections.abc import Sequence

from core.domains import Folder
from core.facts import Answer, Contradiction, Verdict
from core.methods.expectations import Expectations
from core.planning.rules import Assumptions
from core.policy import Context
from core.problem import Problem


class DomainConsistency:
    """Judges by the domain alone, whatever the method is. Pure."""

    def __init__(self, folder: Folder, problem: Problem) -> None:
        self._assumptions = Assumptions(folder, problem)
        self._expectations = Expectations(problem)

    def contradictions(self, context: Context, answers: Sequence[Answer]) -> tuple[Contradiction, ...]:
        expected = (*self._expectations.needed_effects(context), *self._expectations.needed_next(context))
        needed = {literal.atom for literal in expected}
        found = []
        for answer in answers:
            held = context.belief.entry(answer.atom)
            if answer.verdict in (Verdict.UNKNOWN, held.verdict) or answer.atom not in needed:
                continue
            why = f"{held.source.value} {held.verdict.value}, now {answer.verdict.value}"
            found.append(Contradiction((answer.atom,), why))
        found += self._assumptions.excluded(context.belief.told(answers), {a.atom for a in answers})
        return tuple(found)
