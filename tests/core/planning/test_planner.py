from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.belief import Atom
from core.errors import Cancelled, PlanningError, UnknownName
from core.planning import semantics
from core.planning.compiled import CompiledProblem
from core.planning.elimination import eliminate_redundant
from core.planning.engines.downward import SasTask, translate_problem
from core.planning.engines.engine import SearchLimits
from core.planning.engines.pyperplan import Pyperplan
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.planner import make_planner
from core.planning.search import PlanSearch
from core.planning_model import Literal, Plan, PlanStatus, Problem, Step, Typed
from core.stop_token import StopToken
from tests.core.planning.shared import (
    LENGTHS,
    both_engines,
    crowded,
    foreign,
    latency,
    needs_fast_downward,
    without,
    without_fast_downward,
)
from tests.patience import AT_ONCE

ROOT = Path(__file__).parents[3]


@both_engines
@pytest.mark.parametrize("variant", ["printed", "repaired"])
def test_that_the_five_tasks_take_the_papers_steps(
    engine: str, variant: str, household: Callable[..., Problem], cancel: StopToken
) -> None:
    planner = make_planner(engine)
    lengths = {}
    for name in LENGTHS:
        problem = household(name, variant)
        plan = planner.plan(problem, cancel)
        assert plan.status is PlanStatus.FOUND and semantics.plan_faults(problem, plan) == ()
        lengths[name] = len(plan.steps)
    assert lengths == LENGTHS


@both_engines
def test_that_foreign_problems_are_planned(engine: str, problem: Problem, cancel: StopToken) -> None:
    plan = make_planner(engine).plan(problem, cancel)
    assert plan.status is PlanStatus.FOUND and semantics.plan_faults(problem, plan) == ()


def test_that_a_goal_that_holds_needs_no_step(household: Callable[..., Problem], cancel: StopToken) -> None:
    problem = household("boil_water")
    cabinet = Literal("closed", ("cabinet-n-01_1",))
    plan = make_planner().plan(replace(problem, goal=(cabinet,)), cancel)
    assert (plan.status, plan.steps) == (PlanStatus.FOUND, ())


def test_that_negative_goals_are_planned_for(household: Callable[..., Problem], cancel: StopToken) -> None:
    problem = household("boil_water")
    open_ = Literal("closed", ("cabinet-n-01_1",), positive=False)
    full = Literal("handempty", ("agent-n-01_1",), positive=False)
    shut = Literal("closed", ("cabinet-n-01_1",))
    plan = make_planner().plan(replace(problem, goal=(open_,)), cancel)
    assert [s.name for s in plan.steps] == ["find", "openit"]
    plan = make_planner().plan(replace(problem, goal=(full, shut)), cancel)
    assert [s.name for s in plan.steps] == ["find", "openit", "find", "graspin", "find", "closeit"]


def test_that_no_way_is_impossible_and_not_a_timeout(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    problem = household("boil_water")
    plan = make_planner().plan(without(problem, "insource sink-n-01_1 water-n-06_1"), cancel)
    assert plan.status is PlanStatus.IMPOSSIBLE and plan.reason
    plan = make_planner().plan(without(problem, "handempty agent-n-01_1"), cancel)
    assert plan.status is PlanStatus.IMPOSSIBLE


def test_that_a_limit_is_a_timeout_and_not_impossible(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    limited = make_planner(limits=SearchLimits(expansions=5))
    plan = limited.plan(household("boil_water"), cancel)
    assert plan.status is PlanStatus.TIMEOUT and "5 expansions" in plan.reason


@both_engines
def test_that_a_planner_has_a_limit_of_its_own(engine: str, cancel: StopToken) -> None:
    two_in_one_hand = replace(
        crowded(40), goal=tuple(Literal("inhand", ("agent-n-01_1", o)) for o in ("mug-n-04_1", "pie-n-01_10"))
    )
    with closing(make_planner(engine, options={"seconds": "2"})) as planner:
        began = time.monotonic()
        plan = planner.plan(two_in_one_hand, cancel)
    assert plan.status is PlanStatus.TIMEOUT and re.match(r"No plan after|Not grounded after", plan.reason)
    assert time.monotonic() - began < 30


def test_that_a_search_can_be_bounded_for_one_call(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    planner, problem = make_planner(), household("store_firewood")
    assert planner.plan_within(problem, 1, cancel).status is PlanStatus.TIMEOUT
    plan = planner.plan(problem, cancel)
    assert planner.plan_within(problem, 1, cancel).steps == plan.steps  # it is known by now


def test_that_a_changed_static_fact_is_seen(household: Callable[..., Problem], cancel: StopToken) -> None:
    planner, problem = make_planner(), household("boil_water")
    dry = without(problem, "insource sink-n-01_1 water-n-06_1")
    for _ in range(2):
        assert planner.plan(problem, cancel).status is PlanStatus.FOUND
        assert planner.plan(dry, cancel).status is PlanStatus.IMPOSSIBLE


def test_that_a_new_object_is_planned_with(household: Callable[..., Problem], cancel: StopToken) -> None:
    planner, problem = make_planner(), household("boil_water")
    assert len(planner.plan(problem, cancel).steps) == 12
    bottle = Typed("bottle", "water_bottle-n-01")
    seen = {Atom("inroom", ("bottle", "kitchen_1")), Atom("ontop", ("bottle", "floor-n-01_1"))}
    more = replace(problem, objects=(*problem.objects, bottle), state=problem.state | seen)
    plan = planner.plan(more, cancel)
    assert len(plan.steps) == 10 and any("bottle" in s.args for s in plan.steps)


def test_that_a_fact_the_problem_cannot_speak_of_is_an_error(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    problem = household("boil_water")
    for atom, said in (
        (Atom("inside", ("cup", "cabinet-n-01_1")), "no object"),
        (Atom("under", ("mug-n-04_1",)), "no fact of the domain"),
        (Atom("closed", ("mug-n-04_1",)), "cannot be"),
    ):
        with pytest.raises(PlanningError, match=said):
            make_planner().plan(replace(problem, state=problem.state | {atom}), cancel)


def test_that_a_cancel_is_seen_before_anything_else(household: Callable[..., Problem]) -> None:
    cancel = StopToken()
    cancel.stop(1, "hand on the button")
    with pytest.raises(Cancelled, match="hand on the button"):
        make_planner().plan(household("boil_water"), cancel)


def test_that_an_unknown_engine_is_told() -> None:
    with pytest.raises(UnknownName, match="There is no engine named 'magic'"):
        make_planner("magic")


class _Wrong:
    """An engine that forgets the first step."""

    name = "wrong"

    def __init__(self, right: PlanSearch) -> None:
        self._right = right.engine

    def search(
        self, table: CompiledProblem, state: frozenset[Atom], limits: SearchLimits, cancel: StopToken
    ) -> Plan:
        plan = self._right.search(table, state, limits, cancel)
        return replace(plan, steps=plan.steps[1:], engine=self.name)


def test_that_a_wrong_plan_is_never_handed_on(
    household: Callable[..., Problem], cancel: StopToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    planner = make_planner()
    here = planner._in_process  # type: ignore[attr-defined]
    monkeypatch.setattr(here, "engine", _Wrong(here))
    with pytest.raises(PlanningError, match="The engine wrong gave a wrong plan: step 1"):
        planner.plan(household("boil_water"), cancel)


# --- the same plan for the same problem -------------------------------------------------------------

_PLANS = """
from core.stop_token import StopToken
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.planner import make_planner
from tests.core.planning.shared import FOREIGN, LENGTHS, crowded, foreign
from core.planning import domain_library
planner = make_planner()
problems = [domain_library.load_task(t, v)[1].problem for v in ("printed", "repaired") for t in LENGTHS]
for problem in [*problems, *map(foreign, FOREIGN), crowded(25)]:
    print(*planner.plan(problem, StopToken()).steps)
"""


@pytest.mark.long
def test_that_plans_do_not_depend_on_the_hash_seed(capsys: pytest.CaptureFixture[str]) -> None:
    """This process has one hash seed, and another process another one."""
    exec(_PLANS, {})
    env = {**os.environ, "PYTHONHASHSEED": "77", "PYTHONPATH": str(ROOT)}
    there = subprocess.run(
        [sys.executable, "-c", _PLANS], env=env, capture_output=True, text=True, check=True
    )
    assert capsys.readouterr().out == there.stdout and there.stdout.count("\n") == 16


def test_that_plans_do_not_depend_on_what_was_planned_before(
    household: Callable[..., Problem], cancel: StopToken
) -> None:
    problem = household("bring_in_bottles", "printed")
    planner = make_planner()
    state = problem.state
    for step in planner.plan(problem, cancel).steps:
        state = semantics.apply(problem, state, step)
        now = replace(problem, state=state)
        assert planner.plan(now, cancel).steps == make_planner().plan(now, cancel).steps


# --- many objects -----------------------------------------------------------------------------------


@pytest.mark.parametrize("extra", [0, 2])
def test_that_pyperplan_alone_proves_the_shorter_plan_shortest(extra: int, cancel: StopToken) -> None:
    problem, search = foreign("gripper/problem1"), without_fast_downward()
    shortest = search.run(problem, SearchLimits(), cancel).plan
    there_and_back = (Step("move", ("rooma", "roomb")), Step("move", ("roomb", "rooma")))
    plan = replace(shortest, steps=(*there_and_back[:extra], *shortest.steps))
    assert semantics.plan_faults(problem, plan) == ()
    ((steps, proven),) = search.improve(problem, plan, 60, cancel)
    assert (len(steps), proven) == (11, True) and semantics.plan_faults(problem, steps) == ()


def test_that_a_plan_without_steps_is_the_shortest(cancel: StopToken) -> None:
    done = foreign("gripper/problem1")
    assert list(PlanSearch("pyperplan").improve(done, Plan(PlanStatus.FOUND), 1, cancel)) == [((), True)]


@pytest.mark.parametrize("goal", ["(or (red) (blue))", "(or (blue) (red))"])
def test_that_a_goal_that_can_be_reached_one_way_of_two_is_reached(goal: str, cancel: StopToken) -> None:
    paint = parse_domain("""(define (domain paint) (:predicates (red) (blue) (dry))
      (:action red :precondition (not (dry)) :effect (red))
      (:action blue :precondition (dry) :effect (and (blue) (dry)))
      (:action wash :effect (not (dry))))""")
    one = parse_problem(f"(define (problem o) (:domain paint) (:init) (:goal {goal}))", paint)
    assert make_planner().plan(one, cancel).steps == (Step("red", ()),)


@needs_fast_downward
@pytest.mark.parametrize("engine", ["pyperplan", "fast-downward"])
@pytest.mark.parametrize("translates", [True, False])
def test_that_a_large_problem_is_translated_first_and_then_searched_as_it_is(
    engine: str, translates: bool, cancel: StopToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []

    def translate(*args: Any) -> SasTask | None:
        asked.append(args)
        return translate_problem(*args) if translates else None

    monkeypatch.setattr("core.planning.search.MAX_DIRECT_OPERATORS", 3)
    monkeypatch.setattr("core.planning.search.translate_problem", translate)
    monkeypatch.setattr(Pyperplan, "search", None)  # would take seconds for each expansion
    problem = foreign("gripper/problem1")
    search = PlanSearch(engine)
    for times in (1, 1 if translates else 2):  # a translation is kept
        plan = search.run(problem, SearchLimits(), cancel).plan
        assert (plan.status, plan.engine, len(asked)) == (PlanStatus.FOUND, "fast-downward", times)
        assert semantics.plan_faults(problem, plan) == ()


def test_that_a_caller_who_waits_does_not_wait_for_large_expansions(
    cancel: StopToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.planning.search.PYPERPLAN_OPERATOR_CHECKS", 1)
    assert PlanSearch("pyperplan").quick(foreign("gripper/problem1"), SearchLimits(), cancel) is None
    monkeypatch.undo()
    assert PlanSearch("pyperplan").quick(foreign("gripper/problem1"), SearchLimits(), cancel)


@needs_fast_downward
def test_that_the_first_plan_of_a_large_problem_comes_before_the_best_one(
    cancel: StopToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.planning.search.MAX_DIRECT_OPERATORS", 3)
    problem, planner = foreign("gripper/problem1"), make_planner()
    found = list(planner.plans(problem, cancel))
    assert [looking for _, looking in found] == [True] * (len(found) - 1) + [False] and len(found) > 1
    assert len(found[-1][0].steps) == 11 and all(not semantics.plan_faults(problem, p) for p, _ in found)
    assert [p.steps for p, _ in planner.plans(problem, cancel)] == [found[-1][0].steps]  # from the memory


@needs_fast_downward
def test_that_a_cancel_ends_the_search_for_a_better_plan_at_once() -> None:
    problem = crowded(40)
    plan = Plan(PlanStatus.FOUND, make_planner().plan(problem, StopToken()).steps[:1])  # none is as short

    def cancelled(cancel: StopToken) -> None:
        with pytest.raises(Cancelled, match="enough"):
            list(make_planner().improve(problem, plan, 60, cancel))

    assert latency(cancelled) < AT_ONCE


def test_that_a_step_that_the_rest_does_without_is_left_out() -> None:
    problem = foreign("blocks/turn_around")
    needed = (
        Step("unstack", ("a", "b")),
        Step("put-down", ("a",)),
        Step("pick-up", ("b",)),
        Step("stack", ("b", "a")),
    )
    detour = (*needed[:2], Step("pick-up", ("a",)), Step("put-down", ("a",)), *needed[2:])
    assert semantics.plan_faults(problem, detour) == ()
    assert eliminate_redundant(problem, detour) == needed
    assert eliminate_redundant(problem, needed) == needed
