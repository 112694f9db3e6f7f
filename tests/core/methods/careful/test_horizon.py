"""Steps are dear where the goal is within reach, and cost nothing where it is out of reach."""

from __future__ import annotations

import pytest

from core.methods.careful.horizon import LEAST, Horizon, Takes


def test_that_steps_cost_themselves_where_nothing_ends() -> None:
    assert Horizon().price(Takes(30, 9)) == 30 and Horizon().of_a_step(Takes(30, 9)) == 1
    assert Horizon(1000).price(Takes(10, 5)) == pytest.approx(10, abs=0.01)


def test_that_what_comes_too_late_costs_what_giving_up_does() -> None:
    assert Horizon(10).price(Takes(20, 11)) == 10 + 100 and Horizon(0).price(Takes(0.0)) == 0
    assert Horizon(10).price(Takes(10, 10)) == 10  # nothing of it fails
    prices = [Horizon(20).price(Takes(steps, 5)) for steps in range(5, 60)]
    assert prices == sorted(prices)


def test_that_a_plan_may_come_in_time_which_takes_longer_on_average() -> None:
    assert Horizon(50).late(Takes(90, 5)) == pytest.approx(0.58, abs=0.01)


def test_that_a_step_is_dearest_where_the_goal_is_just_within_reach() -> None:
    near, just, far = (Horizon(20).of_a_step(Takes(least + 5, least)) for least in (2, 16, 21))
    assert near == pytest.approx(1.4, abs=0.1) and just > 7 and far == 0


def test_that_a_question_costs_less_where_steps_are_dear_but_not_nothing() -> None:
    assert [Horizon().discount(step) for step in (0.0, 1.0, 2.0, 9.0)] == [1, 1, 0.5, LEAST]
