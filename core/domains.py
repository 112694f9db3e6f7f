"""A domain folder as a value: PDDL variants, tasks, wording, perception, default rules, situations.

A folder holds data only: `domain.toml`, one PDDL file per variant, and `tasks/` with one PDDL problem per
task. `docs/domains.md` describes the format; `core/planning/domain_library.py` reads it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from types import MappingProxyType
from typing import Any

from core.belief import Atom, Purpose, Query, Verdict
from core.planning_model import Domain, Literal, Problem, Step, Typed
from core.text.step_values import values_in_words

_ARTICLE, _VOWEL = re.compile(r"\b([Aa]) \{(\d)\}"), re.compile(r"[aeio]|u(?!ni|s)", re.IGNORECASE)
_ASKED = re.compile(r"Is (the \{\d\}) (.+)\?")


def _nothing() -> Mapping[str, Any]:
    return MappingProxyType({})


class Perception(Enum):
    """How the value of a predicate can be determined (Table 2)."""

    VISION = "vision"  # asked about
    ON_DEMAND = "on demand"  # asked about where a method chooses to; not in the paper's table
    SENSE = "sense"  # read from the robot
    NONE = "none"  # never asked: the initial or predicted value stands


SHOWN = frozenset((Perception.VISION, Perception.ON_DEMAND))  # a picture can show it


@dataclass(frozen=True)
class PredicateSpec:
    """How to put a predicate into words. `{0}`, `{1}` stand for its arguments' display names."""

    question: str
    negated: bool = False  # the question asks whether the atom does NOT hold
    perception: Perception = Perception.NONE
    statement: str = ""  # the atom as a statement, "the {1} is in the hand"; "": its name and arguments
    bookkeeping: bool = False  # the planner's bookkeeping: never asked, never wrong
    sense_outranks: bool = True  # a sensor that contradicts a model's answer about it decides


@dataclass(frozen=True)
class DefaultRule:
    """`then` is assumed for every binding of `forall` and `where` for which none of `unless` holds.

    `where` is matched against the atoms believed YES; the first match in sorted order counts. A variable that
    occurs only in `unless` or in a negative `then` means "any".
    """

    reason: str
    forall: tuple[Typed, ...]
    unless: tuple[Literal, ...] = ()
    where: tuple[Literal, ...] = ()
    then: tuple[Literal, ...] = ()
    types: tuple[Typed, ...] = ()  # of the variables in `where` and `unless`


@dataclass(frozen=True)
class Mutex:
    """At most one of these holds for each binding of `forall`; other variables mean "any"."""

    reason: str
    forall: tuple[Typed, ...]
    literals: tuple[Literal, ...]
    compatible: tuple[frozenset[str], ...] = ()  # predicates that may hold together with the same arguments
    exhaustive: bool = False  # one of these always holds


@dataclass(frozen=True)
class WorldRules:
    """What follows in a simulated world when something falls. Only simulators read it.

    The agent's default rules are not included, unless the folder's author states them for the world as well.
    """

    rules: tuple[DefaultRule, ...] = ()
    mutexes: tuple[Mutex, ...] = ()


@dataclass(frozen=True)
class VisibilityRule:
    """The picture shows the object `variable` with this probability, where all of `where` holds."""

    reason: str
    variable: str
    where: tuple[Literal, ...]
    probability: float = 1.0
    types: tuple[Typed, ...] = ()  # of the variables in `where`
    hides: tuple[str, ...] = ()  # predicates about the object that cannot be judged although it shows


@dataclass(frozen=True)
class Situation:
    """Something that goes wrong in a skill, with probability `rate` at openness 1 (Table 6).

    `effects` replace the action's own effects, or with `in_addition` are added to them. Their terms are the
    action's parameters by position ("?0", "?1", ...) and "?held" for what is in the hand. `drops` names the
    term that falls nearby.
    """

    name: str
    rate: float
    drops: str = ""
    effects: tuple[Literal, ...] = ()
    in_addition: bool = False
    from_paper: bool = True  # False: added by us


NOTHING_HAPPENS = Situation("nothing happens", 0.15, from_paper=False)
HELD_FALLS = Situation("the held object drops", 0.1, drops="?held")  # the rate of the paper's Table 6
DEFAULT_SITUATIONS = (NOTHING_HAPPENS, HELD_FALLS)  # expected where the folder names no situation


@dataclass(frozen=True)
class Skill:
    """The skill behind an action, and what may go wrong in it."""

    action: str
    skill: str
    situations: tuple[Situation, ...] = ()
    argument_positions: tuple[int, ...] | None = (
        None  # positions of the arguments that matter to the robot; None: all
    )
    moves_camera: bool = False  # the camera is elsewhere afterwards
    detects: tuple[str, ...] = ()  # situations that the robot detects and reports as FAILED

    def relevant_args(self, step: Step) -> tuple[str, ...]:
        """Return the arguments of a step of this action that matter to the robot."""
        places = self.argument_positions
        return step.args if places is None else tuple(step.args[n] for n in places)


@dataclass(frozen=True)
class Task:
    """A task of a domain: its problem in one variant of the domain, with a description."""

    name: str
    domain: str  # the folder's name
    description: str
    problem: Problem
    plan_length: int | None = None
    world_problem: Problem | None = None  # the true problem, if it has more than the planner knows

    @property
    def simulated_problem(self) -> Problem:
        """Return the problem that a simulator starts from."""
        return self.world_problem or self.problem


@dataclass(frozen=True)
class DomainSpec:
    """The contents of a domain folder."""

    name: str
    path: Path | None
    description: str
    domain: Domain  # the chosen variant
    variant: str
    variants: tuple[str, ...]
    tasks: Mapping[str, Task]
    predicate_specs: Mapping[str, PredicateSpec] = field(default_factory=_nothing)
    display_names: Mapping[str, str] = field(default_factory=_nothing)  # object -> display name
    verbs: Mapping[str, str] = field(default_factory=_nothing)  # action -> "open {1}"
    value_words: Mapping[str, str] = field(default_factory=_nothing)  # a step's value -> "turned {0:.2f} rad"
    rules: tuple[DefaultRule, ...] = ()
    mutexes: tuple[Mutex, ...] = ()
    skills: Mapping[str, Skill] = field(default_factory=_nothing)
    default_robot: str = "symbolic"  # the robot used unless another is chosen
    world_rules: WorldRules = WorldRules()
    visibility_rules: tuple[VisibilityRule, ...] = ()  # none: a picture shows everything
    implied_rules: tuple[DefaultRule, ...] = ()  # what holds wherever other facts do
    default_situations: tuple[Situation, ...] = DEFAULT_SITUATIONS  # expected of an action that has none

    def display_name(self, name: str) -> str:
        """Return an object's name for people: "cabinet" for `cabinet-n-01_1`."""
        return self.display_names.get(name, name.replace("_", " "))

    def perception(self, predicate: str) -> Perception:
        wording = self.predicate_specs.get(predicate)
        return wording.perception if wording else Perception.NONE

    def sense_outranks(self, predicate: str) -> bool:
        """Return True if a sensor decides when it contradicts a model's answer about this predicate."""
        wording = self.predicate_specs.get(predicate)
        return wording is None or wording.sense_outranks

    @property
    def bookkeeping(self) -> frozenset[str]:
        """Return the predicates that are only the planner's bookkeeping."""
        return frozenset(name for name, wording in self.predicate_specs.items() if wording.bookkeeping)

    def situations_of(self, action: str) -> tuple[Situation, ...]:
        """Return what may go wrong in an action according to the folder: what a simulator simulates."""
        return self.skills[action].situations if action in self.skills else ()

    def expected_situations(self, action: str) -> tuple[Situation, ...]:
        """Return what an agent should expect to go wrong in an action; defaults if the folder has none."""
        return self.situations_of(action) or self.default_situations

    def relevant_args(self, step: Step) -> tuple[str, ...]:
        """Return the arguments of a step that matter to the robot: steps that agree in them are one skill."""
        return self.skills[step.name].relevant_args(step) if step.name in self.skills else step.args

    def query(self, atom: Atom, purpose: Purpose, expected: Verdict) -> Query | None:
        """Return the question about an atom, or None if a picture cannot show it."""
        wording = self.predicate_specs.get(atom.predicate)
        if wording is None or wording.perception not in SHOWN:
            return None
        text = self._worded(wording.question, atom.args)
        return Query(atom, text, wording.negated, purpose, expected)

    def has_statement(self, predicate: str) -> bool:
        """Return True if facts of this predicate can be put into words."""
        wording = self.predicate_specs.get(predicate)
        return wording is not None and bool(wording.statement)

    def describe_atom(self, atom: Atom | Literal, holds: bool = True) -> str:
        """Return a fact in words: "the mug is not in the hand"."""
        if isinstance(atom, Literal):
            holds = holds == atom.positive
        wording = self.predicate_specs.get(atom.predicate)
        if wording is None or not wording.statement:
            words = " ".join((atom.predicate, *map(self.display_name, atom.args)))
            return words if holds else f"not {words}"
        said = wording.statement
        if not holds and wording.negated and (asked := _ASKED.fullmatch(wording.question)):
            said = f"{asked[1]} is {asked[2]}"  # what is asked about, not the denial of its opposite
        elif not holds:
            said = said.replace(" is ", " is not ", 1)
        return self._worded(said, atom.args)

    def _worded(self, words: str, args: Sequence[str]) -> str:
        """Return the words with the things' names in them, and "an" for "a" before a vowel."""
        names = [self.display_name(arg) for arg in args]

        def article(found: re.Match[str]) -> str:
            vowel = int(found[2]) < len(names) and _VOWEL.match(names[int(found[2])])
            return f"{found[1]}{'n' if vowel else ''} {{{found[2]}}}"

        return _ARTICLE.sub(article, words).format(*names)

    def describe_step(self, step: Step) -> str:
        """Return a step in words, without its values: "open cabinet"."""
        verb = self.verbs.get(step.name)
        if verb:
            return self._worded(verb, step.args)
        return " ".join((step.name.replace("_", " "), *map(self.display_name, step.args)))

    def describe_in_full(self, step: Step) -> str:
        """Return a step in words with its values: "put down the mug, turned 0.30 rad"."""
        return ", ".join((self.describe_step(step), *values_in_words(step.values, self.value_words)))
