"""Changes of a domain as frozen values, with their evidence. `apply.py` makes the changed problem of them.

The first three hold for every later episode of the domain; an object and a fact belong to one episode only.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from core.belief import Atom


@dataclass(frozen=True)
class AddPrecondition:
    """`action` needs that `predicate` does not hold of its parameters of these types.

    Without types the predicate has no arguments: "there is a power outage".
    """

    action: str
    predicate: str
    types: tuple[str, ...] = ()


@dataclass(frozen=True)
class AllowSubstitute:
    """Things of the type `substitute` count as a `stands_for` from now on."""

    substitute: str
    stands_for: str


@dataclass(frozen=True)
class AddRepair:
    """`action` ends `predicate` of a thing of `type` if it is done with a device of the type `device`.

    The action exists already: a robot does only the skills that it has.
    """

    action: str
    device: str
    predicate: str
    type: str


@dataclass(frozen=True)
class AddObject:
    """An object that the problem did not have, with what is seen of it."""

    name: str
    type: str
    facts: tuple[Atom, ...] = ()


@dataclass(frozen=True)
class AddFact:
    """A fact that holds now, such as the situation itself."""

    fact: Atom


Change = AddPrecondition | AllowSubstitute | AddRepair | AddObject | AddFact
LASTING = (AddPrecondition, AllowSubstitute, AddRepair)


def is_lasting(change: Change) -> bool:
    """Return True if the change holds for the domain, not for one episode only."""
    return isinstance(change, LASTING)


@dataclass(frozen=True)
class Evidence:
    """Why a change is suggested: what was asked in a situation, and what was replied.

    `raw_reply` is the complete reply, which is never shown raw. A person's own word has no prompt.
    """

    situation: str = ""
    prompt: str = ""
    raw_reply: str = ""
    interpretation: str = ""
    by: str = ""


@dataclass(frozen=True)
class LearntChange:
    """A change with its evidence, and the episode in which it was learnt ("" for this one)."""

    change: Change
    evidence: tuple[Evidence, ...] = ()
    episode: str = ""


@dataclass(frozen=True)
class Knowledge:
    """What an episode has learnt: the changes in force, in their order, and those that a person refused."""

    changes: tuple[LearntChange, ...] = ()
    refused: tuple[Change, ...] = ()

    def holds(self, change: Change) -> bool:
        return any(learnt.change == change for learnt in self.changes)


NO_KNOWLEDGE = Knowledge()


def spoken(name: str) -> str:
    return name.replace("_", " ").replace("-", " ")


def describe_change(change: Change, object_name: Callable[[str], str] = spoken) -> str:
    """Return a change in words for people: "fill needs that the cup is not dirty"."""
    match change:
        case AddPrecondition(action, predicate, types):
            whose = [_definite(spoken(type)) for type in types]
            return f"{spoken(action)} needs that {_statement(predicate, whose, holds=False)}"
        case AllowSubstitute(kind, stands_for):
            return f"{with_article(kind)} counts as {with_article(stands_for)}"
        case AddRepair(action, device, predicate, type):
            return (
                f"{spoken(action)} with {with_article(device)} ends that {with_article(type)} is "
                f"{quality(predicate)}"
            )
        case AddObject(name, type):
            return f"there is {with_article(type)} ({name})"
        case AddFact(fact):
            about = [_definite(object_name(name)) for name in fact.args]
            return f"now {_statement(fact.predicate, about)}"


def _statement(predicate: str, about: Sequence[str], holds: bool = True) -> str:
    """Return "the cup is not dirty", "the cup has no lid"; without a subject, "it is not raining"."""
    subject, *others = about or ["it"]
    verbs = ("has", "has no") if predicate.startswith("has_") else ("is", "is not")
    rest = f" ({' and '.join(others)})" if others else ""
    return f"{subject} {verbs[not holds]} {quality(predicate)}{rest}"


def _definite(name: str) -> str:
    """Return "the cup", but "cup 1"."""
    return name if name[-1:].isdigit() else f"the {name}"


def quality(predicate: str) -> str:
    """Return "dirty" for `is_dirty`, "out of order" for `is_out_of_order`."""
    return spoken(predicate).removeprefix("is ").removeprefix("has ")


def with_article(name: str) -> str:
    words = spoken(name)
    return f"{'an' if words[:1] in tuple('aeiou') else 'a'} {words}"
