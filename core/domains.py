"""A domain folder as a value: PDDL variants, tasks, wording, predicate classes, assumptions, situations.

A folder is data: `domain.toml`, one PDDL file a variant, and `tasks/` with one PDDL problem a task.
The format is described in `docs/domains.md`; `core/planning/shelf.py` reads it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType

from core.facts import Atom, Purpose, Query, Verdict
from core.problem import Domain, Literal, Problem, Step, Typed


class Perception(Enum):
    """How a predicate can be known (Table 2)."""

    VISION = "vision"  # asked about
    SENSE = "sense"  # read from the robot
    NONE = "none"  # never asked: what was given or predicted stands


@dataclass(frozen=True)
class Wording:
    """How to speak about a predicate. `{0}`, `{1}` stand for its arguments' display names."""

    question: str
    opposite: bool = False  # the question asks whether the atom does NOT hold
    perception: Perception = Perception.NONE
    says: str = ""  # the atom as a statement, "the {1} is in the hand"; "": its name and arguments
    bookkeeping: bool = False  # keeps the planner's books: never asked, and no belief about it is wrong


@dataclass(frozen=True)
class Rule:
    """`then` is assumed for every binding of `forall` and `where` in which none of `unless` holds.

    `where` is matched against what is believed YES, first match in sorted order. A variable that
    stands only in `unless` or in a negative `then` means "any".
    """

    why: str
    forall: tuple[Typed, ...]
    unless: tuple[Literal, ...] = ()
    where: tuple[Literal, ...] = ()
    then: tuple[Literal, ...] = ()
    types: tuple[Typed, ...] = ()  # of the variables in `where`


@dataclass(frozen=True)
class Exclusive:
    """At most one of these holds for each binding of `forall`; other variables mean "any"."""

    why: str
    forall: tuple[Typed, ...]
    of: tuple[Literal, ...]
    together: tuple[frozenset[str], ...] = ()  # predicates that may hold together with the same arguments


@dataclass(frozen=True)
class Laws:
    """What follows in a simulated world when something falls: simulators read it, and nobody else.

    None of the agent's assumptions is among them, unless the folder's author says it of the world as well.
    """

    rules: tuple[Rule, ...] = ()
    exclusives: tuple[Exclusive, ...] = ()


@dataclass(frozen=True)
class Sight:
    """The picture shows `shows`, a variable, with probability `share`, where all of `where` is so."""

    why: str
    shows: str
    where: tuple[Literal, ...]
    share: float = 1.0
    types: tuple[Typed, ...] = ()  # of the variables in `where`


@dataclass(frozen=True)
class Situation:
    """Something that goes wrong in a skill, with probability `rate` at openness 1 (Table 6).

    Instead of the action's effects, `effects` happen (terms are the action's parameters by position:
    "?0", "?1", ... and "?held" for what is in the hand); `drops` names the term that falls nearby.
    `besides` means that the action's own effects happen as well.
    """

    name: str
    rate: float
    drops: str = ""
    effects: tuple[Literal, ...] = ()
    besides: bool = False
    rated: bool = True  # False: ours, not the paper's


NOTHING_HAPPENS = Situation("nothing happens", 0.15, rated=False)  # what to expect where nobody says anything


@dataclass(frozen=True)
class Skill:
    """Which skill an action is, and what may go wrong in it."""

    action: str
    skill: str
    situations: tuple[Situation, ...] = ()
    takes: tuple[int, ...] | None = None  # positions of the arguments that matter to the robot; None: all
    moves_eye: bool = False  # afterwards the eye is elsewhere
    feels: tuple[str, ...] = ()  # the situations that the robot notices, and reports as FAILED

    def taken(self, step: Step) -> tuple[str, ...]:
        """The arguments of a step of this action that matter to the robot."""
        return step.args if self.takes is None else tuple(step.args[n] for n in self.takes)


@dataclass(frozen=True)
class Task:
    """A task of a domain: its problem in one variant of the domain, with words for people."""

    name: str
    domain: str  # the folder's name
    description: str
    problem: Problem
    plan_length: int | None = None
    world: Problem | None = None  # where it truly takes place, if there is more to it than the planner knows

    @property
    def simulated(self) -> Problem:
        """What a simulator lives in."""
        return self.world or self.problem


@dataclass(frozen=True)
class Folder:
    """A domain folder, read."""

    name: str
    path: Path | None
    description: str
    domain: Domain  # the chosen variant
    variant: str
    variants: tuple[str, ...]
    tasks: Mapping[str, Task]
    wording: Mapping[str, Wording] = field(default_factory=lambda: MappingProxyType({}))
    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # object -> display name
    verbs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))  # action -> "open {1}"
    rules: tuple[Rule, ...] = ()
    exclusives: tuple[Exclusive, ...] = ()
    skills: Mapping[str, Skill] = field(default_factory=lambda: MappingProxyType({}))
    robot: str = "symbolic"  # the robot that this domain is at home on
    laws: Laws = Laws()
    sight: tuple[Sight, ...] = ()  # none: a picture shows everything
    default_situations: tuple[Situation, ...] = (NOTHING_HAPPENS,)  # to expect of an action that has none

    def display(self, name: str) -> str:
        """An object's name for people: "cabinet" for `cabinet-n-01_1`."""
        return self.names.get(name, name.replace("_", " "))

    def perception(self, predicate: str) -> Perception:
        wording = self.wording.get(predicate)
        return wording.perception if wording else Perception.NONE

    @property
    def bookkeeping(self) -> frozenset[str]:
        """The predicates that only keep books."""
        return frozenset(name for name, wording in self.wording.items() if wording.bookkeeping)

    def situations_of(self, action: str) -> tuple[Situation, ...]:
        """What the folder says may go wrong in an action: what a simulator makes happen."""
        return self.skills[action].situations if action in self.skills else ()

    def expected(self, action: str) -> tuple[Situation, ...]:
        """What an agent shall expect to go wrong in an action, also where the folder says nothing."""
        return self.situations_of(action) or self.default_situations

    def taken(self, step: Step) -> tuple[str, ...]:
        """The arguments of a step that matter to the robot: two steps that agree in them are one skill."""
        return self.skills[step.name].taken(step) if step.name in self.skills else step.args

    def query(self, atom: Atom, purpose: Purpose, expected: Verdict) -> Query | None:
        """The question about an atom, or None where the picture cannot show it."""
        wording = self.wording.get(atom.predicate)
        if wording is None or wording.perception is not Perception.VISION:
            return None
        text = wording.question.format(*map(self.display, atom.args))
        return Query(atom, text, wording.opposite, purpose, expected)

    def tell(self, atom: Atom | Literal, holds: bool = True) -> str:
        """A fact in words: "the mug is not in the hand"."""
        if isinstance(atom, Literal):
            holds = holds == atom.positive
        wording = self.wording.get(atom.predicate)
        if wording is None or not wording.says:
            words = " ".join((atom.predicate, *map(self.display, atom.args)))
            return words if holds else f"not {words}"
        said = wording.says.format(*map(self.display, atom.args))
        return said if holds else said.replace(" is ", " is not ", 1)

    def say(self, step: Step) -> str:
        """A step in words: "open cabinet"."""
        verb = self.verbs.get(step.name)
        if verb:
            return verb.format(*map(self.display, step.args))
        return " ".join((step.name.replace("_", " "), *map(self.display, step.args)))
