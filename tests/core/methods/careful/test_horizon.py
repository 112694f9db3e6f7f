"""Steps are dear where the goal is just within reach, and cost nothing more where it is out of reach."""

from __future__ import annotations

import pytest

from core.methods.careful.horizon import LEAST, Horizon


def test_that_steps_cost_themselves_where_nothing_ends() -> None:
    assert Horizon().price(30) == 30 and Horizon().of_a_step(30) == Horizon().discount(30) == 1.0
    assert Horizon(1000).price(10) == pytest.approx(10, abs=0.01)


def test_that_what_comes_too_late_costs_what_giving_up_does() -> None:
    assert Horizon(10, giving_up=100).price(10) == pytest.approx(10 + 50)
    assert Horizon(10, giving_up=100).price(1000) == pytest.approx(10 + 100)
    assert Horizon(0).price(0) == 0 and Horizon(0).price(5) == pytest.approx(100)
    assert Horizon(10, giving_up=100).price(1000, reached=True) == 10
    prices = [Horizon(20).price(steps) for steps in range(60)]
    assert prices == sorted(prices)


def test_that_a_step_is_dearest_where_the_goal_is_just_within_reach() -> None:
    near, just, far = (Horizon(20).of_a_step(steps) for steps in (2, 20, 200))
    assert near == pytest.approx(1, abs=0.1) and just > 5 and far < 1.1


def test_that_a_question_costs_less_where_steps_are_dear_but_not_nothing() -> None:
    assert Horizon(20).discount(12) == pytest.approx(1 / Horizon(20).of_a_step(12))
    assert Horizon(20).discount(20) == LEAST
