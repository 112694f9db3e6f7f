"""List the steps and atoms that a person can choose from, with what is known about each. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, product

from core.belief import Atom, Belief
from core.planning.semantics import applicable_steps, touched, unmet_preconditions
from core.planning_model import EQUALS, Literal, Problem, Step
from core.text.vocabulary import Vocabulary
from core.work import TooMuchWork, Work

SEARCH_UNITS = 200_000  # of work, while the window waits
SEARCHED_AT_MOST = 20_000  # ground steps or atoms at most, in one search
LOOKED_AT = 1000  # ground steps, for what they change


def matches(search: str, *texts: object) -> bool:
    """Return True if every word of the search is in these texts."""
    said = " ".join(map(str, texts)).lower()
    return all(word in said for word in search.lower().split())


@dataclass(frozen=True)
class CandidateRow:
    """A step as text, with the reasons why it cannot be done now; without reasons it can."""

    step: Step
    text: str
    reasons: tuple[str, ...] = ()


def executable_steps(problem: Problem, vocabulary: Vocabulary) -> tuple[CandidateRow, ...]:
    """Return the steps that can be done in the problem's state, sorted by name. Raises TooMuchWork."""
    with Work(SEARCH_UNITS, about="Listing all that can be done"):
        steps = applicable_steps(problem, problem.state)
    return tuple(sorted((CandidateRow(s, vocabulary.describe_step(s)) for s in steps), key=lambda c: c.text))


def blocked_steps(
    problem: Problem, vocabulary: Vocabulary, search: str, most: int
) -> tuple[CandidateRow, ...]:
    """Return steps that match the search and cannot be done, each with its reasons; those with the fewest
    first.
    """
    found = []
    with suppress(TooMuchWork), Work(SEARCH_UNITS):
        for step in islice(_steps(problem), SEARCHED_AT_MOST):
            said = vocabulary.describe_step(step)
            missing = matches(search, said, step) and unmet_preconditions(problem, problem.state, step)
            if missing:
                found.append(CandidateRow(step, said, tuple(describe_unmet(m, vocabulary) for m in missing)))
    return tuple(sorted(found, key=lambda c: (len(c.reasons), c.text))[:most])


def describe_unmet(literal: Literal, vocabulary: Vocabulary) -> str:
    """Describe an unmet precondition: what the step needs."""
    if literal.predicate == EQUALS:
        return "two different objects" if not literal.positive else "the same object twice"
    return vocabulary.describe_literal(literal)


def _steps(problem: Problem) -> Iterator[Step]:
    for action in problem.domain.actions:
        for args in product(*(problem.of_type(p.type) for p in action.parameters)):
            yield Step(action.name, args)


def atom_candidates(
    problem: Problem, belief: Belief, search: str, vocabulary: Vocabulary, most: int
) -> tuple[Atom, ...]:
    """Return well-typed atoms that match the search; those in the belief come first."""
    known = {e.atom for e in belief}
    atoms = islice(_atoms(problem), SEARCHED_AT_MOST)
    found = [a for a in atoms if matches(search, vocabulary.describe_atom(a), a)]
    return tuple(sorted(found, key=lambda a: (a not in known, a))[:most])


def goal_candidates(problem: Problem, vocabulary: Vocabulary, search: str, most: int) -> tuple[Literal, ...]:
    """Return the first `most` facts and negated facts whose text matches the search, without those that
    relate a thing to itself; first those that some step can bring about or end, but no bookkeeping.
    """
    atoms = [a for a in islice(_atoms(problem), SEARCHED_AT_MOST // 2) if len(set(a.args)) == len(a.args)]
    books = vocabulary.domain_spec.bookkeeping if vocabulary.domain_spec is not None else ()
    changed = (touched(problem, step) for step in islice(_steps(problem), LOOKED_AT))
    likely = {a for a in frozenset[Atom]().union(*changed) if a.predicate not in books}
    ordered = (a for first in (True, False) for a in atoms if (a in likely) is first)
    facts = (Literal(a.predicate, a.args, yes) for a in ordered for yes in (True, False))
    return tuple(islice((f for f in facts if matches(search, vocabulary.describe_literal(f), f)), most))


def _atoms(problem: Problem) -> Iterator[Atom]:
    for predicate in problem.domain.predicates:
        for args in product(*(problem.of_type(p.type) for p in predicate.parameters)):
            yield Atom(predicate.name, args)
