"""Apply proposed changes to a problem, and say before what is wrong with them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from core.belief import Atom
from core.knowledge.proposed import Known, Proposed
from core.planning_model import Problem
from core.text.untrusted_text import one_line

NAME = re.compile(r"[a-z][a-z0-9_-]{0,59}")


def apply_changes(problem: Problem, changes: Iterable[Proposed]) -> Problem:
    """Return the problem with these changes, types and predicates first. One that it has changes nothing.

    The changes must be without faults; raises KeyError or StopIteration otherwise.
    """
    for change in sorted(changes, key=lambda c: c.order):
        problem = change.apply(problem)
    return problem


def new_facts(old: Problem, new: Problem) -> tuple[Atom, ...]:
    """Return the facts that the changes have added."""
    return tuple(sorted(new.state - old.state))


def change_faults(problem: Problem, changes: Sequence[Proposed]) -> tuple[str, ...]:
    """Return why these changes cannot be applied together, one sentence each; () if they can."""
    known = _known(problem, changes)
    faults = [
        f"{one_line(repr(name), 60)} is no PDDL name: use lower-case letters, digits, _ and -."
        for change in changes
        for name in change.new_names
        if not NAME.fullmatch(name)
    ]
    faults += [fault for change in changes for fault in change.faults(known)]
    if not faults:  # then the substitutes can be declared, which have no circle
        declared = apply_changes(problem, (c for c in changes if c.new_types))
        known = _known(declared, changes)
        faults = [fault for change in changes for fault in change.later_faults(known)]
    if faults:
        return tuple(dict.fromkeys(faults))
    new = apply_changes(problem, changes)
    if not problem.is_goal(problem.state) and new.is_goal(new.state):
        return (
            "The change makes the goal true at once, before the robot has done anything: leave out its fact.",
        )
    return ()


def _known(problem: Problem, changes: Sequence[Proposed]) -> Known:
    domain = problem.domain
    types = {"object", *(t.name for t in domain.types), *(t.type for t in domain.types)}
    objects: dict[str, str] = {}
    predicates: dict[str, int] = {}
    for change in changes:
        types.update(change.new_types)
        objects = change.new_objects | objects
        predicates |= change.new_predicates
    return Known(
        problem,
        changes,
        frozenset(types),
        objects | {o.name: o.type for o in problem.all_objects},
        predicates | {p.name: len(p.parameters) for p in domain.predicates},
        frozenset(a.name for a in domain.actions),
    )
