"""Problems to plan with: the shipped tasks, four domains nobody planned for, and crowds of any size."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from itertools import cycle
from pathlib import Path

import pytest

from core.belief import Atom
from core.planning import domain_library
from core.planning.search import PlanSearch
from core.planning_model import Problem, Typed
from core.stop_token import StopToken

FIXTURES = Path(__file__).parents[2] / "fixtures" / "domains"
FOREIGN = (
    "blocks/turn_around",
    "blocks/tower_of_three",
    "gripper/problem1",
    "ferry/problem",
    "switches/problem",
)
LENGTHS = {
    "boil_water": 12,
    "bring_in_bottles": 8,
    "cook_frozen_pie": 8,
    "halve_egg": 4,
    "store_firewood": 8,
}
needs_fast_downward = pytest.mark.skipif(
    find_spec("up_fast_downward") is None, reason="the extra fast-downward is not installed"
)
both_engines = pytest.mark.parametrize(
    "engine", ["pyperplan", pytest.param("fast-downward", marks=needs_fast_downward)]
)
_CROWD = ("table-n-02", "mug-n-04", "pie-n-01", "water_bottle-n-01", "cabinet-n-01", "brownie-n-03")


def foreign(name: str) -> Problem:
    folder, _, task = name.partition("/")
    return domain_library.load_domain_spec(FIXTURES / folder).tasks[task].problem


def crowded(count: int, task: str = "boil_water") -> Problem:
    """A task among `count` objects: more tables, closed cabinets, and things that lie on the tables."""
    problem = domain_library.load_task(task)[1].problem
    objects, state, tables = list(problem.objects), set(problem.state), ["floor-n-01_1"]
    kinds, room = cycle(_CROWD), next(a.args[1] for a in problem.state if a.predicate == "inroom")
    while len(objects) < count:
        kind = next(kinds)
        name = f"{kind}_{len(objects)}"
        objects.append(Typed(name, kind))
        state.add(Atom("inroom", (name, room)))
        if kind == "cabinet-n-01":
            state.add(Atom("closed", (name,)))
        elif kind == "table-n-02":
            tables.append(name)
        else:
            state.add(Atom("ontop", (name, tables[-1])))
    return replace(problem, name=f"{task}_{count}", objects=tuple(objects), state=frozenset(state))


def without(problem: Problem, *facts: str) -> Problem:
    """The problem in a state without these facts, written as "closed cabinet-n-01_1"."""
    gone = {Atom(name, tuple(args)) for name, *args in (fact.split() for fact in facts)}
    assert gone <= problem.state
    return replace(problem, state=problem.state - gone)


def latency(work: Callable[[StopToken], None]) -> float:
    """Seconds from a cancel, in the midst of `work`, to its end in another thread."""
    cancel, ended = StopToken(), list[float]()

    def run() -> None:
        work(cancel)
        ended.append(time.monotonic())

    thread = threading.Thread(target=run)
    thread.start()
    cancel.wait(0.2)  # nothing sets it: time to get under way
    assert not ended
    asked = time.monotonic()
    cancel.end("enough")
    thread.join(10)
    return ended[0] - asked


def without_fast_downward() -> PlanSearch:
    """A search as on a machine without it."""
    search = PlanSearch("pyperplan")
    search._fallback = None
    return search
