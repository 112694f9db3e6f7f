"""The tables of `domain.toml` that refer to the domain, as values that are checked against its names.

The context of the validators is what `names_of` returns.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field, fields
from typing import Annotated, Any, Self, TypeVar

from pydantic import AfterValidator, AliasChoices, Field, PlainValidator, ValidationInfo, model_validator
from pydantic.dataclasses import dataclass

from core.data_file import FILE, UnitInterval, known_name
from core.domains import DEFAULT_SITUATIONS, SHOWN, Perception, Situation, Skill
from core.planning_model import EQUALS, Domain, Literal, Typed
from core.text.plural import plural

HELD_TERM = "?held"  # in a situation: what is in the hand

T = TypeVar("T")


# --- names and small texts of the domain ------------------------------------------------------------


def names_of(domain: Domain, objects: Collection[str] = ()) -> Mapping[str, Mapping[str, int]]:
    """Return what a file may name, by kind, with the number of its parameters: the validators' context."""
    return {
        "action": {a.name: len(a.parameters) for a in domain.actions},
        "object": dict.fromkeys(objects, 0),
        "predicate": {p.name: len(p.parameters) for p in domain.predicates},
        "type": dict.fromkeys([*domain.parents, "object"], 0),
    }


def _known(kind: str) -> AfterValidator:
    def check(name: str, info: ValidationInfo) -> str:
        known = _names(info, kind)
        if kind == "object" and not known:
            raise ValueError("no object is known yet, as the domain has no task: put a problem into tasks/")
        return known_name(kind, name, known)

    return AfterValidator(check)


def _names(info: ValidationInfo, kind: str) -> Mapping[str, int]:
    context: Any = info.context
    names: Mapping[str, int] = context[kind]
    return names


def _literal(text: object, info: ValidationInfo) -> Literal:
    """Parse `(inside ?o ?c)` or `(not (closed ?c))`."""
    found = re.fullmatch(r"\((not\s+\()?([\w=-]+)((?:\s+\??[\w-]+)*)\s*\)(\))?", str(text).strip())
    if not found or bool(found[1]) != bool(found[4]):
        raise ValueError(f"expected '(predicate ?x ...)' or '(not (predicate ?x ...))', found {text!r}")
    name, args = found[2], tuple(found[3].split())
    known = _names(info, "predicate")
    if name != EQUALS and len(args) != known[known_name("predicate", name, known)]:
        raise ValueError(f"({name} ...) takes {plural(known[name], 'term')}, found {len(args)}")
    return Literal(name, args, not found[1])


def _variables(text: object, info: ValidationInfo) -> tuple[Typed, ...]:
    """Parse variables with types: `?o - movable ?f - floor`."""
    if not isinstance(text, str) or not re.fullmatch(r"(\s*(\?[\w-]+\s+)+-\s+[\w-]+)*\s*", text):
        raise ValueError(f"it must look like '?o - type', not {text!r}")
    return tuple(
        Typed(name, known_name("type", type, _names(info, "type")))
        for variables, type in re.findall(r"((?:\?[\w-]+\s+)+)-\s+([\w-]+)", text)
        for name in variables.split()
    )


def _detected(value: object) -> object:
    if isinstance(value, bool) or (isinstance(value, list) and all(isinstance(name, str) for name in value)):
        return value
    raise ValueError(f"it must be true, false or a list of situations, not {value!r}")


def _check_placeholders(place: str, text: str, count: int) -> None:
    """Raise ValueError for a placeholder such as `{2}` in the text for something with two arguments."""
    try:
        text.format(*[""] * count)
    except (IndexError, KeyError, ValueError):
        usable = ", ".join(f"{{{n}}}" for n in range(count)) or "plain words"
        raise ValueError(f"{place}: {text!r} may use only {usable}") from None


ActionName = Annotated[str, _known("action")]
ObjectName = Annotated[str, _known("object")]
PredicateName = Annotated[str, _known("predicate")]
Literals = tuple[Annotated[Literal, PlainValidator(_literal)], ...]
Variables = Annotated[tuple[Typed, ...], PlainValidator(_variables)]


# --- the tables -------------------------------------------------------------------------------------


def _once(old: str, new: str) -> Any:
    """Take a key by its name, and by the one that folders of earlier versions have."""
    return Field(validation_alias=AliasChoices(new, old))


_Reason = Annotated[str, _once("why", "reason")]


@dataclass(frozen=True, config=FILE)
class PredicateTable:
    question: str = ""
    negated: Annotated[bool, _once("opposite", "negated")] = False
    perception: Perception = Perception.NONE
    statement: Annotated[str, _once("says", "statement")] = ""
    bookkeeping: bool = False
    sense_outranks: bool = True

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.bookkeeping and self.perception is not Perception.NONE:
            raise ValueError("what only keeps books is neither seen nor sensed: leave perception out")
        if self.perception in SHOWN and not self.question:
            raise ValueError("what is asked about needs a question")
        if self.statement and " is " not in self.statement:
            raise ValueError('statement must have an " is ", such as "the {0} is closed"')
        return self


@dataclass(frozen=True, config=FILE)
class RuleTable:
    reason: _Reason
    forall: Variables = ()
    unless: Literals = ()
    where: Literals = ()
    then: Literals = ()
    types: Variables = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        bound = {v.name for v in self.forall} | {a for literal in self.where for a in literal.args}
        for literal in self.then:
            for term in literal.args:
                if literal.positive and term.startswith("?") and term not in bound:
                    raise ValueError(f"then: {term} in {literal} stands neither in forall nor in where")
        return self


@dataclass(frozen=True, config=FILE)
class MutexTable:
    reason: _Reason
    forall: Variables = ()
    of: Literals = ()
    compatible: Annotated[tuple[frozenset[PredicateName], ...], _once("together", "compatible")] = ()
    exhaustive: bool = False


@dataclass(frozen=True, config=FILE)
class VisibilityTable:
    reason: _Reason
    shows: str
    where: Literals = ()
    probability: Annotated[UnitInterval, _once("share", "probability")] = 1.0
    types: Variables = ()
    hides: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.shows not in {a for w in self.where if w.positive for a in w.args if a.startswith("?")}:
            raise ValueError(
                f"shows must be a variable that a fact of where has, such as '?o', not {self.shows!r}"
            )
        return self


@dataclass(frozen=True, config=FILE)
class SituationTable:
    name: str
    rate: UnitInterval
    drops: str = ""
    effects: Literals = ()
    in_addition: Annotated[bool, _once("besides", "in_addition")] = False
    from_paper: Annotated[bool, _once("rated", "from_paper")] = True


@dataclass(frozen=True, config=FILE)
class SkillTable:
    skill: str = ""  # "": of the action's name
    situations: tuple[SituationTable, ...] | None = None
    arguments: Annotated[tuple[int, ...] | None, _once("takes", "arguments")] = None
    moves_camera: Annotated[bool, _once("moves_eye", "moves_camera")] = False
    detects: Annotated[bool | list[str], PlainValidator(_detected), _once("feels", "detects")] = False

    def value(self, action: str, default: tuple[Situation, ...]) -> Skill:
        own = default if self.situations is None else as_values(Situation, self.situations)
        names = [situation.name for situation in own or DEFAULT_SITUATIONS]
        detected = tuple(self.detects if isinstance(self.detects, list) else names if self.detects else ())
        return Skill(action, self.skill or action, own, self.arguments, self.moves_camera, detected)


@dataclass(frozen=True, config=FILE)
class WorldTable:
    rules: tuple[RuleTable, ...] = ()
    mutexes: Annotated[tuple[MutexTable, ...], _once("exclusive", "mutexes")] = ()


@dataclass(frozen=True, config=FILE)
class WorldFile:
    """What a simulated world follows; without it, its PDDL alone."""

    world: WorldTable = WorldTable()


@dataclass(frozen=True, config=FILE)
class DomainBody:
    names: dict[ObjectName, str] = field(default_factory=dict)
    verbs: dict[ActionName, str] = field(default_factory=dict)
    values: dict[str, str] = field(default_factory=dict)
    predicates: dict[PredicateName, PredicateTable] = field(default_factory=dict)
    rules: tuple[RuleTable, ...] = ()
    mutexes: Annotated[tuple[MutexTable, ...], _once("exclusive", "mutexes")] = ()
    situations: tuple[SituationTable, ...] = ()  # of skills that have none of their own
    skills: dict[ActionName, SkillTable] = field(default_factory=dict)
    visibility: Annotated[tuple[VisibilityTable, ...], _once("sight", "visibility")] = ()
    implied: tuple[RuleTable, ...] = ()

    @model_validator(mode="after")
    def _check(self, info: ValidationInfo) -> Self:
        actions, predicates = _names(info, "action"), _names(info, "predicate")
        for action, text in self.verbs.items():
            _check_placeholders(f"verbs.{action}", text, actions[action])
        for name, predicate in self.predicates.items():
            for text in (predicate.question, predicate.statement):
                _check_placeholders(f"predicates.{name}", text, predicates[name])
        for number, rule in enumerate(self.visibility, 1):
            for name in rule.hides:
                _check_name(f"visibility number {number}, hides", "predicate", name, predicates)
        _check_terms("situations", self.situations, (HELD_TERM,))
        for action, skill in self.skills.items():
            place, positions = f"skills.{action}", range(actions[action])
            own = skill.situations or ()
            _check_terms(f"{place}.situations", own, (*(f"?{n}" for n in positions), HELD_TERM))
            if not set(skill.arguments or ()) <= set(positions):
                wrong = list(skill.arguments or ())
                raise ValueError(
                    f"{place}: arguments are named by position, 0 to {len(positions) - 1}, not {wrong}"
                )
            possible = {s.name for s in (self.situations if skill.situations is None else own)}
            possible = possible or {s.name for s in DEFAULT_SITUATIONS}
            for name in skill.detects if isinstance(skill.detects, list) else ():
                _check_name(f"{place}.detects", "situation", name, possible)
        return self


def _check_name(place: str, kind: str, name: str, known: Collection[str]) -> None:
    try:
        known_name(kind, name, known)
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None


def _check_terms(place: str, situations: Sequence[SituationTable], terms: Sequence[str]) -> None:
    for number, situation in enumerate(situations, 1):
        for term in (situation.drops, *(a for e in situation.effects for a in e.args)):
            if term:
                _check_name(f"{place} number {number}", "term", term, terms)


def as_value(kind: type[T], table: Any) -> T:
    """Return a table as a value of `core/domains.py` that has the same fields, in the same order."""
    return kind(*(getattr(table, f.name) for f in fields(table)))


def as_values(kind: type[T], tables: Iterable[object]) -> tuple[T, ...]:
    return tuple(as_value(kind, table) for table in tables)
