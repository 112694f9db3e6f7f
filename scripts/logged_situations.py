"""Situations of logged dining trials: each episode is done again in its world, and its end is named."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from core.belief import Atom
from core.domains import DomainSpec
from core.methods.cowp.replies import named_thing
from core.open_world.prompts import PromptKind, recognise
from core.open_world.situations import random_half
from core.open_world.world_file import OpenSituation, load_open_world, pddl_name, stock_items
from core.planning.planner import make_planner
from core.planning_model import Problem, Step
from core.ports import StockItem
from robots.open_world.world import OpenWorld, SituationSchedule
from scripts.solvable import is_solvable

HANDLED, MISSED, NO_WAY = GROUPS = "handled", "a way, not handled", "no way"
EPISODES = """
select nr, settings ->> '$.method', task, cast(settings ->> '$.seed' as integer), result, why, true_goal
from episode where ended is not null and deleted is null"""
BODIES = "select body from record where episode = ? and kind = ? order by number"


@dataclass(frozen=True)
class Trial:
    """A logged trial. Without a situation, `kind`, `group` and `cause` are ""; `group` is one of GROUPS."""

    method: str
    task: str
    completed: bool
    kind: str = ""
    group: str = ""
    cause: str = ""


def trials(log: sqlite3.Connection, folder: DomainSpec) -> Iterator[Trial]:
    """Yield the trials. Raises SystemExit for one whose world answers differently now."""
    file, planner = load_open_world(folder), make_planner()

    @cache  # the methods meet the same situations
    def way(task: str, stock: tuple[StockItem, ...], sentence: str, state: frozenset[Atom]) -> bool:
        return is_solvable(folder, folder.tasks[task], stock, sentence, state, planner)

    for nr, method, name, seed, result, why, true in log.execute(EPISODES).fetchall():
        task = folder.tasks[name]
        taken = frozenset(o.name for o in task.problem.all_objects)
        stock = stock_items(file, random_half(file.kinds_of_things(), seed, name), taken)
        world = OpenWorld(folder, task, file, stock, SituationSchedule(file.chance, "", seed))
        came: OpenSituation | None = None
        had_way = other_used = False
        for body in _bodies(log, nr, "Acted"):
            step, accepted = Step(body["step"]["name"], tuple(body["step"]["args"])), world.accepted
            if (not world.do(step).failure) is not (body["outcome"]["ending"] == "done"):
                raise SystemExit(f"{method}, {name}, seed {seed}: {step} ends otherwise in this world.")
            if came is None and world.in_force is not None:
                came = world.in_force
                had_way = way(name, stock, came.sentence, world.state)
            if accepted and not world.accepted:
                other_used = came is None or came.object not in step.args
        if came is None:
            yield Trial(method, name, bool(true))
            continue
        if true:
            cause = "around what failed" if had_way else "with another thing than the one that failed"
        elif not world.accepted:
            type = next((o.type for o in task.problem.all_objects if o.name == came.object), "")
            listed_things = [pddl_name(thing) for things, _ in _choices(log, nr) for thing in things]
            right = any(file.accepts(folder.domain, type, thing) for thing in listed_things)
            listed = "a right one being listed" if right else "no right one being agreed to"
            cause = f"a wrong thing was used, {listed}" if other_used else "it was used as it is"
        else:
            cause = _gave_up(log, nr, result, why)
        group = HANDLED if true else MISSED if had_way else NO_WAY
        if group == NO_WAY:
            cause = f"{_bar(came, task.problem)}: {cause}"
        yield Trial(method, name, bool(true), came.kind, group, cause)


def _bodies(log: sqlite3.Connection, nr: int, kind: str) -> Iterator[dict[str, Any]]:
    return (json.loads(body) for (body,) in log.execute(BODIES, (nr, kind)))


def _choices(log: sqlite3.Connection, nr: int) -> list[tuple[list[str], str]]:
    """Return the things of each choice that the model was given, and its reply."""
    asked = (b for b in _bodies(log, nr, "Consulted") if b["purpose"] == PromptKind.CHOICE.value)
    known = ((recognise(body["messages"][0]["text"]), body["said"]) for body in asked)
    return [(prompt[1]["things"].split(", "), said) for prompt, said in known if prompt]


def _gave_up(log: sqlite3.Connection, nr: int, result: str, why: str) -> str:
    if result == "step limit":
        return "the steps were used up"
    if " failed " in why and " times" in why:
        return "given up at a step that kept failing"
    if why.startswith("The model's plan"):
        return "the model's plan ended too early"
    if not why.startswith("There is no way"):
        return "no plan"
    choices = _choices(log, nr)
    if choices and named_thing(choices[-1][1], choices[-1][0]) is None:
        return "told: no way; the model chose none of the listed things"
    asked = {body["purpose"] for body in _bodies(log, nr, "Consulted")}
    if asked.isdisjoint((PromptKind.SUBSTITUTE.value, PromptKind.REPAIR.value)):
        return "told: no way; there was nothing to ask about"
    return "told: no way; nothing that the model agreed to helps"


def _bar(came: OpenSituation, problem: Problem) -> str:
    """Return why a person would know no way."""
    if not came.object:
        return "of the whole house"
    named = any(came.object in goal.args for goal in problem.goal)
    return "the goal names it" if named else "nothing at hand helps"
