"""A value is as old as its source says, whenever it arrived."""

from __future__ import annotations

from math import inf
from time import monotonic

from core.measured import Measured


def test_that_a_late_value_is_old_though_it_has_just_arrived() -> None:
    now = monotonic()
    late = Measured("picture", measured_at=now - 2.0, received_at=now)
    assert late.age_at(now) == 2.0 and late.age >= 2.0
    assert not late.taken_after(now - 1.0) and late.taken_after(now - 3.0)


def test_that_a_value_without_its_source_s_time_has_no_age_and_was_taken_after_nothing() -> None:
    value = Measured("picture", measured_at=None, received_at=monotonic())
    assert value.age == inf
    assert not value.taken_after(0.0)
