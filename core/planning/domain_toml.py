"""Read a domain folder's `domain.toml`. The format is described in `docs/domains.md`.

Every key must be known, and every predicate, action, object and type must be the domain's: an error is a
BadFile with the file, the place and the fault.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.domains import (
    NOTHING_HAPPENS,
    DefaultRule,
    Mutex,
    Perception,
    PredicateSpec,
    Situation,
    Skill,
    VisibilityRule,
    WorldRules,
)
from core.errors import BadFile
from core.planning.toml_table import TomlTable
from core.planning_model import EQUALS, Domain, Literal, Typed

HELD_TERM = "?held"  # in a situation: what is in the hand


# --- the part that does not depend on PDDL ----------------------------------------------------------


@dataclass(frozen=True)
class TaskEntry:
    """One task as the file lists it, before its problem is read."""

    name: str
    file: str
    description: str
    plan_length: int | None
    world_file: str = ""  # the problem file of a wider world, "" for none
    world_domain: str = ""  # its domain file, "" for the chosen variant


@dataclass(frozen=True)
class DomainHeader:
    """Enough to list a folder's tasks; `table` is what `read_body` continues with."""

    description: str
    default_robot: str
    default: str
    variants: Mapping[str, str]
    tasks: tuple[TaskEntry, ...]
    table: TomlTable


def read_header(path: Path) -> DomainHeader:
    """Read the part of `domain.toml` that mentions no predicate. Raises BadFile."""
    try:
        return _parse_header(path, path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadFile(path, f"is not TOML: {error}") from None
    except OSError as error:
        raise BadFile(path, f"cannot be read: {error.strerror}") from None


@lru_cache(maxsize=32)  # trials read the same text again and again, which takes longer than their turns
def _parse_header(path: Path, text: str) -> DomainHeader:
    top = TomlTable(path, "", tomllib.loads(text))
    variants = top.text_table("variants") or {"domain": "domain.pddl"}
    return DomainHeader(
        top.read("description", str, ""),
        top.read("robot", str, "symbolic"),
        top.choose("default", variants, next(iter(variants))),
        variants,
        tuple(_entry(name, node) for name, node in top.tables("tasks")),
        top,
    )


def _entry(name: str, node: TomlTable) -> TaskEntry:
    length = node.read("plan_length", int, -1)
    file, description = node.read("file", str), node.read("description", str, "")
    world, world_domain = node.read("world", str, ""), node.read("world_domain", str, "")
    if world_domain and not world:
        node.fail("world_domain needs a world, the problem file that it belongs to")
    node.reject_unread()
    return TaskEntry(name, file, description, length if length >= 0 else None, world, world_domain)


# --- the part that refers to the domain -------------------------------------------------------------


@dataclass(frozen=True)
class DomainBody:
    display_names: Mapping[str, str]
    verbs: Mapping[str, str]
    predicate_specs: Mapping[str, PredicateSpec]
    rules: tuple[DefaultRule, ...]
    mutexes: tuple[Mutex, ...]
    skills: Mapping[str, Skill]
    world_rules: WorldRules
    visibility_rules: tuple[VisibilityRule, ...]
    default_situations: tuple[Situation, ...]  # expected, but not simulated


def read_body(head: DomainHeader, domain: Domain, objects: Collection[str], wider: Domain) -> DomainBody:
    """Read the rest, checked against the domain and the objects of all tasks. Raises BadFile.

    `wider` has the domain's types and predicates, and those of the tasks' worlds.
    """
    top = TomlTable(head.table.path, "", head.table.unread)
    names, verbs = top.text_table("names"), top.text_table("verbs")
    for name in names:
        top.check(name, objects, "object")
    for action, text in verbs.items():
        top.check(action, [a.name for a in domain.actions], "action")
        _check_placeholders(top, text, len(domain.action(action).parameters))
    wording = {name: _predicate_spec(name, node, domain) for name, node in top.tables("predicates")}
    rules = tuple(_rule(node, domain) for node in top.rows("rules", "[[rules]]"))
    exclusives = tuple(_mutex(node, domain) for node in top.rows("exclusive", "[[exclusive]]"))
    default = _situations(top, "[[situations]]", (HELD_TERM,), domain)
    skills = {action: _skill(action, node, domain, default) for action, node in top.tables("skills")}
    for schema in domain.actions if default else ():
        skills.setdefault(schema.name, Skill(schema.name, schema.name, default))
    nobody_says = not any(skill.situations for skill in skills.values())
    laws = _world_rules(top, wider)
    sight = tuple(_visibility_rule(node, domain) for node in top.rows("sight", "[[sight]]"))
    top.reject_unread()
    unsaid = (NOTHING_HAPPENS,) if nobody_says else ()
    return DomainBody(names, verbs, wording, rules, exclusives, skills, laws, sight, unsaid)


def _predicate_spec(name: str, node: TomlTable, domain: Domain) -> PredicateSpec:
    predicates = {p.name: p for p in domain.predicates}
    node.check(name, predicates, "predicate")
    perception = Perception(node.choose("perception", [p.value for p in Perception], "none"))
    question, opposite = node.read("question", str, ""), node.read("opposite", bool, False)
    says, bookkeeping = node.read("says", str, ""), node.read("bookkeeping", bool, False)
    outranks = node.read("sense_outranks", bool, True)
    wording = PredicateSpec(question, opposite, perception, says, bookkeeping, outranks)
    if bookkeeping and perception is not Perception.NONE:
        node.fail("what only keeps books is neither seen nor sensed: leave perception out")
    if perception is Perception.VISION and not wording.question:
        node.fail("what is asked about needs a question")
    if wording.statement and " is " not in wording.statement:
        node.fail('says must be a statement with " is ", such as "the {0} is closed"')
    for text in (wording.question, wording.statement):
        _check_placeholders(node, text, len(predicates[name].parameters))
    node.reject_unread()
    return wording


def _rule(node: TomlTable, domain: Domain) -> DefaultRule:
    rule = DefaultRule(
        node.read("why", str),
        _typed(node, "forall", domain),
        _literals(node, "unless", domain),
        _literals(node, "where", domain),
        _literals(node, "then", domain),
        _typed(node, "types", domain),
    )
    node.reject_unread()
    bound = {v.name for v in rule.forall} | {a for literal in rule.where for a in literal.args}
    for literal in rule.then:
        for term in literal.args:
            if literal.positive and term.startswith("?") and term not in bound:
                node.fail(f"then: {term} in {literal} stands neither in forall nor in where")
    return rule


def _mutex(node: TomlTable, domain: Domain) -> Mutex:
    together = []
    for group in node.read("together", list, []):
        for name in group:
            node.check(name, [p.name for p in domain.predicates], "predicate")
        together.append(frozenset(group))
    exclusive = Mutex(
        node.read("why", str),
        _typed(node, "forall", domain),
        _literals(node, "of", domain),
        tuple(together),
        node.read("exhaustive", bool, False),
    )
    node.reject_unread()
    return exclusive


def _world_rules(top: TomlTable, domain: Domain) -> WorldRules:
    """Read `[[world.rules]]` and `[[world.exclusive]]`; without them a world follows its PDDL alone."""
    node = TomlTable(top.path, "[world]", top.read("world", dict, {}))
    rules = tuple(_rule(row, domain) for row in node.rows("rules", "[[world.rules]]"))
    exclusives = tuple(_mutex(row, domain) for row in node.rows("exclusive", "[[world.exclusive]]"))
    node.reject_unread()
    return WorldRules(rules, exclusives)


def _visibility_rule(node: TomlTable, domain: Domain) -> VisibilityRule:
    sight = VisibilityRule(
        node.read("why", str),
        node.read("shows", str),
        _literals(node, "where", domain),
        node.read("share", float, 1.0),
        _typed(node, "types", domain),
    )
    node.reject_unread()
    if not 0 <= sight.probability <= 1:
        node.fail(f"share must be from 0 to 1, not {sight.probability}")
    if sight.variable not in {a for w in sight.where if w.positive for a in w.args if a.startswith("?")}:
        node.fail(f"shows must be a variable that a fact of where has, such as '?o', not {sight.variable!r}")
    return sight


def _skill(action: str, node: TomlTable, domain: Domain, default: tuple[Situation, ...]) -> Skill:
    node.check(action, [a.name for a in domain.actions], "action")
    count = len(domain.action(action).parameters)
    terms = [*(f"?{number}" for number in range(count)), HELD_TERM]
    situations = default
    if "situations" in node.unread:
        situations = _situations(node, f"{node.location} situation", terms, domain)
    takes = tuple(node.read("takes", list)) if "takes" in node.unread else None
    if takes is not None and not set(takes) <= set(range(count)):
        node.fail(f"takes names arguments by position, 0 to {count - 1}, not {list(takes)}")
    skill = Skill(
        action,
        node.read("skill", str),
        situations,
        takes,
        node.read("moves_eye", bool, False),
        _detected(node, situations),
    )
    node.reject_unread()
    return skill


def _detected(node: TomlTable, situations: Sequence[Situation]) -> tuple[str, ...]:
    """Return the detected situations: all for `feels = true`, else those named."""
    names = [situation.name for situation in situations or (NOTHING_HAPPENS,)]
    if not isinstance(node.unread.get("feels"), list):
        return tuple(names) if node.read("feels", bool, False) else ()
    felt = node.read("feels", list)
    for name in felt:
        node.check(name, names, "situation")
    return tuple(felt)


def _situations(node: TomlTable, place: str, terms: Sequence[str], domain: Domain) -> tuple[Situation, ...]:
    situations = []
    for row in node.rows("situations", place):
        situation = Situation(
            row.read("name", str),
            row.read("rate", float),
            row.read("drops", str, ""),
            _literals(row, "effects", domain),
            row.read("besides", bool, False),
            row.read("rated", bool, True),
        )
        row.reject_unread()
        if not 0 <= situation.rate <= 1:
            row.fail(f"rate must be from 0 to 1, not {situation.rate}")
        for term in (situation.drops, *(a for e in situation.effects for a in e.args)):
            if term:
                row.check(term, terms, "term")
        situations.append(situation)
    return tuple(situations)


# --- small texts ------------------------------------------------------------------------------------


def _check_placeholders(node: TomlTable, text: str, count: int) -> None:
    """Raise BadFile for a placeholder such as `{2}` in the text for something with two arguments."""
    try:
        text.format(*[""] * count)
    except (IndexError, KeyError, ValueError):
        node.fail(f"{text!r} may use only {', '.join(f'{{{n}}}' for n in range(count)) or 'plain words'}")


def _typed(node: TomlTable, key: str, domain: Domain) -> tuple[Typed, ...]:
    """Parse variables with types: `?o - movable ?f - floor`."""
    text = node.read(key, str, "")
    if not re.fullmatch(r"(\s*(\?[\w-]+\s+)+-\s+[\w-]+)*\s*", text):
        node.fail(f"{key} must look like '?o - type', not {text!r}")
    typed = []
    for variables, type in re.findall(r"((?:\?[\w-]+\s+)+)-\s+([\w-]+)", text):
        node.check(type, [*domain.parents, "object"], "type")
        typed += [Typed(name, type) for name in variables.split()]
    return tuple(typed)


def _literals(node: TomlTable, key: str, domain: Domain) -> tuple[Literal, ...]:
    """Parse literals: `["(inside ?o ?c)", "(not (closed ?c))"]`."""
    predicates = {p.name: len(p.parameters) for p in domain.predicates}
    literals = []
    for text in node.read(key, list, []):
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
