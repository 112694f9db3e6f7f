"""Both engines, asked directly: what they find, what they prove, and when they give up."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import pytest

from core.belief import Atom
from core.errors import Cancelled, MissingPackage, PlanningError, UnknownName
from core.planning import semantics
from core.planning.compiled import ground_task
from core.planning.engines import downward
from core.planning.engines.engine import SearchLimits
from core.planning.search import make_engine
from core.planning_model import Literal, PlanStatus, Problem
from core.stop_token import StopToken
from tests.core.planning.shared import both_engines, crowded, foreign, latency, needs_fast_downward
from tests.patience import AT_ONCE

SHORTEST = {"turn_around": 4, "tower_of_three": 6, "four_balls": 11, "two_cars": 9, "only_third": 3}


@both_engines
def test_that_foreign_domains_are_solved(engine: str, problem: Problem, cancel: StopToken) -> None:
    table = ground_task(problem, 10_000, cancel)
    plan = make_engine(engine).search(table, problem.state, SearchLimits(), cancel)
    assert plan.status is PlanStatus.FOUND and plan.engine == engine and plan.expanded > 0
    assert semantics.plan_faults(problem, plan) == ()
    assert len(plan.steps) == SHORTEST[problem.name]


@both_engines
def test_that_only_the_state_need_change(
    engine: str, household: Callable[..., Problem], cancel: StopToken
) -> None:
    problem = household("boil_water")
    table = ground_task(problem, 10_000, cancel)
    search = make_engine(engine)
    whole = search.search(table, problem.state, SearchLimits(), cancel)
    state = problem.state
    for done, step in enumerate(whole.steps, 1):
        state = semantics.apply(problem, state, step)
        rest = search.search(table, state, SearchLimits(), cancel)
        assert len(rest.steps) == len(whole.steps) - done
        assert semantics.plan_faults(replace(problem, state=state), rest) == ()


@both_engines
def test_that_impossible_is_proven(engine: str, household: Callable[..., Problem], cancel: StopToken) -> None:
    problem = household("bring_in_bottles")
    bottles = ("beer_bottle-n-01_1", "water_bottle-n-01_1")
    both = tuple(Literal("inhand", ("agent-n-01_1", bottle)) for bottle in bottles)
    problem = replace(problem, goal=both)
    plan = make_engine(engine).search(
        ground_task(problem, 10_000, cancel), problem.state, SearchLimits(), cancel
    )
    assert plan.status is PlanStatus.IMPOSSIBLE and "Every state" in plan.reason and not plan.steps


@both_engines
def test_that_a_static_goal_that_does_not_hold_is_impossible(
    engine: str, household: Callable[..., Problem], cancel: StopToken
) -> None:
    problem = household("boil_water")
    never = Literal("insource", ("sink-n-01_1", "water-n-06_1"), positive=False)
    problem = replace(problem, goal=(never,))
    plan = make_engine(engine).search(
        ground_task(problem, 10_000, cancel), problem.state, SearchLimits(), cancel
    )
    assert plan.status is PlanStatus.IMPOSSIBLE and "can never change" in plan.reason


def test_that_giving_up_is_no_proof(household: Callable[..., Problem], cancel: StopToken) -> None:
    problem = household("boil_water")
    table = ground_task(problem, 10_000, cancel)
    plan = make_engine("pyperplan").search(table, problem.state, SearchLimits(expansions=3), cancel)
    assert plan.status is PlanStatus.TIMEOUT and plan.reason == "No plan after 3 expansions."
    plan = make_engine("pyperplan").search(table, problem.state, SearchLimits(seconds=0.0), cancel)
    assert plan.status is PlanStatus.TIMEOUT and plan.reason == "No plan after 0 s."


@needs_fast_downward
def test_that_fast_downward_out_of_time_is_no_proof(cancel: StopToken) -> None:
    problem = crowded(40)
    table = ground_task(problem, 10_000, cancel)
    plan = make_engine("fast-downward").search(table, problem.state, SearchLimits(seconds=0.004), cancel)
    assert plan.status is PlanStatus.TIMEOUT and plan.reason == "No plan after 0.004 s."


@both_engines
def test_that_a_cancel_ends_a_search_at_once(engine: str) -> None:
    problem = crowded(90)  # either engine searches longer than the test waits
    table = ground_task(problem, 100_000, StopToken())
    search = make_engine(engine)
    search.search(
        table, problem.state, SearchLimits(expansions=1, seconds=0.01), StopToken()
    )  # build it first

    def cancelled(cancel: StopToken) -> None:
        with pytest.raises(Cancelled, match="enough"):
            search.search(table, problem.state, SearchLimits(), cancel)

    assert latency(cancelled) < AT_ONCE


@needs_fast_downward
def test_that_the_package_is_found_without_being_imported() -> None:
    code = (
        "import sys; from core.planning.engines.downward import binary_folder; "
        "assert binary_folder().exists(); assert 'up_fast_downward' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_that_a_missing_package_is_told_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downward, "find_spec", lambda name: None)
    with pytest.raises(MissingPackage, match=r"pip install -e '\.\[fast-downward\]'"):
        make_engine("fast-downward")


def test_that_an_unknown_engine_is_told() -> None:
    with pytest.raises(UnknownName, match="did you mean pyperplan"):
        make_engine("pyperplam")


@needs_fast_downward
def test_that_no_search_for_a_shortest_plan_comes_first_where_none_is_wanted(
    cancel: StopToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.planning.engines.fast_downward.optimal_search", lambda task: "nosearch")
    engine, problem = make_engine("fast-downward"), foreign("gripper/problem1")
    table = ground_task(problem, 10_000, cancel)
    plan = engine.search(table, problem.state, SearchLimits(improving_seconds=0), cancel)
    assert plan.status is PlanStatus.FOUND and semantics.plan_faults(problem, plan) == ()
    with pytest.raises(PlanningError, match="--search"):
        engine.search(table, problem.state, SearchLimits(), cancel)


def test_that_a_state_may_hold_facts_that_nothing_speaks_of(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    problem = household("halve_egg")
    state = problem.state | {Atom("frozen", ("hard__boiled_egg-n-01_1",))}
    plan = make_engine("pyperplan").search(
        ground_task(problem, 10_000, cancel), state, SearchLimits(), cancel
    )
    assert len(plan.steps) == 4
