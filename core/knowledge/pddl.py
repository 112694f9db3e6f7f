"""Changes of a domain as the PDDL that they add, for people."""

from __future__ import annotations

from core.knowledge.changes import (
    AddFact,
    AddObject,
    AddPrecondition,
    AddRepair,
    AllowSubstitute,
    Change,
)


def change_pddl(change: Change) -> str:
    """Return what a change adds, with the place it goes to: "fill: (not (is_dirty ?cup))"."""
    match change:
        case AddPrecondition(action, predicate, types):
            terms = "".join(f" ?{type}" for type in types)
            return f"{action}: (not ({predicate}{terms}))"
        case AllowSubstitute(substitute, stands_for):
            return f"types: {substitute} - {stands_for}"
        case AddRepair(action, device, predicate, type):
            when = f"(when (= ?device ?{device}) (not ({predicate} ?{type})))"
            return f"{action}: (forall (?{device} - {device}) {when})"
        case AddObject(name, type, facts):
            return " ".join((f"objects: {name} - {type}", *map(str, facts)))
        case AddFact(fact):
            return f"init: {fact}"
