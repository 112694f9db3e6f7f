"""Questions and looks cost less once the steps that are left may not be enough."""

from __future__ import annotations

import pytest

from core.methods.careful.scarce_steps import AMPLE, LEAST, discounted


def test_that_prices_are_as_set_while_steps_are_ample() -> None:
    assert discounted(None, 1000.0) == 1.0
    assert discounted(50, 20.0) == 1.0
    assert discounted(int(AMPLE * 21), 20.0) == 1.0


def test_that_prices_fall_in_proportion_to_the_steps_left() -> None:
    assert discounted(21, 20.0) == pytest.approx(0.5)
    prices = [discounted(left, 20.0) for left in range(50)]
    assert prices == sorted(prices)


def test_that_a_price_never_falls_to_nothing() -> None:
    assert discounted(0, 20.0) == discounted(1, 1000.0) == LEAST


def test_that_a_goal_in_doubt_does_not_make_every_step_scarce() -> None:
    assert discounted(130, 1e6) == 1.0
