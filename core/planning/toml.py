"""A domain folder's `domain.toml` to values. The format is told in `docs/domains.md`.

Every key is known, and every predicate, action, object and type is the domain's: a slip is a BadFile
that names the file, the place and the fault.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from core.domains import Exclusive, Perception, Rule, Situation, Skill, Wording
from core.errors import BadFile
from core.problem import EQUALS, Domain, Literal, Typed

Kind = TypeVar("Kind", str, bool, int, float, list[Any], dict[str, Any])
HELD = "?held"  # in a situation: what is in the hand


class Node:
    """One table of the file. Each key is taken once; `done` complains about those that nobody took."""

    def __init__(self, path: Path, place: str, table: Mapping[str, object]) -> None:
        self.path, self.place = path, place
        self.left = dict(table)

    def fail(self, why: str) -> NoReturn:
        raise BadFile(self.path, f"{self.place}: {why}" if self.place else why)

    def take(self, key: str, kind: type[Kind], default: Kind | None = None) -> Kind:
        """The value of a key, of this kind. Without a default it must be there."""
        value = self.left.pop(key, default)
        if kind is float and type(value) is int:
            value = float(value)
        if value is None:
            self.fail(f"{key} is missing")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(f"{key} must be {_KINDS[kind]}, not {value!r}")
        return value

    def words(self, key: str) -> dict[str, str]:
        """A table of words."""
        table = Node(self.path, f"[{key}]", self.take(key, dict, {}))
        return {name: table.take(name, str) for name in list(table.left)}

    def tables(self, key: str) -> list[tuple[str, Node]]:
        """A table of tables."""
        table = Node(self.path, f"[{key}]", self.take(key, dict, {}))
        names = list(table.left)
        return [(name, Node(self.path, f"[{key}.{name}]", table.take(name, dict))) for name in names]

    def rows(self, key: str, place: str) -> list[Node]:
        """A list of tables."""
        rows = []
        for number, row in enumerate(self.take(key, list, []), 1):
            if not isinstance(row, dict):
                self.fail(f"{key} must be a list of tables, found {row!r}")
            rows.append(Node(self.path, f"{place} number {number}", row))
        return rows

    def choose(self, key: str, known: Collection[str], default: str) -> str:
        value = self.take(key, str, default)
        self.check(value, known, key)
        return value

    def check(self, name: str, known: Collection[str], kind: str) -> None:
        """Complain about a name that is not known."""
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(known)) or 'none'}"
            self.fail(f"there is no {kind} named {name!r} ({hint})")

    def done(self) -> None:
        for key in self.left:
            self.fail(f"the key {key!r} is not known")


_KINDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
_KINDS |= {list: "a list", dict: "a table"}


# --- the part that needs no PDDL --------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """One task as the file names it; its problem is not read yet."""

    name: str
    file: str
    description: str
    plan_length: int | None


@dataclass(frozen=True)
class Head:
    """Enough to list a folder's tasks; `rest` is what `read_body` goes on with."""

    description: str
    robot: str
    default: str
    variants: Mapping[str, str]
    tasks: tuple[Entry, ...]
    rest: Node


def read_head(path: Path) -> Head:
    """The part of `domain.toml` that speaks of no predicate. Raises BadFile."""
    try:
        top = Node(path, "", tomllib.loads(path.read_text(encoding="utf-8")))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, f"is not TOML: {error}") from None
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror}") from None
    variants = top.words("variants") or {"domain": "domain.pddl"}
    return Head(
        top.take("description", str, ""),
        top.take("robot", str, "symbolic"),
        top.choose("default", variants, next(iter(variants))),
        variants,
        tuple(_entry(name, node) for name, node in top.tables("tasks")),
        top,
    )


def _entry(name: str, node: Node) -> Entry:
    length = node.take("plan_length", int, -1)
    file, description = node.take("file", str), node.take("description", str, "")
    entry = Entry(name, file, description, length if length >= 0 else None)
    node.done()
    return entry


# --- the part that speaks of the domain -------------------------------------------------------------


@dataclass(frozen=True)
class Body:
    names: Mapping[str, str]
    verbs: Mapping[str, str]
    wording: Mapping[str, Wording]
    rules: tuple[Rule, ...]
    exclusives: tuple[Exclusive, ...]
    skills: Mapping[str, Skill]


def read_body(head: Head, domain: Domain, objects: Collection[str]) -> Body:
    """The rest, checked against the domain and the objects of all tasks. Raises BadFile."""
    top = Node(head.rest.path, "", head.rest.left)
    names, verbs = top.words("names"), top.words("verbs")
    for name in names:
        top.check(name, objects, "object")
    for action, text in verbs.items():
        top.check(action, [a.name for a in domain.actions], "action")
        _fill_in(top, text, len(domain.action(action).parameters))
    body = Body(
        names,
        verbs,
        {name: _wording(name, node, domain) for name, node in top.tables("predicates")},
        tuple(_rule(node, domain) for node in top.rows("rules", "[[rules]]")),
        tuple(_exclusive(node, domain) for node in top.rows("exclusive", "[[exclusive]]")),
        {action: _skill(action, node, domain) for action, node in top.tables("skills")},
    )
    top.done()
    return body


def _wording(name: str, node: Node, domain: Domain) -> Wording:
    predicates = {p.name: p for p in domain.predicates}
    node.check(name, predicates, "predicate")
    perception = Perception(node.choose("perception", [p.value for p in Perception], "none"))
    question, opposite = node.take("question", str, ""), node.take("opposite", bool, False)
    wording = Wording(question, opposite, perception, node.take("says", str, ""))
    if perception is Perception.VISION and not wording.question:
        node.fail("what is asked about needs a question")
    if wording.says and " is " not in wording.says:
        node.fail('says must be a statement with " is ", such as "the {0} is closed"')
    for text in (wording.question, wording.says):
        _fill_in(node, text, len(predicates[name].parameters))
    node.done()
    return wording


def _rule(node: Node, domain: Domain) -> Rule:
    rule = Rule(
        node.take("why", str),
        _typed(node, "forall", domain),
        _literals(node, "unless", domain),
        _literals(node, "where", domain),
        _literals(node, "then", domain),
        _typed(node, "types", domain),
    )
    node.done()
    bound = {v.name for v in rule.forall} | {a for literal in rule.where for a in literal.args}
    for literal in rule.then:
        for term in literal.args:
            if literal.positive and term.startswith("?") and term not in bound:
                node.fail(f"then: {term} in {literal} stands neither in forall nor in where")
    return rule


def _exclusive(node: Node, domain: Domain) -> Exclusive:
    together = []
    for group in node.take("together", list, []):
        for name in group:
            node.check(name, [p.name for p in domain.predicates], "predicate")
        together.append(frozenset(group))
    exclusive = Exclusive(
        node.take("why", str), _typed(node, "forall", domain), _literals(node, "of", domain), tuple(together)
    )
    node.done()
    return exclusive


def _skill(action: str, node: Node, domain: Domain) -> Skill:
    node.check(action, [a.name for a in domain.actions], "action")
    terms = [f"?{number}" for number in range(len(domain.action(action).parameters))] + [HELD]
    situations = []
    for row in node.rows("situations", f"{node.place} situation"):
        situation = Situation(
            row.take("name", str),
            row.take("rate", float),
            row.take("drops", str, ""),
            _literals(row, "effects", domain),
            row.take("besides", bool, False),
            row.take("rated", bool, True),
        )
        row.done()
        if not 0 <= situation.rate <= 1:
            row.fail(f"rate must be from 0 to 1, not {situation.rate}")
        for term in (situation.drops, *(a for e in situation.effects for a in e.args)):
            if term:
                row.check(term, terms, "term")
        situations.append(situation)
    skill = Skill(action, node.take("skill", str), tuple(situations))
    node.done()
    return skill


# --- small texts ------------------------------------------------------------------------------------


def _fill_in(node: Node, text: str, count: int) -> None:
    """Complain about `{2}` in the words for something that has two arguments."""
    try:
        text.format(*[""] * count)
    except (IndexError, KeyError, ValueError):
        node.fail(f"{text!r} may use only {', '.join(f'{{{n}}}' for n in range(count)) or 'plain words'}")


def _typed(node: Node, key: str, domain: Domain) -> tuple[Typed, ...]:
    """`?o - movable ?f - floor`"""
    text = node.take(key, str, "")
    if not re.fullmatch(r"(\s*(\?[\w-]+\s+)+-\s+[\w-]+)*\s*", text):
        node.fail(f"{key} must look like '?o - type', not {text!r}")
    typed = []
    for variables, type in re.findall(r"((?:\?[\w-]+\s+)+)-\s+([\w-]+)", text):
        node.check(type, [*domain.parents, "object"], "type")
        typed += [Typed(name, type) for name in variables.split()]
    return tuple(typed)


def _literals(node: Node, key: str, domain: Domain) -> tuple[Literal, ...]:
    """`["(inside ?o ?c)", "(not (closed ?c))"]`"""
    predicates = {p.name: len(p.parameters) for p in domain.predicates}
    literals = []
    for text in node.take(key, list, []):
        found = re.fullmatch(r"\((not\s+\()?([\w=-]+)((?:\s+\??[\w-]+)*)\s*\)(\))?", str(text).strip())
        if not found or bool(found[1]) != bool(found[4]):
            node.fail(f"{key}: expected '(predicate ?x ...)' or '(not (predicate ?x ...))', found {text!r}")
        name, args = found[2], tuple(found[3].split())
        if name != EQUALS:
            node.check(name, predicates, "predicate")
            if len(args) != predicates[name]:
                node.fail(f"{key}: ({name} ...) takes {predicates[name]} terms, found {len(args)}")
        literals.append(Literal(name, args, not found[1]))
    return tuple(literals)
