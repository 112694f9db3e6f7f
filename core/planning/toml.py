"""A domain folder's `domain.toml` to values. The format is told in `docs/domains.md`.

Every key is known, and every predicate, action, object and type is the domain's: a slip is a BadFile
that names the file, the place and the fault.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from core.domains import (
    NOTHING_HAPPENS,
    Exclusive,
    Laws,
    Perception,
    Rule,
    Sight,
    Situation,
    Skill,
    Wording,
)
from core.errors import BadFile
from core.planning.node import Node
from core.problem import EQUALS, Domain, Literal, Typed

HELD = "?held"  # in a situation: what is in the hand


# --- the part that needs no PDDL --------------------------------------------------------------------


@dataclass(frozen=True)
class Entry:
    """One task as the file names it; its problem is not read yet."""

    name: str
    file: str
    description: str
    plan_length: int | None
    world: str = ""  # the problem file of a wider world, "" for none
    world_domain: str = ""  # its domain file, "" for the chosen variant


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
    world, world_domain = node.take("world", str, ""), node.take("world_domain", str, "")
    if world_domain and not world:
        node.fail("world_domain needs a world, the problem file that it belongs to")
    node.done()
    return Entry(name, file, description, length if length >= 0 else None, world, world_domain)


# --- the part that speaks of the domain -------------------------------------------------------------


@dataclass(frozen=True)
class Body:
    names: Mapping[str, str]
    verbs: Mapping[str, str]
    wording: Mapping[str, Wording]
    rules: tuple[Rule, ...]
    exclusives: tuple[Exclusive, ...]
    skills: Mapping[str, Skill]
    laws: Laws
    sight: tuple[Sight, ...]
    default_situations: tuple[Situation, ...]  # to expect, but not to be made happen


def read_body(head: Head, domain: Domain, objects: Collection[str], wider: Domain) -> Body:
    """The rest, checked against the domain and the objects of all tasks. Raises BadFile.

    `wider` has the domain's types and predicates, and those of the worlds that the tasks name.
    """
    top = Node(head.rest.path, "", head.rest.left)
    names, verbs = top.words("names"), top.words("verbs")
    for name in names:
        top.check(name, objects, "object")
    for action, text in verbs.items():
        top.check(action, [a.name for a in domain.actions], "action")
        _fill_in(top, text, len(domain.action(action).parameters))
    wording = {name: _wording(name, node, domain) for name, node in top.tables("predicates")}
    rules = tuple(_rule(node, domain) for node in top.rows("rules", "[[rules]]"))
    exclusives = tuple(_exclusive(node, domain) for node in top.rows("exclusive", "[[exclusive]]"))
    default = _situations(top, "[[situations]]", (HELD,), domain)
    skills = {action: _skill(action, node, domain, default) for action, node in top.tables("skills")}
    for schema in domain.actions if default else ():
        skills.setdefault(schema.name, Skill(schema.name, schema.name, default))
    nobody_says = not any(skill.situations for skill in skills.values())
    laws = _laws(top, wider)
    sight = tuple(_sight(node, domain) for node in top.rows("sight", "[[sight]]"))
    top.done()
    unsaid = (NOTHING_HAPPENS,) if nobody_says else ()
    return Body(names, verbs, wording, rules, exclusives, skills, laws, sight, unsaid)


def _wording(name: str, node: Node, domain: Domain) -> Wording:
    predicates = {p.name: p for p in domain.predicates}
    node.check(name, predicates, "predicate")
    perception = Perception(node.choose("perception", [p.value for p in Perception], "none"))
    question, opposite = node.take("question", str, ""), node.take("opposite", bool, False)
    says, bookkeeping = node.take("says", str, ""), node.take("bookkeeping", bool, False)
    wording = Wording(question, opposite, perception, says, bookkeeping)
    if bookkeeping and perception is not Perception.NONE:
        node.fail("what only keeps books is neither seen nor sensed: leave perception out")
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


def _laws(top: Node, domain: Domain) -> Laws:
    """`[[world.rules]]` and `[[world.exclusive]]`; without them a world follows its PDDL alone."""
    node = Node(top.path, "[world]", top.take("world", dict, {}))
    rules = tuple(_rule(row, domain) for row in node.rows("rules", "[[world.rules]]"))
    exclusives = tuple(_exclusive(row, domain) for row in node.rows("exclusive", "[[world.exclusive]]"))
    node.done()
    return Laws(rules, exclusives)


def _sight(node: Node, domain: Domain) -> Sight:
    sight = Sight(
        node.take("why", str),
        node.take("shows", str),
        _literals(node, "where", domain),
        node.take("share", float, 1.0),
        _typed(node, "types", domain),
    )
    node.done()
    if not 0 <= sight.share <= 1:
        node.fail(f"share must be from 0 to 1, not {sight.share}")
    if sight.shows not in {a for w in sight.where if w.positive for a in w.args if a.startswith("?")}:
        node.fail(f"shows must be a variable that a fact of where has, such as '?o', not {sight.shows!r}")
    return sight


def _skill(action: str, node: Node, domain: Domain, default: tuple[Situation, ...]) -> Skill:
    node.check(action, [a.name for a in domain.actions], "action")
    count = len(domain.action(action).parameters)
    terms = [*(f"?{number}" for number in range(count)), HELD]
    situations = default
    if "situations" in node.left:
        situations = _situations(node, f"{node.place} situation", terms, domain)
    takes = tuple(node.take("takes", list)) if "takes" in node.left else None
    if takes is not None and not set(takes) <= set(range(count)):
        node.fail(f"takes names arguments by position, 0 to {count - 1}, not {list(takes)}")
    skill = Skill(
        action,
        node.take("skill", str),
        situations,
        takes,
        node.take("moves_eye", bool, False),
        _feels(node, situations),
    )
    node.done()
    return skill


def _feels(node: Node, situations: Sequence[Situation]) -> tuple[str, ...]:
    """`feels = true`: every situation; or the names of those."""
    names = [situation.name for situation in situations or (NOTHING_HAPPENS,)]
    if not isinstance(node.left.get("feels"), list):
        return tuple(names) if node.take("feels", bool, False) else ()
    felt = node.take("feels", list)
    for name in felt:
        node.check(name, names, "situation")
    return tuple(felt)


def _situations(node: Node, place: str, terms: Sequence[str], domain: Domain) -> tuple[Situation, ...]:
    situations = []
    for row in node.rows("situations", place):
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
    return tuple(situations)


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
