"""Fit what the variants of a domain share to each of them, so that one may have more than another. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.domains import Situation
from core.planning.pddl.formulas import literals
from core.planning_model import Domain, Literal, Problem, type_alternatives


def extended(domain: Domain, others: Iterable[Domain]) -> Domain:
    """Return the domain with the types, predicates and actions that only the others have."""
    everyone = (*others, domain)
    return replace(
        domain,
        types=tuple(sorted({t for each in everyone for t in each.types})),
        predicates=tuple({p.name: p for each in everyone for p in each.predicates}.values()),
        actions=tuple({a.name: a for each in everyone for a in each.actions}.values()),
    )


def in_variant(problem: Problem, domain: Domain) -> Problem | None:
    """Return what a problem is in this variant, without the objects and facts of which the variant has no
    type or predicate; None if its goal needs one of these."""
    types, predicates = {"object", *domain.parents}, {p.name for p in domain.predicates}
    objects = tuple(o for o in problem.objects if types.issuperset(type_alternatives(o.type)))
    names = {o.name for o in (*objects, *domain.constants)}
    goal = [literal for part in (*problem.goal, *problem.goal_formulas) for literal in literals(part)]
    gone = {o.name for o in problem.objects} - names
    if any(g.predicate not in predicates or not gone.isdisjoint(g.args) for g in goal):
        return None
    state = frozenset(a for a in problem.state if a.predicate in predicates and names.issuperset(a.args))
    return replace(problem, domain=domain, objects=objects, state=state)


def known_changes(changes: Iterable[Literal], domain: Domain) -> tuple[Literal, ...]:
    """Return the facts to be made so that this variant has."""
    predicates = {p.name for p in domain.predicates}
    return tuple(literal for literal in changes if literal.predicate in predicates)


def known_situations(situations: Iterable[Situation], domain: Domain) -> tuple[Situation, ...]:
    """Return what can go wrong in this variant: not what concerns only facts that it lacks."""
    changed = ((s, known_changes(s.effects, domain)) for s in situations)
    return tuple(
        s if effects == s.effects else replace(s, effects=effects)
        for s, effects in changed
        if effects or s.drops or not s.effects
    )
