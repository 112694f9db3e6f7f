"""What is wrong with changes before they are applied, one sentence each; the old domain stays in force."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from core.belief import Atom
from core.knowledge.apply import apply_changes, parameters_of, repair_parameters, topmost
from core.knowledge.changes import (
    AddFact,
    AddObject,
    AddPrecondition,
    AddRepair,
    AllowSubstitute,
    Change,
)
from core.planning_model import Domain, Predicate, Problem
from core.text.untrusted_text import one_line

NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")


def change_faults(problem: Problem, changes: Sequence[Change]) -> tuple[str, ...]:
    """Return why these changes cannot be applied together, one sentence each; () if they can."""
    faults = tuple(
        dict.fromkeys((*_names(changes), *_each(problem, changes), *_contradictions(problem, changes)))
    )
    if faults or (faults := tuple(_together(problem, changes))):
        return faults
    new = apply_changes(problem, changes)
    if not problem.is_goal(problem.state) and new.is_goal(new.state):
        return (
            "The change makes the goal true at once, before the robot has done anything: leave out its fact.",
        )
    return ()


def _together(problem: Problem, changes: Sequence[Change]) -> Iterator[str]:
    """Yield what is wrong once the substitutes are declared, which have no circle by now."""
    declared = apply_changes(problem, (c for c in changes if isinstance(c, AllowSubstitute)))
    declared_types = declared.domain.types
    types = {"object", *(t.name for t in declared_types), *(t.type for t in declared_types)}
    for change in changes:
        match change:
            case AddRepair(_, device):
                yield from (
                    _unknown("type", (device,), types) if device not in types else _repair(declared, change)
                )
            case AddObject(_, type):
                yield from _unknown("type", (type,), types)


def _names(changes: Iterable[Change]) -> Iterator[str]:
    for change in changes:
        for name in _new_names(change):
            if not NAME.fullmatch(name):
                yield f"{one_line(repr(name), 60)} is no PDDL name: use lower-case letters, digits, _ and -."


def _new_names(change: Change) -> tuple[str, ...]:
    match change:
        case AddPrecondition(_, predicate):
            return (predicate,)
        case AllowSubstitute(kind):
            return (kind,)
        case AddRepair(_, device, predicate):
            return device, predicate
        case AddObject(name, type):
            return name, type
        case AddFact():
            return ()


def _each(problem: Problem, changes: Sequence[Change]) -> Iterator[str]:
    """Yield what a change names and the domain does not have, be it by another of the changes."""
    domain = problem.domain
    types = {"object", *(t.name for t in domain.types), *(t.type for t in domain.types)}
    types |= {c.substitute for c in changes if isinstance(c, AllowSubstitute)}
    objects = {o.name for o in problem.all_objects} | {c.name for c in changes if isinstance(c, AddObject)}
    predicates = dict(_predicates(domain, changes))
    actions = {a.name for a in domain.actions}
    for change in changes:
        match change:
            case AddPrecondition(action, predicate, about):
                yield from _unknown("action", (action,), actions)
                yield from _unknown("type", about, types)
                if action in actions and types.issuperset(about):
                    yield from _precondition(problem, change, predicates[predicate])
            case AllowSubstitute(_, stands_for):
                yield from _unknown("type", (stands_for,), types)
            case AddRepair(action, _, predicate, type):
                yield from _unknown("action", (action,), actions)
                yield from _unknown("type", (type,), types)
                if action in actions and type in types:
                    yield from _repair(problem, change)
            case AddObject(_, _, facts):
                for fact in facts:
                    yield from _fact(fact, predicates, objects)
            case AddFact(fact):
                yield from _fact(fact, predicates, objects)


def _predicates(domain: Domain, changes: Iterable[Change]) -> Iterator[tuple[str, int]]:
    for change in changes:
        match change:
            case AddPrecondition(_, predicate, types):
                yield predicate, len(types)
            case AddRepair(_, _, predicate):
                yield predicate, 1
    yield from ((p.name, len(p.parameters)) for p in domain.predicates)


def _unknown(what: str, names: Iterable[str], known: Iterable[str]) -> Iterator[str]:
    for name in names:
        if name not in known:
            yield f"The domain has no {what} {one_line(repr(name), 60)}: name one that it has."


def _precondition(problem: Problem, change: AddPrecondition, arity: int) -> Iterator[str]:
    domain, action = problem.domain, problem.domain.action(change.action)
    try:
        terms = parameters_of(domain, action, change.types)
    except StopIteration:
        yield f"{change.action} takes nothing of the type {' or '.join(change.types)}: name another action."
        return
    if arity != len(change.types):
        yield f"{change.predicate} has {arity} arguments already, not {len(change.types)}: take another name."
    elif any(p.predicate == change.predicate and p.args == terms and p.positive for p in action.precondition):
        yield (f"{change.action} needs {change.predicate} already: with the change it could never be done.")
    elif (known := _known(domain, change.predicate)) and not _fits(domain, known, change.types):
        yield f"{change.predicate} means something else in this domain: take another name."


def _repair(problem: Problem, change: AddRepair) -> Iterator[str]:
    domain = problem.domain
    if change.device not in {t.name for t in domain.types}:
        return  # a type that a substitute declares first
    try:
        repair_parameters(domain, domain.action(change.action), change)
    except StopIteration:
        yield (
            f"{change.action} does not take a {change.device} and a {change.type}: "
            "name a skill that takes both."
        )


def _fact(fact: Atom, predicates: dict[str, int], objects: set[str]) -> Iterator[str]:
    if fact.predicate not in predicates:
        yield f"The fact {fact} has a predicate that the domain does not have: add it with a precondition."
    elif predicates[fact.predicate] != len(fact.args):
        yield f"The fact {fact} has {len(fact.args)} arguments, not {predicates[fact.predicate]}."
    for name in fact.args:
        if name not in objects:
            yield f"The fact {fact} names {name}, which is not there: add the object first."


def _known(domain: Domain, name: str) -> Predicate | None:
    return next((p for p in domain.predicates if p.name == name), None)


def _fits(domain: Domain, predicate: Predicate, types: Sequence[str]) -> bool:
    return all(
        domain.is_a(type, p.type) or domain.is_a(topmost(domain, type), p.type)
        for type, p in zip(types, predicate.parameters, strict=True)
    )


def _contradictions(problem: Problem, changes: Sequence[Change]) -> Iterator[str]:
    """Yield what cannot hold together: a circle of substitutes, or an object of two types."""
    pairs = {(c.substitute, c.stands_for) for c in changes if isinstance(c, AllowSubstitute)}
    for kind, stands_for in sorted(pairs):
        both = kind <= stands_for and (stands_for, kind) in pairs
        if both or problem.domain.is_a(stands_for, kind):
            yield f"A {kind} cannot count as a {stands_for}, which counts as a {kind}: keep one of the two."
    types = {o.name: o.type for o in problem.all_objects}
    for change in (c for c in changes if isinstance(c, AddObject)):
        if types.setdefault(change.name, change.type) != change.type:
            yield f"{change.name} is a {types[change.name]} already: give the new thing another name."
