"""What a plan costs: it is cheap where the problem states a metric, and short elsewhere."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.errors import PlanningError
from core.planning.engines.engine import SearchLimits
from core.planning.pddl.reader import parse_domain, parse_problem
from core.planning.planner import make_planner
from core.planning_model import Plan, PlanStatus, Problem, Step
from core.stop_token import StopToken
from tests.core.planning.shared import both_engines, without_fast_downward

TOLL = """(define (domain toll) (:types place) (:predicates (at ?p - place) (road ?p ?q - place))
  (:functions (total-cost) - number (toll ?p ?q - place) - number)
  (:action go :parameters (?p ?q - place) :precondition (and (at ?p) (road ?p ?q))
    :effect (and (at ?q) (not (at ?p)) (increase (total-cost) (toll ?p ?q)))))"""
ROADS = {"a b": 1.5, "b c": 1.5, "c d": 1.5, "a d": 5}


def toll(metric: str = "(:metric minimize (total-cost))", **tolls: float) -> Problem:
    roads = " ".join(f"(road {road})" for road in ROADS)
    values = {**ROADS, **{name.replace("_", " "): value for name, value in tolls.items()}}
    costs = " ".join(f"(= (toll {road}) {value})" for road, value in values.items())
    text = f"(define (problem p) (:domain toll) (:objects a b c d - place) (:init (at a) {roads} {costs})"
    return parse_problem(f"{text} (:goal (at d)) {metric})", parse_domain(TOLL))


@both_engines
@pytest.mark.parametrize("most", [130, 1])
def test_that_a_plan_is_cheap_where_the_problem_says_so_and_short_elsewhere(
    engine: str, most: int, cancel: StopToken, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.planning.search.MAX_DIRECT_OPERATORS", most)
    planner = make_planner(engine)
    for problem, length, cost in ((toll(), 3, 4.5), (toll(""), 1, 5.0), (toll(a_d=4), 1, 4.0)):
        plan = planner.plan(problem, cancel)
        assert (len(plan.steps), plan.cost) == (length, cost)
        best, proven = list(planner.improve(problem, plan, 20, cancel))[-1]
        assert proven and (len(best.steps), best.cost) == (length, cost)


def test_that_pyperplan_alone_proves_the_cheaper_plan_cheapest(cancel: StopToken) -> None:
    search, dear = without_fast_downward(), Plan(PlanStatus.FOUND, (Step("go", ("a", "d")),))
    ((steps, proven),) = search.improve(toll(), dear, 60, cancel)
    assert (len(steps), proven) == (3, True)
    ((steps, proven),) = search.improve(toll(""), dear, 60, cancel)
    assert (steps, proven) == (dear.steps, True)


@both_engines
def test_that_a_step_may_cost_nothing_but_not_less(engine: str, cancel: StopToken) -> None:
    plan = make_planner(engine).plan(toll(a_d=0), cancel)
    assert (len(plan.steps), plan.cost) == (1, 0.0)
    with pytest.raises(PlanningError, match=r"The cost of \(go a d\) is below zero"):
        make_planner(engine).plan(toll(a_d=-1), cancel)


def test_that_only_a_plan_that_could_be_cheaper_is_called_rough(cancel: StopToken) -> None:
    search = without_fast_downward()
    nowhere = replace(toll(), state=frozenset())
    for problem, rough in ((toll(), True), (toll(""), False), (nowhere, False)):
        assert search.run(problem, SearchLimits(), cancel).rough is rough


def test_that_a_step_without_a_cost_is_in_no_cheap_plan_and_is_named_if_there_is_no_other(
    cancel: StopToken,
) -> None:
    problem = toll()
    lacking = [costs for costs in problem.costs if costs[0].args != ("b", "c")]
    without_one = replace(problem, costs=tuple(lacking))
    assert make_planner().plan(without_one, cancel).cost == 5.0
    neither = replace(problem, costs=tuple(costs for costs in lacking if costs[0].args != ("a", "d")))
    with pytest.raises(PlanningError, match=r"The cost of \(go a d\) has no value: give it one"):
        make_planner().plan(neither, cancel)
