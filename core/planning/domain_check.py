"""Check a domain folder for its author: what is missing or wrong, and with what consequence.

A FAULT keeps something from running. A GAP makes it run worse than it could. A NOTE is good to know, and may
be intended.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from core.data_file import read_toml
from core.domains import DomainSpec, Perception, Situation
from core.errors import ConsoleError
from core.planning import domain_library
from core.planning.compiled import CompiledProblem, ground_task
from core.planning.domain_tables import HELD_TERM
from core.planning.domain_toml import read_header
from core.planning.fact_bits import union
from core.planning.outcomes import scale_rates
from core.planning.pddl.reader import read_domain, read_problem
from core.planning.pddl.second_reading import Unread, differences
from core.planning.planner import make_planner
from core.planning_model import Action, Domain, PlanStatus
from core.registry import Entry
from core.stop_token import StopToken
from core.work import TooMuchWork, Work, work_in_force


class Severity(Enum):
    FAULT = "fault"
    GAP = "gap"
    NOTE = "note"


FAULT, GAP, NOTE = Severity.FAULT, Severity.GAP, Severity.NOTE


@dataclass(frozen=True)
class DomainFinding:
    """`subject` names the thing, "predicate on"; `consequence` is "" if the problem already implies it."""

    severity: Severity
    subject: str
    problem: str
    consequence: str = ""


def check_folder(
    name: str, robots: Iterable[Entry[Any]] = (), engine: str = "pyperplan"
) -> tuple[DomainFinding, ...]:
    """Return all findings, those about PDDL first. Raises UnknownName if there is no such folder.

    Plans each task, so it may take seconds.
    """
    path = domain_library.domain_path(name)
    try:
        domain_spec = domain_library.load_domain_spec(name)
    except ConsoleError as error:
        if not path.is_dir():
            raise
        return tuple(_unreadable(path, error))
    file = path / "domain.toml"
    raw = read_toml(file) if file.exists() else None  # parsed values do not show what was left out
    made = [*_variants(path, domain_spec), *_second_reading(domain_spec), *_unlisted(path)]
    if raw is None:
        lack = "no domain.toml" if domain_spec.path else "no folder"
        costs = "questions are the predicates' names, everything counts as visible, nothing goes wrong"
        made.append(DomainFinding(GAP, "words", lack, costs))
    else:
        made += [*_predicates(domain_spec, raw), *_words(domain_spec)]
    ways = reachable_actions(domain_spec)
    made += _actions(domain_spec, ways)
    if raw is not None:
        made += [*_skills(domain_spec, raw, ways), *_world(domain_spec, raw)]
    made += (DomainFinding(FAULT, *fault) for fault in task_faults(domain_spec, engine))
    return (*made, *_robots(domain_spec, robots))


# --- what cannot be read ----------------------------------------------------------------------------------


def _unreadable(path: Path, first: ConsoleError) -> Iterator[DomainFinding]:
    """Yield the first error of each file, to find the one that keeps the folder from being read."""
    found = [str(first)]
    files, tasks = [path / "domain.pddl"], sorted(path.glob("**/problem*.pddl"))
    with suppress(ConsoleError):
        head = read_header(path)
        files = [path / file for file in head.variants.values()]
        tasks = [path / entry.file for entry in head.tasks.values()]
    for file in filter(Path.exists, files):
        try:
            domain = read_domain(file)
        except ConsoleError as error:
            found.append(str(error))
            continue
        found += [reason for task in tasks if (reason := _problem_fault(task, domain))]
    for reason in dict.fromkeys(found):
        yield DomainFinding(FAULT, "files", reason, "the domain cannot be used at all")


def _problem_fault(file: Path, domain: Domain) -> str:
    try:
        read_problem(file, domain)
    except ConsoleError as error:
        return str(error)
    return ""


def _variants(path: Path, domain_spec: DomainSpec) -> Iterator[DomainFinding]:
    """Check that the other variants can be read as well, and which tasks each has."""
    if len(domain_spec.variants) == 1:
        return
    listed = read_header(path).tasks
    for variant in domain_spec.variants:
        try:
            tasks = domain_library.load_domain_spec(path, variant).tasks
        except ConsoleError as error:
            yield DomainFinding(FAULT, f"variant {variant}", str(error), "it cannot be chosen")
            continue
        for task in [name for name in listed if name not in tasks]:
            costs = "its goal needs what only another variant has"
            yield DomainFinding(NOTE, f"variant {variant}", f"has no task {task}", costs)


def _unlisted(path: Path) -> Iterator[DomainFinding]:
    """Yield the problem files that are no tasks."""
    for file in domain_library.unlisted_problems(path):
        lack = f"there is no [tasks.{file.stem}]"
        yield DomainFinding(GAP, file.relative_to(path).as_posix(), lack, "it is no task")


def _second_reading(domain_spec: DomainSpec) -> Iterator[DomainFinding]:
    """Compare with what tarski reads in the same files; what every task has in common is told once."""
    found: dict[DomainFinding, None] = {}
    for name, task in domain_spec.tasks.items():
        try:
            for what in differences(*domain_library.pddl_files(domain_spec, name), task.problem):
                problem = f"tarski reads {what} differently"
                costs = "one of the two is wrong: write it more plainly, or tell us"
                found[DomainFinding(GAP, "second reader", problem, costs)] = None
        except Unread as error:
            problem, costs = f"tarski cannot read it ({error})", "another planner may not either"
            found[DomainFinding(NOTE, "second reader", problem, costs)] = None
    yield from found


# --- words ------------------------------------------------------------------------------------------------


def _predicates(domain_spec: DomainSpec, raw: Mapping[str, Any]) -> Iterator[DomainFinding]:
    changed = {e.literal.predicate for a in domain_spec.domain.actions for e in a.effects}
    goals = {g.predicate for task in domain_spec.tasks.values() for g in task.problem.goal}
    for predicate in domain_spec.domain.predicates:
        name, about = predicate.name, f"predicate {predicate.name}"
        written = raw.get("predicates", {}).get(name)
        if written is None:
            costs = "never asked, never felt; shown by its name"
            yield DomainFinding(GAP, about, f"no [predicates.{name}]", costs)
            continue
        wording = domain_spec.predicate_specs[name]
        if wording.bookkeeping:
            continue
        if "perception" not in written:
            yield DomainFinding(GAP, about, "no perception", "never asked: only predicted")
        elif wording.perception is Perception.NONE and name in changed:
            yield DomainFinding(NOTE, about, "perception is none", "a wrong belief about it is never noticed")
        if wording.perception is Perception.NONE and name in goals and "perception" in written:
            yield DomainFinding(NOTE, about, "in a goal, and nobody sees it", "the end is believed unseen")
        if not wording.statement:
            yield DomainFinding(GAP, about, "no statement", "shown by its name and arguments")


def _words(domain_spec: DomainSpec) -> Iterator[DomainFinding]:
    for action in domain_spec.domain.actions:
        if action.name not in domain_spec.verbs:
            yield DomainFinding(GAP, f"action {action.name}", "no verb", "steps are shown by their names")
    objects = {o.name for task in domain_spec.tasks.values() for o in task.problem.all_objects}
    bare = sorted(objects - set(domain_spec.display_names))
    if bare:
        few = ", ".join(bare[:3]) + (f", and {len(bare) - 3} more" if len(bare) > 3 else "")
        plain = any(not name.replace("_", " ").isalpha() for name in bare)
        level = GAP if plain else NOTE
        yield DomainFinding(
            level, "names", f"none for {few}", "questions and the screen show the PDDL's names"
        )


# --- skills -----------------------------------------------------------------------------------------------


def _actions(domain_spec: DomainSpec, ways: ReachableActions) -> Iterator[DomainFinding]:
    for action in domain_spec.domain.actions:
        if domain_spec.tasks and action.name not in ways.actions and not ways.incomplete:
            yield DomainFinding(
                GAP, f"action {action.name}", "can be done in no task", "it is never planned, nor tried"
            )


def _skills(
    domain_spec: DomainSpec, raw: Mapping[str, Any], ways: ReachableActions
) -> Iterator[DomainFinding]:
    for action in domain_spec.domain.actions:
        about, situations = f"skill {action.name}", domain_spec.situations_of(action.name)
        if not situations and "situations" not in raw.get("skills", {}).get(action.name, {}):
            yield DomainFinding(GAP, about, "no situations", "in a simulation nothing ever goes wrong in it")
        for situation in situations:
            if reason := _why_never(domain_spec, action, situation, ways):
                yield DomainFinding(GAP, f"{about}, {situation.name!r}", reason, "it never happens")
        try:
            scale_rates(situations, 1.0)
        except ConsoleError as error:
            yield DomainFinding(FAULT, about, str(error), "no simulator can be made")


def whole_state_findings(name: str) -> Iterator[DomainFinding]:
    """Yield what a method that keeps whole states would do better with, in a folder that can be read.

    What some of it costs the method careful is measured in docs/results/careful.md.
    """
    try:
        domain_spec = domain_library.load_domain_spec(name)
    except ConsoleError:
        return
    skills = domain_spec.skills.values()
    lacks = {
        "no [[visibility]]": (
            domain_spec.visibility_rules,
            "every picture is taken to show all: no matter to an eye, false claims by a model",
        ),
        "no [[implied]]": (domain_spec.implied_rules, "right answers may count against the true state"),
        "no situations": (
            any(skill.situations for skill in skills),
            'of every step "nothing happens" is expected in .15 of the cases, "the held object drops" in .1',
        ),
        "no skill has arguments": (
            any(skill.argument_positions is not None for skill in skills),
            "a step is expected to work only with exactly the planner's arguments",
        ),
        "no skill has detects": (
            any(skill.detects for skill in skills),
            "DONE and FAILED are weak evidence: more questions",
        ),
        "no skill has moves_camera": (
            any(skill.moves_camera for skill in skills),
            "no step is done only to look again",
        ),
    }
    for lack, (there, costs) in lacks.items():
        if not there:
            yield DomainFinding(NOTE, "method careful", lack, costs)


def _why_never(domain_spec: DomainSpec, action: Action, situation: Situation, ways: ReachableActions) -> str:
    """Return why a situation cannot happen, "" if it can."""
    predicates = {p.name for p in domain_spec.domain.predicates}
    terms = {situation.drops, *(term for e in situation.effects for term in e.args)}
    if situation.rate == 0:
        return "its rate is 0"
    if HELD_TERM in terms and "inhand" not in predicates:
        return f"{HELD_TERM} needs a predicate inhand"
    if domain_spec.tasks and action.name not in ways.actions and not ways.incomplete:
        return "the action can be done in no task"
    return ""


def _world(domain_spec: DomainSpec, raw: Mapping[str, Any]) -> Iterator[DomainFinding]:
    """Yield what the symbolic robot's world lacks; it follows none of the agent's assumptions."""
    if "world" not in raw:
        lack = "no [[world.rules]], no [[world.mutexes]]"
        costs = "the symbolic robot's world follows the PDDL alone, and nothing of what the agent assumes"
        yield DomainFinding(NOTE, "world", lack, costs)
    if domain_spec.world_rules.mutexes or domain_spec.default_robot != "symbolic":
        return
    for skill in domain_spec.skills.values():
        for situation in (s for s in skill.situations if s.drops):
            about = f"skill {skill.action}, {situation.name!r}"
            lack = "no [[world.mutexes]] says what ends when something falls"
            yield DomainFinding(GAP, about, lack, "what drops stays where it was")


# --- robots -----------------------------------------------------------------------------------------------


def _robots(domain_spec: DomainSpec, robots: Iterable[Entry[Any]]) -> Iterator[DomainFinding]:
    """Yield what each robot does not support; it is a fault only for the domain's default robot."""
    table = {entry.name: entry for entry in robots}
    if table and domain_spec.default_robot not in table:
        lack = f"there is no robot {domain_spec.default_robot!r}"
        yield DomainFinding(FAULT, "robot", lack, "an episode needs --robot")
    for name, entry in table.items():
        level = FAULT if name == domain_spec.default_robot else NOTE
        tasks: dict[str, list[str]] = {}
        for task in domain_spec.tasks.values():
            for reason in entry.incompatibilities(domain_spec, task):
                tasks.setdefault(reason.rstrip("."), []).append(task.name)
        for reason, kept in tasks.items():
            costs = "no task can be run on it"
            if len(kept) < len(domain_spec.tasks):
                costs = f"cannot be run on it: {', '.join(kept)}"
            yield DomainFinding(level, f"robot {name}", reason, costs)
        if level is FAULT:
            found = (
                doubt for task in domain_spec.tasks.values() for doubt in entry.doubts(domain_spec, task)
            )
            for doubt in dict.fromkeys(found):
                yield DomainFinding(GAP, f"robot {name}", doubt.rstrip("."), "episodes may fail by it")


MAX_OPERATORS = 20_000  # ground operators above which reachability is not computed


@dataclass(frozen=True)
class ReachableActions:
    """The actions that are reachable in some task, ignoring deletes."""

    actions: frozenset[str] = frozenset()
    incomplete: bool = False  # a task was too large to check


def reachable_actions(domain_spec: DomainSpec) -> ReachableActions:
    found: set[str] = set()
    partly = False
    for task in domain_spec.tasks.values():
        try:
            with Work():
                table = ground_task(task.problem, MAX_OPERATORS, StopToken())
                found |= _reachable(table, table.mask(task.problem.state))
        except TooMuchWork:
            partly = True
    return ReachableActions(frozenset(found), partly)


def _reachable(table: CompiledProblem, known: int) -> set[str]:
    """Return the reachable actions. Facts only grow, so passes repeat until nothing is new."""
    waiting, done, work = list(table.operators), set[str](), work_in_force()
    while now := [op for op in waiting if not op.needs & ~known]:
        work.spend(len(waiting))
        waiting = [op for op in waiting if op.needs & ~known]
        done |= {op.step.name for op in now}
        for op in now:
            known |= union(when.fact for when in op.effects if when.add) | op.adds
    return done


def task_faults(domain_spec: DomainSpec, engine: str) -> Iterator[tuple[str, str, str]]:
    """Yield the subject, the problem and its consequence of each fault."""
    if not domain_spec.tasks:
        yield "tasks", "there is none", "nothing can be run"
        return
    with closing(make_planner(engine)) as planner:
        for task in domain_spec.tasks.values():
            about = f"task {task.name}"
            try:
                plan = planner.plan(task.problem, StopToken())
            except ConsoleError as error:
                yield about, str(error), "it cannot be planned"
                continue
            if plan.status is not PlanStatus.FOUND:
                reason = plan.reason.rstrip(".") or "no way leads to its goal"
                yield (
                    about,
                    f"no plan ({plan.status.value}): {reason}",
                    "an episode ends before its first step",
                )
            elif task.plan_length is not None and task.plan_length != len(plan.steps):
                lack = f"plan_length says {task.plan_length}, and the plan has {len(plan.steps)}"
                yield about, lack, "the list of tasks is wrong"
