"""Apply changes to a problem. Pure: a problem and changes in, a problem out; to undo, keep the old one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.belief import Atom
from core.knowledge.changes import (
    AddFact,
    AddObject,
    AddPrecondition,
    AddRepair,
    AllowSubstitute,
    Change,
)
from core.planning_model import EQUALS, Action, Domain, Effect, Literal, Predicate, Problem, Typed

_ORDER = (AllowSubstitute, AddPrecondition, AddRepair, AddObject, AddFact)  # what is named, before it is used


def apply_changes(problem: Problem, changes: Iterable[Change]) -> Problem:
    """Return the problem with these changes, types and predicates first. One that it has changes nothing.

    The changes must be without faults (`faults.py`); raises KeyError or StopIteration otherwise.
    """
    domain, objects, facts = problem.domain, {o.name: o for o in problem.all_objects}, set[Atom]()
    known = len(objects)
    for change in sorted(changes, key=lambda c: _ORDER.index(type(c))):
        match change:
            case AddPrecondition():
                domain = _with_precondition(domain, change)
            case AllowSubstitute(kind, stands_for):
                domain = with_type(domain, kind, stands_for)
            case AddRepair():
                domain = _with_repair(domain, change)
            case AddObject(name, kind, seen):
                objects.setdefault(name, Typed(name, kind))
                facts.update(seen)
            case AddFact(fact):
                facts.add(fact)
    new = tuple(objects.values())[known:]
    return replace(problem, domain=domain, objects=(*problem.objects, *new), state=problem.state | facts)


def _with_precondition(domain: Domain, change: AddPrecondition) -> Domain:
    action = domain.action(change.action)
    literal = Literal(change.predicate, parameters_of(domain, action, change.types), False)
    if literal in action.precondition:
        return domain
    changed = replace(action, precondition=(*action.precondition, literal))
    return _with_action(with_predicate(domain, change.predicate, change.types), changed)


def _with_repair(domain: Domain, change: AddRepair) -> Domain:
    """Add a conditional effect: where the device is one of this kind, the predicate ends."""
    action = domain.action(change.action)
    device, thing = repair_parameters(domain, action, change)
    one = Typed("?device", change.device)
    effect = Effect(
        Literal(change.predicate, (thing,), False), (one,), (Literal(EQUALS, (device, one.name)),)
    )
    if effect in action.effects:
        return domain
    domain = with_predicate(domain, change.predicate, (change.type,))
    return _with_action(domain, replace(action, effects=(*action.effects, effect)))


def repair_parameters(domain: Domain, action: Action, change: AddRepair) -> tuple[str, str]:
    """Return the action's parameters for the device and for the thing. Raises StopIteration without them."""
    device = next(p.name for p in action.parameters if domain.is_a(change.device, p.type))
    thing = next(p.name for p in action.parameters if p.name != device and domain.is_a(change.type, p.type))
    return device, thing


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


def new_facts(old: Problem, new: Problem) -> tuple[Atom, ...]:
    """Return the facts that the changes have added."""
    return tuple(sorted(new.state - old.state))


def _with_action(domain: Domain, changed: Action) -> Domain:
    return replace(domain, actions=tuple(changed if a.name == changed.name else a for a in domain.actions))
