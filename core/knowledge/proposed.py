"""Define what a method can propose: a value that a person admits, edits or refuses.

Card, dialog, terminal, log, undo, evidence and the store of what is kept know a proposed value only by this.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.belief import Atom
from core.knowledge.words import spoken
from core.planning_model import Problem
from core.text.untrusted_text import one_line


class Proposed(ABC):
    """A proposed change of a problem: a frozen dataclass of text, atoms and tuples of them.

    To undo one, the loop keeps the problem from before. Its evidence is in the `LearntChange` around it.
    """

    lasting: ClassVar = False  # keep it: it holds for the domain, not for one episode only
    bars: ClassVar = False  # it only keeps the robot from something: a refusal means what is beside it
    order: ClassVar = 0  # what is named is applied before it is used

    @abstractmethod
    def describe(self, object_name: Callable[[str], str] = spoken) -> str:
        """Return it in words for people: "“fill” now needs: the cup is not dirty"."""

    @property
    @abstractmethod
    def pddl(self) -> str:
        """Return what it adds, with the place it goes to: "fill: (not (is_dirty ?cup))"."""

    @abstractmethod
    def apply(self, problem: Problem) -> Problem:
        """Return the problem with it; one that it has already changes nothing. Called without faults only."""

    @property
    def new_names(self) -> tuple[str, ...]:
        """Return the names that it brings into the domain."""
        return (*self.new_types, *self.new_objects, *self.new_predicates)

    @property
    def new_types(self) -> tuple[str, ...]:
        return ()

    @property
    def new_objects(self) -> dict[str, str]:
        """Return the objects that it brings, with their types."""
        return {}

    @property
    def new_predicates(self) -> dict[str, int]:
        """Return the predicates that it brings, with the number of their arguments."""
        return {}

    def faults(self, known: Known) -> Iterable[str]:
        """Yield why it cannot be applied beside the others, one sentence each."""
        return ()

    def later_faults(self, known: Known) -> Iterable[str]:
        """Yield what is wrong once all types are declared, and nothing else is wrong."""
        return ()

    def served(self, used: Used) -> bool:
        """Return True if an episode in which it was in force used it."""
        return False


@dataclass(frozen=True)
class Known:
    """What a proposed value can name: what the problem has, and what the values beside it bring."""

    problem: Problem
    beside: Sequence[Proposed]
    types: frozenset[str]
    objects: dict[str, str]  # with their types
    predicates: dict[str, int]  # with the number of their arguments
    actions: frozenset[str]

    def unknown(self, what: str, names: Iterable[str]) -> Iterable[str]:
        """Yield a sentence for each name that is no action, or no type."""
        for name in names:
            if name not in (self.actions if what == "action" else self.types):
                yield f"The domain has no {what} {one_line(repr(name), 60)}: name one that it has."

    def fact(self, fact: Atom) -> Iterable[str]:
        """Yield what is wrong with a fact."""
        if fact.predicate not in self.predicates:
            why = "has a predicate that the domain does not have: add it with a precondition"
            yield f"The fact {fact} {why}."
        elif (of := self.predicates[fact.predicate]) != len(fact.args):
            yield f"The fact {fact} has {len(fact.args)} arguments, not {of}."
        for name in fact.args:
            if name not in self.objects:
                yield f"The fact {fact} names {name}, which is not there: add the object first."


@dataclass(frozen=True)
class Used:
    """What the steps of an episode used."""

    kinds: frozenset[str]  # of the objects
    ran: frozenset[tuple[str, str]]  # action, and the kind of one of its objects
    facts: frozenset[str]  # the predicates of facts that were learnt
