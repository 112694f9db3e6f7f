"""Our own values back to PDDL text, which `read.py` reads back to equal values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from core.problem import EQUALS, Action, Domain, Effect, Literal, Problem, Typed


def write_domain(domain: Domain) -> str:
    """The domain as PDDL, in the order that strict parsers want."""
    blocks = [f"(:requirements {' '.join(_requirements(domain))})"]
    if domain.types:
        blocks.append(_block(":types", (f"{t.name} - {t.type}" for t in _parents_first(domain))))
    if domain.constants:
        blocks.append(_block(":constants", (f"{c.name} - {c.type}" for c in domain.constants)))
    predicates = (f"({' '.join((p.name, *_typed(p.parameters)))})" for p in domain.predicates)
    blocks.append(_block(":predicates", predicates))
    blocks += map(_action, domain.actions)
    return _block("define", (f"(domain {domain.name})", *blocks), "\n\n  ") + "\n"


def write_problem(problem: Problem) -> str:
    """The problem as PDDL; facts are sorted."""
    blocks = (
        f"(problem {problem.name})",
        f"(:domain {problem.domain.name})",
        _block(":objects", (f"{o.name} - {o.type}" for o in problem.objects)),
        _block(":init", map(str, sorted(problem.state))),
        f"(:goal {_and(map(str, problem.goal))})",
    )
    return _block("define", blocks, "\n  ") + "\n"


def _requirements(domain: Domain) -> Iterator[str]:
    effects = [e for a in domain.actions for e in a.effects]
    literals = [p for a in domain.actions for p in a.precondition]
    literals += [c for e in effects for c in e.condition]
    yield ":strips"
    yield ":typing"
    if not all(literal.positive for literal in literals):
        yield ":negative-preconditions"
    if any(literal.predicate == EQUALS for literal in literals):
        yield ":equality"
    if any(e.variables or e.condition for e in effects):
        yield ":conditional-effects"


def _parents_first(domain: Domain) -> Iterable[Typed]:
    def depth(type: str) -> int:
        return 1 + depth(domain.parents[type]) if type in domain.parents else 0

    return sorted(domain.types, key=lambda t: (depth(t.name), t))


def _action(action: Action) -> str:
    effects = (_effect(e.literal, e) for e in action.effects)
    return (
        f"(:action {action.name}\n"
        f"    :parameters ({' '.join(_typed(action.parameters))})\n"
        f"    :precondition {_and(map(str, action.precondition))}\n"
        f"    :effect {_and(effects)})"
    )


def _effect(literal: Literal, effect: Effect) -> str:
    text = str(literal)
    if effect.condition:
        text = f"(when {_and(map(str, effect.condition))} {text})"
    if effect.variables:
        text = f"(forall ({' '.join(_typed(effect.variables))}) {text})"
    return text


def _typed(parameters: Sequence[Typed]) -> Iterator[str]:
    for type, group in groupby(parameters, key=lambda p: p.type):
        yield from (p.name for p in group)
        yield f"- {type}"


def _and(parts: Iterable[str]) -> str:
    return f"({' '.join(('and', *parts))})"


def _block(head: str, parts: Iterable[str], gap: str = "\n    ") -> str:
    return f"({gap.join((head, *parts))})"
