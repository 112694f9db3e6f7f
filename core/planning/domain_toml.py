"""Read a domain folder's `domain.toml`. The format is described in `docs/domains.md`.

Every key must be known, and every predicate, action, object and type must be the domain's: an error is a
BadFile with the file, the place and the fault.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import field, fields, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Self

from annotated_types import Ge
from pydantic import model_validator
from pydantic.dataclasses import dataclass

from core.data_file import FILE, check, known_name, parse_toml, read_text
from core.domains import (
    DEFAULT_SITUATIONS,
    DefaultRule,
    DomainSpec,
    Mutex,
    PredicateSpec,
    Situation,
    Skill,
    VisibilityRule,
    WorldRules,
)
from core.planning.domain_tables import DomainBody, WorldFile, as_value, as_values, names_of
from core.planning.pddl.formulas import literals
from core.planning_model import Domain, Literal, Problem, type_alternatives

# --- the part that does not depend on PDDL ----------------------------------------------------------


@dataclass(frozen=True, config=FILE)
class TaskEntry:
    """One task as the file lists it, before its problem is read."""

    file: str
    description: str = ""
    plan_length: Annotated[int, Ge(0)] | None = None
    world: str = ""  # the problem file of a wider world, "" for none
    world_domain: str = ""  # its domain file, "" for the chosen variant

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.world_domain and not self.world:
            raise ValueError("world_domain needs a world, the problem file that it belongs to")
        return self


@dataclass(frozen=True, config=FILE)
class DomainHeader:
    """Enough to list a folder's tasks; `body` is what `read_body` continues with."""

    variants: dict[str, str]
    description: str = ""
    robot: str = "symbolic"
    default: str = ""
    tasks: dict[str, TaskEntry] = field(default_factory=dict)
    body: dict[str, Any] = field(default_factory=dict)

    @model_validator(mode="after")
    def _check(self) -> Self:
        if self.default:
            known_name("variant", self.default, self.variants)
        return self


def problem_files(folder: Path) -> list[Path]:
    """Return the files that are a folder's tasks if it does not list any."""
    return sorted(folder.glob("problem*.pddl")) + sorted(folder.glob("tasks/*.pddl"))


def read_header(folder: Path) -> DomainHeader:
    """Read the part of `domain.toml` that mentions no predicate; a folder may have none. Raises BadFile."""
    path = folder / "domain.toml"
    head = _parse_header(path, read_text(path) if path.exists() else "")
    if head.tasks:
        return head
    found = problem_files(folder)
    return replace(head, tasks={f.stem: TaskEntry(f.relative_to(folder).as_posix()) for f in found})


@lru_cache(maxsize=32)  # trials read the same text again and again, which takes longer than their turns
def _parse_header(path: Path, text: str) -> DomainHeader:
    body = parse_toml(path, text)
    head = {f.name: body.pop(f.name) for f in fields(DomainHeader) if f.name in body and f.name != "body"}
    head["variants"] = head.get("variants") or {"domain": "domain.pddl"}
    made = check(DomainHeader, {**head, "body": body}, path)
    return replace(made, default=made.default or next(iter(made.variants)))


# --- the part that refers to the domain -------------------------------------------------------------


def read_body(
    spec: DomainSpec, path: Path, head: DomainHeader, shared: Domain, worlds: Domain, objects: Collection[str]
) -> DomainSpec:
    """Return the folder with the rest of its file, checked against its domain and its tasks' objects.

    `shared` is the domain with what only its other variants have, `worlds` with the types and predicates of
    the tasks' worlds. What this variant lacks never holds and is never made so. Raises BadFile.
    """
    domain = spec.domain
    rest = dict(head.body)
    laws = {"world": rest.pop("world")} if "world" in rest else {}
    body = check(DomainBody, rest, path, context=names_of(shared, objects))
    world = check(WorldFile, laws, path, context=names_of(extended(shared, (worlds,)))).world
    actions, known = {a.name for a in domain.actions}, {p.name for p in domain.predicates}
    default = as_values(Situation, body.situations)
    skills = {action: table.value(action, default) for action, table in body.skills.items()}
    for schema in domain.actions if default else ():
        skills.setdefault(schema.name, Skill(schema.name, schema.name, default))
    skills = {
        action: replace(skill, situations=known_situations(skill.situations, domain))
        for action, skill in skills.items()
        if action in actions
    }
    predicates = {
        name: as_value(PredicateSpec, table) for name, table in body.predicates.items() if name in known
    }
    nobody_says = not any(skill.situations for skill in skills.values())
    return replace(
        spec,
        display_names=MappingProxyType(body.names),
        verbs=MappingProxyType({action: text for action, text in body.verbs.items() if action in actions}),
        value_words=MappingProxyType(body.values),
        predicate_specs=MappingProxyType(predicates),
        rules=_rules(body.rules, domain),
        mutexes=_mutexes(body.mutexes, domain),
        skills=MappingProxyType(skills),
        world_rules=WorldRules(_rules(world.rules, worlds), _mutexes(world.mutexes, worlds)),
        visibility_rules=as_values(VisibilityRule, body.visibility),
        implied_rules=_rules(body.implied, domain),
        default_situations=DEFAULT_SITUATIONS if nobody_says else (),
    )


def with_truth(spec: DomainSpec, path: Path) -> DomainSpec:
    """Return the folder as a simulated world that differs from it in what this file states: the situations of
    skills, and the world's laws, each in place of the folder's. Raises BadFile.
    """
    rest = parse_toml(path, read_text(path))
    rest.pop("description", None)
    worlds = extended(spec.domain, [task.simulated_problem.domain for task in spec.tasks.values()])
    laws = {"world": rest.pop("world")} if "world" in rest else {}
    names = names_of(worlds)
    body = check(DomainBody, rest, path, context=names)
    law = check(WorldFile, laws, path, context=names).world
    skills = dict(spec.skills)
    for action, table in body.skills.items():
        true = table.value(action, ()).situations
        skills[action] = replace(skills.get(action) or Skill(action, action), situations=true)
    told = spec.world_rules
    rules = _rules(law.rules, worlds) if law.rules else told.rules
    mutexes = _mutexes(law.mutexes, worlds) if law.mutexes else told.mutexes
    return replace(spec, skills=MappingProxyType(skills), world_rules=WorldRules(rules, mutexes))


def _rules(tables: Iterable[object], domain: Domain) -> tuple[DefaultRule, ...]:
    rules = as_values(DefaultRule, tables)
    return tuple(replace(rule, then=known_changes(rule.then, domain)) for rule in rules)


def _mutexes(tables: Iterable[object], domain: Domain) -> tuple[Mutex, ...]:
    mutexes = as_values(Mutex, tables)
    return tuple(replace(mutex, literals=known_changes(mutex.literals, domain)) for mutex in mutexes)


# --- variants ------------------------------------------------------------------------------------------


def extended(domain: Domain, others: Iterable[Domain]) -> Domain:
    """Return the domain with the types, predicates and actions that only the others have."""
    everyone = (*others, domain)
    return replace(
        domain,
        types=tuple(sorted({t for each in everyone for t in each.types})),
        predicates=tuple({p.name: p for each in everyone for p in each.predicates}.values()),
        actions=tuple({a.name: a for each in everyone for a in each.actions}.values()),
    )


def in_variant(problem: Problem, domain: Domain) -> Problem | None:
    """Return what a problem is in this variant, without the objects and facts of which the variant has no
    type or predicate; None if its goal needs one of these."""
    types, predicates = {"object", *domain.parents}, {p.name for p in domain.predicates}
    objects = tuple(o for o in problem.objects if types.issuperset(type_alternatives(o.type)))
    names = {o.name for o in (*objects, *domain.constants)}
    goal = [literal for part in (*problem.goal, *problem.goal_formulas) for literal in literals(part)]
    gone = {o.name for o in problem.objects} - names
    if any(g.predicate not in predicates or not gone.isdisjoint(g.args) for g in goal):
        return None
    state = frozenset(a for a in problem.state if a.predicate in predicates and names.issuperset(a.args))
    return replace(problem, domain=domain, objects=objects, state=state)


def known_changes(changes: Iterable[Literal], domain: Domain) -> tuple[Literal, ...]:
    """Return the facts to be made so that this variant has."""
    predicates = {p.name for p in domain.predicates}
    return tuple(literal for literal in changes if literal.predicate in predicates)


def known_situations(situations: Iterable[Situation], domain: Domain) -> tuple[Situation, ...]:
    """Return what can go wrong in this variant: not what concerns only facts that it lacks."""
    changed = ((s, known_changes(s.effects, domain)) for s in situations)
    return tuple(
        s if effects == s.effects else replace(s, effects=effects)
        for s, effects in changed
        if effects or s.drops or not s.effects
    )
