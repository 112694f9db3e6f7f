"""Write our own values as PDDL text, which `pddl_reader.py` reads back as equal values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from core.planning.pddl.formulas import literals
from core.planning_model import (
    EQUALS,
    Action,
    Amount,
    Axiom,
    Domain,
    Effect,
    Formula,
    Literal,
    Problem,
    Typed,
)


def write_domain(domain: Domain) -> str:
    """Return the domain as PDDL, in the order that strict parsers require."""
    blocks = [f"(:requirements {' '.join(_requirements(domain))})"]
    if domain.types:
        blocks.append(_block(":types", (f"{t.name} - {t.type}" for t in _parents_first(domain))))
    if domain.constants:
        blocks.append(_block(":constants", (f"{c.name} - {c.type}" for c in domain.constants)))
    predicates = (f"({' '.join((p.name, *_typed(p.parameters)))})" for p in domain.predicates)
    blocks.append(_block(":predicates", predicates))
    if domain.functions:
        named = (" ".join((f.name, *_typed(f.parameters))) for f in domain.functions)
        blocks.append(_block(":functions", (f"({text}) - number" for text in named)))
    blocks += map(_axiom, domain.axioms)
    blocks += map(_action, domain.actions)
    return _block("define", (f"(domain {domain.name})", *blocks), "\n\n  ") + "\n"


def write_problem(problem: Problem) -> str:
    """Return the problem as PDDL, with sorted facts."""
    blocks = (
        f"(problem {problem.name})",
        f"(:domain {problem.domain.name})",
        _block(":objects", (f"{o.name} - {o.type}" for o in problem.objects)),
        _block(":init", (*map(str, sorted(problem.state)), *_values(problem))),
        f"(:goal {_and(map(str, (*problem.goal, *problem.goal_formulas)))})",
        *((f"(:metric {problem.metric})",) if problem.metric else ()),
    )
    return _block("define", blocks, "\n  ") + "\n"


def _values(problem: Problem) -> Iterator[str]:
    return (f"(= {atom} {_number(value)})" for atom, value in problem.costs)


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else str(value)


def _requirements(domain: Domain) -> Iterator[str]:
    effects = [e for a in domain.actions for e in a.effects]
    found = [p for a in domain.actions for p in a.precondition]
    found += [c for e in effects for c in e.condition]
    found += [c for axiom in domain.axioms for c in axiom.condition]
    parts: list[Action | Effect | Axiom] = [*domain.actions, *effects, *domain.axioms]
    formulas = [formula for part in parts for formula in part.formulas]
    found += [literal for formula in formulas for literal in literals(formula)]
    yield ":strips"
    yield ":typing"
    if not all(literal.positive for literal in found):
        yield ":negative-preconditions"
    if any(literal.predicate == EQUALS for literal in found):
        yield ":equality"
    if any(e.variables or e.condition or e.formulas for e in effects):
        yield ":conditional-effects"
    if formulas:
        yield ":adl"
    if domain.axioms:
        yield ":derived-predicates"
    if any(action.costs for action in domain.actions):
        yield ":action-costs"


def _parents_first(domain: Domain) -> Iterable[Typed]:
    def depth(type: str) -> int:
        return 1 + depth(domain.parents[type]) if type in domain.parents else 0

    return sorted(domain.types, key=lambda t: (depth(t.name), t))


def _action(action: Action) -> str:
    effects = (*map(write_effect, action.effects), *map(_increase, action.costs))
    return (
        f"(:action {action.name}\n"
        f"    :parameters ({' '.join(_typed(action.parameters))})\n"
        f"    :precondition {_all(action.precondition, action.formulas)}\n"
        f"    :effect {_and(effects)})"
    )


def write_effect(effect: Effect) -> str:
    text = str(effect.literal)
    if effect.condition or effect.formulas:
        text = f"(when {_all(effect.condition, effect.formulas)} {text})"
    if effect.variables:
        text = f"(forall ({' '.join(_typed(effect.variables))}) {text})"
    return text


def _increase(amount: Amount) -> str:
    return f"(increase (total-cost) {_number(amount) if isinstance(amount, float) else amount})"


def _axiom(axiom: Axiom) -> str:
    """Return an axiom as PDDL; variables not in the head are quantified."""
    count = len(axiom.head.args)
    head = " ".join((axiom.head.predicate, *_typed(axiom.variables[:count])))
    condition = _all(axiom.condition, axiom.formulas)
    if axiom.variables[count:]:
        condition = f"(exists ({' '.join(_typed(axiom.variables[count:]))}) {condition})"
    return f"(:derived ({head})\n    {condition})"


def _all(literals: Sequence[Literal], formulas: Sequence[Formula]) -> str:
    return _and(map(str, (*literals, *formulas)))


def _typed(parameters: Sequence[Typed]) -> Iterator[str]:
    for type, group in groupby(parameters, key=lambda p: p.type):
        yield from (p.name for p in group)
        yield f"- {type}"


def _and(parts: Iterable[str]) -> str:
    return f"({' '.join(('and', *parts))})"


def _block(head: str, parts: Iterable[str], gap: str = "\n    ") -> str:
    return f"({gap.join((head, *parts))})"
