"""Edit a domain: add a type, a predicate, another form of an action. Pure; the old domain stays as it was."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.planning_model import Action, Domain, Predicate, Typed


def parameters_of(domain: Domain, action: Action, types: Iterable[str]) -> tuple[str, ...]:
    """Return a parameter of the action for each type, none twice: the one whose type is the closest.

    Raises StopIteration without one.
    """
    found: list[str] = []
    for type in types:
        fits = [p for p in action.parameters if p.name not in found and domain.is_a(type, p.type)]
        found.append(next(p.name for p in fits if not any(_is_closer(domain, q, p) for q in fits)))
    return tuple(found)


def _is_closer(domain: Domain, one: Typed, other: Typed) -> bool:
    return domain.is_a(one.type, other.type) and not domain.is_a(other.type, one.type)


def with_type(domain: Domain, kind: str, parent: str) -> Domain:
    """Return the domain in which `kind` is a `parent` as well as what it was."""
    entry = Typed(kind, parent)
    return domain if entry in domain.types else replace(domain, types=tuple(sorted({*domain.types, entry})))


def with_predicate(domain: Domain, name: str, types: Iterable[str]) -> Domain:
    """Return the domain with a predicate over the topmost of these types.

    `grasp` takes a thing, `fill` a cup, and both may need that it is not dirty.
    """
    if any(p.name == name for p in domain.predicates):
        return domain
    parameters = tuple(Typed(f"?x{i}", topmost(domain, type)) for i, type in enumerate(types))
    return replace(domain, predicates=(*domain.predicates, Predicate(name, parameters)))


def topmost(domain: Domain, type: str) -> str:
    """Return the type below "object" that is above this one."""
    seen = {type}
    while (parent := domain.parents.get(type, "object")) != "object" and parent not in seen:
        seen.add(parent)
        type = parent
    return type


def with_action(domain: Domain, changed: Action) -> Domain:
    return replace(domain, actions=tuple(changed if a.name == changed.name else a for a in domain.actions))
