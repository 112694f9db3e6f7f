"""A plan is followed before a claim only where it leaves enough less doubt."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.methods.careful.before_claim import (
    cheapest_plan,
    gone_well,
    price_after_check,
    price_of_claiming,
)
from core.methods.careful.hypotheses import goal_probability
from core.methods.careful.options import CarefulOptions
from core.methods.careful.policy import Careful
from core.planning.planner import make_planner
from core.planning_model import Literal
from tests.core import tiny
from tests.core.methods.careful.conftest import Stated, feeling
from tests.core.tiny import CLOSED, EMPTY, INSIDE

OPENED, SHUT = frozenset({EMPTY, INSIDE}), frozenset({EMPTY, INSIDE, CLOSED})


def opening(stays_closed: float, feels: bool = False, answers: object = None) -> Careful:
    """The method for a goal that no sensor reads: the door is open. It stays closed so often."""
    folder = tiny.folder(stays_closed, 0.1)
    problem = replace(tiny.PROBLEM, goal=(Literal("closed", ("door",), False),))
    options = CarefulOptions(rate_doubt=0)
    return Careful(
        feeling(folder) if feels else folder, problem, make_planner(), answers or Stated(), options
    )


def beliefs(method: Careful, doubt: float):
    number = method.world.number
    return (number(OPENED), 1 - doubt), (number(SHUT), doubt)


@pytest.mark.parametrize(("stays_closed", "price", "acts"), [(0.25, 1000, True), (0.25, 50, False)])
def test_that_the_price_of_a_false_claim_decides(stays_closed, price, acts) -> None:
    method = opening(stays_closed)
    weights = beliefs(method, 0.05)
    shut = method.world.number(SHUT)
    cost, leader = cheapest_plan(method.filter, method.costs, weights, [shut], price)
    assert (leader == shut) is acts
    assert cost <= price_of_claiming(method.filter, weights, price) == pytest.approx(0.05 * price)


def test_that_what_leaves_as_much_doubt_is_not_done_once_more() -> None:
    method = opening(0.9)
    weights = beliefs(method, 0.01)
    _, leader = cheapest_plan(method.filter, method.costs, weights, [method.world.number(SHUT)], 1000)
    assert leader == -1


def test_that_a_plan_costs_what_it_takes_to_notice_that_it_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for more in (0.0, 1.0):
        method = opening(0.25)
        monkeypatch.setattr(method.costs, "noticing", lambda *_, more=more: more)
        shut = method.world.number(SHUT)
        found.append(cheapest_plan(method.filter, method.costs, beliefs(method, 0.6), [shut], 1000)[0])
    assert found[1] == pytest.approx(found[0] + 1)


def test_that_what_the_robot_would_feel_leaves_no_doubt() -> None:
    left = []
    for method in (opening(0.25), opening(0.25, feels=True)):
        after = gone_well(method.filter, method.costs, method.world.number(SHUT), beliefs(method, 0.2))
        left.append(1 - goal_probability(method.world, after))
    assert left[0] > 0.2 * 0.25
    assert left[1] < 0.2 * 0.25 / 4


def test_that_a_step_whose_failure_would_tell_makes_a_claim_cheaper() -> None:
    method = opening(0.25, feels=True)  # what is open cannot be opened, and it would feel that
    weights = beliefs(method, 0.1)
    assert price_of_claiming(method.filter, weights, 1000) == pytest.approx(100)
    assert price_after_check(method.filter, method.costs, weights, 1000) < 50


def test_that_what_a_picture_would_show_leaves_as_much_doubt_as_its_answers_do() -> None:
    left = []
    for answers in (Stated(0.5, 0.5), Stated(0.8, 0.2), Stated(0.99, 0.01)):
        method = opening(0.25, answers=answers)
        after = gone_well(method.filter, method.costs, method.world.number(SHUT), beliefs(method, 0.2))
        left.append(1 - goal_probability(method.world, after))
    assert left[0] > 0.2 * 0.25
    assert left[2] < left[1] / 2 < left[0] / 3
