"""A package is dated by the controller's clock and by what it answers, and never too late."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest

from robots.ur5e import rtde
from robots.ur5e.rtde_challenge import Challenge
from robots.ur5e.rtde_receiver import PROOF_WINDOW_S, SourceClock

STEP = 0.008
BOOTED = -500.0  # when the controller's clock began


def test_that_arrival_dates_nothing() -> None:
    assert SourceClock().date(1.0, received_at=10.0) is None


def test_that_an_answer_dates_the_packages_after_it_however_late_they_come() -> None:
    clock = SourceClock()
    assert clock.date(1.0, 10.0, asked_at=9.99) == pytest.approx(9.99, abs=1e-3)
    assert clock.date(1.05, 12.05) == pytest.approx(10.04, abs=3e-3), "two seconds late"


def test_that_a_package_whose_timestamp_stands_still_is_as_old_as_the_one_before() -> None:
    clock = SourceClock()
    first = clock.date(1.0, 10.0, asked_at=9.99)
    assert clock.date(1.0, 11.0, asked_at=10.9) == first, "it answers, and shows nothing new"


@pytest.mark.parametrize("leap", [-0.5, 0.5, 3600.0])
def test_that_a_clock_that_was_set_needs_a_new_proof(leap: float) -> None:
    clock = SourceClock()
    first = clock.date(1.0, 10.0, asked_at=9.99)
    assert clock.date(1.0 + leap, 10.008) == first
    assert clock.date(1.0 + leap + STEP, 10.5) == first
    later = clock.date(1.0 + leap + 2 * STEP, 10.6, asked_at=10.55)
    assert later == pytest.approx(10.55, abs=1e-3)


def test_that_a_clock_that_runs_ahead_of_ours_is_not_believed() -> None:
    clock = SourceClock()
    clock.date(0.0, 10.0, asked_at=10.0)
    for n in range(1, 20):
        dated = clock.date(0.09 * n, 10.0 + 0.008 * n)
        assert dated is not None and dated <= 10.0 + 0.008 * n


@pytest.mark.parametrize("seed", range(20))
def test_that_no_package_is_dated_later_than_it_was_measured(seed: int) -> None:
    """Whatever the ways there and back delay, with clocks that run apart."""
    random = Random(seed)
    drift = 1 + random.uniform(-5e-4, 5e-4)
    late, arrived, now, pending, seen = 0.0, 0.0, 0.0, list[tuple[float, float]](), list[float | None]()
    clock = SourceClock()
    for n in range(3000):
        now += STEP
        if n % 400 == 0:
            late = random.choice((0.0, 0.002, 0.3, 2.0))  # seconds of delay on the way back
        if n % 6 == 0:
            pending.append((now, now + random.choice((0.0, 0.01, 0.4))))
        answered = [asked for asked, there in pending if there <= now]
        pending = [p for p in pending if p[1] > now]
        arrived = max(arrived, now + late + random.uniform(0, 0.01))
        dated = clock.date((now - BOOTED) * drift, arrived, max(answered, default=None))
        assert dated is None or dated <= now + 1e-9
        seen.append(dated)
    known = [d for d in seen if d is not None]
    assert len(known) > 2900 and all(a <= b for a, b in pairwise(known))
    assert now - known[-1] < PROOF_WINDOW_S, "and not far too early"


def test_that_what_another_client_left_in_the_register_answers_nothing() -> None:
    register = rtde.Recipe(2, ("input_int_register_41",), ("INT32",))
    challenge = Challenge(register, 0.0)
    values = {"input_int_register_41": (7,)}
    assert challenge.answered(values, 0.0) == 0.0, "the first package answers the start"
    sent = challenge.due(1.0)
    assert challenge.answered(values, 1.1) is None
    echo = register.unpack(sent[3:])
    assert challenge.answered(echo, 1.2) == 1.0
    assert challenge.answered(echo, 1.3) is None, "once"


def test_that_a_stream_whose_register_does_not_come_back_is_started_again() -> None:
    challenge = Challenge(None, 0.0)
    assert challenge.answered({}, 0.1) == 0.0
    assert challenge.due(0.5) == b""
    assert challenge.due(1.5) == rtde.encode_frame(rtde.PAUSE) + rtde.encode_frame(rtde.START)
    assert challenge.due(9.0) == b"", "one request at a time"
    assert challenge.answered({}, 9.1) is None
    challenge.on_reply(rtde.PAUSE, b"\1")
    challenge.on_reply(rtde.START, b"\1")
    assert challenge.answered({}, 9.2) == 1.5
