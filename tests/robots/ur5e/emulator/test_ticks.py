"""How many ticks of the controller run in a row."""

from __future__ import annotations

import pytest

from robots.ur5e.emulator.emulator import ticks_at_once


@pytest.mark.parametrize("rates", [(), (10.0,), (125.0, 500.0, 0.0)])
def test_that_each_tick_has_its_own_time_while_the_arm_moves(rates: tuple[float, ...]) -> None:
    assert ticks_at_once(True, rates) == 1


@pytest.mark.parametrize(
    ("rates", "ticks"),
    [
        ((), 16),
        ((0.0, 10.0), 4),
        ((1e-320,), 4),
        ((125.0, 10.0), 4),
        ((126.0,), 3),
        ((250.0,), 2),
        ((251.0,), 1),
        ((125.0, 500.0), 1),
    ],
)
def test_that_ticks_at_rest_come_as_often_as_the_fastest_client_is_sent_something(
    rates: tuple[float, ...], ticks: int
) -> None:
    assert ticks_at_once(False, rates) == ticks
