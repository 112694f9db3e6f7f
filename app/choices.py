"""Every step and every atom that a person may pick, with what is known of it. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, product

from app.naming import Naming
from core.belief import Atom, Belief
from core.planning.semantics import applicable_steps, unmet_preconditions
from core.planning_model import EQUALS, Literal, Problem, Step

LOOKED_AT = 20_000  # ground steps or atoms at most, in one search


@dataclass(frozen=True)
class Choice:
    """A step in words, and why it cannot be done now; no reasons if it can."""

    step: Step
    words: str
    reasons: tuple[str, ...] = ()


def possible(problem: Problem, naming: Naming) -> tuple[Choice, ...]:
    """What can be done in the problem's state, by name."""
    steps = applicable_steps(problem, problem.state)
    return tuple(sorted((Choice(s, naming.say(s)) for s in steps), key=lambda c: c.words))


def impossible(problem: Problem, naming: Naming, search: str, most: int) -> tuple[Choice, ...]:
    """Steps that match the search and cannot be done, each with its reasons; the least far away first."""
    words = search.lower().split()
    found = []
    for step in islice(_steps(problem), LOOKED_AT):
        said = naming.say(step)
        if words and not all(w in f"{said} {step}".lower() for w in words):
            continue
        missing = unmet_preconditions(problem, problem.state, step)
        if missing:
            found.append(Choice(step, said, tuple(needs(m, naming) for m in missing)))
    return tuple(sorted(found, key=lambda c: (len(c.reasons), c.words))[:most])


def needs(literal: Literal, naming: Naming) -> str:
    """A precondition that does not hold, in words: what the step needs."""
    if literal.predicate == EQUALS:
        return "two different things" if not literal.positive else "the same thing twice"
    return naming.fact(literal)


def _steps(problem: Problem) -> Iterator[Step]:
    for action in problem.domain.actions:
        for args in product(*(problem.of_type(p.type) for p in action.parameters)):
            yield Step(action.name, args)


def atoms(problem: Problem, belief: Belief, search: str, naming: Naming, most: int) -> tuple[Atom, ...]:
    """Well-typed atoms that match the search; those that are in the belief come first."""
    words = search.lower().split()
    known = {e.atom for e in belief}
    found = [a for a in islice(_atoms(problem), LOOKED_AT) if _matches(a, words, naming)]
    return tuple(sorted(found, key=lambda a: (a not in known, a))[:most])


def statements(problem: Problem, naming: Naming, search: str, most: int) -> tuple[Literal, ...]:
    """What may be asked for at the end: each fact and its opposite whose words match, the first `most`."""
    words = search.lower().split()
    both = (Literal(a.predicate, a.args, yes) for a in _atoms(problem) for yes in (True, False))
    found = (
        fact
        for fact in islice(both, LOOKED_AT)
        if all(w in f"{naming.fact(fact)} {fact}".lower() for w in words)
    )
    return tuple(islice(found, most))


def _matches(atom: Atom, words: list[str], naming: Naming) -> bool:
    text = f"{naming.atom(atom)} {atom}".lower()
    return all(w in text for w in words)


def _atoms(problem: Problem) -> Iterator[Atom]:
    for predicate in problem.domain.predicates:
        for args in product(*(problem.of_type(p.type) for p in predicate.parameters)):
            yield Atom(predicate.name, args)
