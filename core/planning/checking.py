"""Everything that a domain folder lacks, for its author: what it is, what is missing, and what that costs.

A FAULT keeps something from running. A GAP makes it run worse than it could. A NOTE is good to know, and may
be just as the author wants it.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Any

from core.domains import Folder, Perception, Situation
from core.errors import ConsoleError
from core.planning import shelf
from core.planning.checking_tasks import Reached, reached, task_faults
from core.planning.outcomes import scaled
from core.planning.read import read_domain, read_problem
from core.planning.toml import HELD, read_head
from core.problem import Action, Domain
from core.registry import Entry


class Level(Enum):
    FAULT = "fault"
    GAP = "gap"
    NOTE = "note"


@dataclass(frozen=True)
class Finding:
    """`about` names the thing, "predicate on"; `costs` is "" where the lack says it itself."""

    level: Level
    about: str
    lack: str
    costs: str = ""


def check_folder(
    name: str, robots: Iterable[Entry[Any]] = (), engine: str = "pyperplan"
) -> tuple[Finding, ...]:
    """All findings, PDDL first. Plans each task, so it may take seconds. Raises UnknownName for no folder."""
    path = shelf.SHELF / name if name in shelf.names() else Path(name)
    try:
        folder = shelf.folder(name)
    except ConsoleError as error:
        return tuple(_unreadable(path, error)) if path.is_dir() else _again(error)
    raw = _raw(path)
    made = [*_variants(path, folder)]
    if raw is None:
        lack = "no domain.toml" if folder.path else "no folder"
        costs = "questions are the predicates' names, everything counts as visible, nothing goes wrong"
        made.append(Finding(Level.GAP, "words", lack, costs))
    else:
        made += [*_predicates(folder, raw), *_words(folder)]
    ways = reached(folder)
    made += _actions(folder, ways)
    if raw is not None:
        made += [*_skills(folder, raw, ways), *_world(folder, raw)]
    made += (Finding(Level.FAULT, *fault) for fault in task_faults(folder, engine))
    return (*made, *_robots(folder, robots))


def _again(error: ConsoleError) -> tuple[Finding, ...]:
    raise error


# --- what cannot be read ----------------------------------------------------------------------------------


def _unreadable(path: Path, first: ConsoleError) -> Iterator[Finding]:
    """Each file's own first fault, where one alone keeps the folder from being read."""
    found = [str(first)]
    toml = path / "domain.toml"
    try:
        head = read_head(toml) if toml.exists() else None
    except ConsoleError:
        head = None
    files = [path / f for f in head.variants.values()] if head else [path / "domain.pddl"]
    tasks = [path / entry.file for entry in head.tasks] if head else sorted(path.glob("**/problem*.pddl"))
    for file in filter(Path.exists, files):
        try:
            domain = read_domain(file)
        except ConsoleError as error:
            found.append(str(error))
            continue
        found += [why for task in tasks if (why := _problem_fault(task, domain))]
    for why in dict.fromkeys(found):
        yield Finding(Level.FAULT, "files", why, "the domain cannot be used at all")


def _problem_fault(file: Path, domain: Domain) -> str:
    try:
        read_problem(file, domain)
    except ConsoleError as error:
        return str(error)
    return ""


def _variants(path: Path, folder: Folder) -> Iterator[Finding]:
    """The other variants can be read as well."""
    for variant in folder.variants:
        if variant != folder.variant:
            try:
                shelf.folder(path, variant)
            except ConsoleError as error:
                yield Finding(Level.FAULT, f"variant {variant}", str(error), "it cannot be chosen")


def _raw(path: Path) -> Mapping[str, Any] | None:
    """The file as it is written: what is left out is not to be told from a default otherwise."""
    file = path / "domain.toml"
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else None


# --- words ------------------------------------------------------------------------------------------------


def _predicates(folder: Folder, raw: Mapping[str, Any]) -> Iterator[Finding]:
    changed = {e.literal.predicate for a in folder.domain.actions for e in a.effects}
    goals = {g.predicate for task in folder.tasks.values() for g in task.problem.goal}
    for predicate in folder.domain.predicates:
        name, about = predicate.name, f"predicate {predicate.name}"
        written = raw.get("predicates", {}).get(name)
        if written is None:
            costs = "never asked, never felt; shown by its name"
            yield Finding(Level.GAP, about, f"no [predicates.{name}]", costs)
            continue
        wording = folder.wording[name]
        if wording.bookkeeping:
            continue
        if "perception" not in written:
            yield Finding(Level.GAP, about, "no perception", "never asked: only predicted")
        elif wording.perception is Perception.NONE and name in changed:
            yield Finding(
                Level.NOTE, about, "perception is none", "a wrong belief about it is never noticed"
            )
        if wording.perception is Perception.NONE and name in goals and "perception" in written:
            yield Finding(Level.NOTE, about, "in a goal, and nobody sees it", "the end is believed unseen")
        if not wording.says:
            yield Finding(Level.GAP, about, "no says", "shown by its name and arguments")


def _words(folder: Folder) -> Iterator[Finding]:
    for action in folder.domain.actions:
        if action.name not in folder.verbs:
            yield Finding(Level.GAP, f"action {action.name}", "no verb", "steps are shown by their names")
    objects = {o.name for task in folder.tasks.values() for o in task.problem.everything}
    bare = sorted(objects - set(folder.names))
    if bare:
        few = ", ".join(bare[:3]) + (f", and {len(bare) - 3} more" if len(bare) > 3 else "")
        plain = any(not name.replace("_", " ").isalpha() for name in bare)
        level = Level.GAP if plain else Level.NOTE
        yield Finding(level, "names", f"none for {few}", "questions and the screen show the PDDL's names")


# --- skills -----------------------------------------------------------------------------------------------


def _actions(folder: Folder, ways: Reached) -> Iterator[Finding]:
    for action in folder.domain.actions:
        if folder.tasks and action.name not in ways.actions and not ways.partly:
            yield Finding(
                Level.GAP, f"action {action.name}", "can be done in no task", "it is never planned, nor tried"
            )


def _skills(folder: Folder, raw: Mapping[str, Any], ways: Reached) -> Iterator[Finding]:
    for action in folder.domain.actions:
        about, situations = f"skill {action.name}", folder.situations_of(action.name)
        if not situations and "situations" not in raw.get("skills", {}).get(action.name, {}):
            yield Finding(Level.GAP, about, "no situations", "in a simulation nothing ever goes wrong in it")
        for situation in situations:
            if why := _never(folder, action, situation, ways):
                yield Finding(Level.GAP, f"{about}, {situation.name!r}", why, "it never happens")
        try:
            scaled(situations, 1.0)
        except ConsoleError as error:
            yield Finding(Level.FAULT, about, str(error), "no simulator can be made")


def _never(folder: Folder, action: Action, situation: Situation, ways: Reached) -> str:
    """Why a situation cannot happen, "" if it can."""
    predicates = {p.name for p in folder.domain.predicates}
    terms = {situation.drops, *(term for e in situation.effects for term in e.args)}
    if situation.rate == 0:
        return "its rate is 0"
    if HELD in terms and "inhand" not in predicates:
        return f"{HELD} needs a predicate inhand"
    if folder.tasks and action.name not in ways.actions and not ways.partly:
        return "the action can be done in no task"
    return ""


def _world(folder: Folder, raw: Mapping[str, Any]) -> Iterator[Finding]:
    """What the symbolic robot's world lacks. It follows none of the agent's assumptions."""
    if "world" not in raw:
        lack = "no [[world.rules]], no [[world.exclusive]]"
        costs = "the symbolic robot's world follows the PDDL alone, and nothing of what the agent assumes"
        yield Finding(Level.NOTE, "world", lack, costs)
    if folder.laws.exclusives or folder.robot != "symbolic":
        return
    for skill in folder.skills.values():
        for situation in (s for s in skill.situations if s.drops):
            about = f"skill {skill.action}, {situation.name!r}"
            lack = "no [[world.exclusive]] says what ends when something falls"
            yield Finding(Level.GAP, about, lack, "what drops stays where it was")


# --- robots -----------------------------------------------------------------------------------------------


def _robots(folder: Folder, robots: Iterable[Entry[Any]]) -> Iterator[Finding]:
    """What each robot does not understand; it is a fault of the robot that the domain is at home on."""
    table = {entry.name: entry for entry in robots}
    if table and folder.robot not in table:
        lack = f"there is no robot {folder.robot!r}"
        yield Finding(Level.FAULT, "robot", lack, "an episode needs --robot")
    for name, entry in table.items():
        level = Level.FAULT if name == folder.robot else Level.NOTE
        tasks: dict[str, list[str]] = {}
        for task in folder.tasks.values():
            for reason in entry.fits(folder, task):
                tasks.setdefault(reason.rstrip("."), []).append(task.name)
        for reason, kept in tasks.items():
            costs = "no task can be run on it"
            if len(kept) < len(folder.tasks):
                costs = f"cannot be run on it: {', '.join(kept)}"
            yield Finding(level, f"robot {name}", reason, costs)
