"""Data that come late, again, or by a clock that leaps: nothing moves on them, and nothing stands by them.

A sample runs with `make test`. All of it: `pytest -m long -s --times 20 tests/robots/ur5e/test_late_data.py`,
which prints a line of the table for each.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from random import Random
from statistics import median
from threading import Event, Thread
from time import monotonic, sleep, time_ns

import pytest

from core.errors import RobotNotReady
from core.ports import StepStatus
from robots.remote.wire_message import JsonValue
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmLimits
from robots.ur5e.emulator.admin_client import AdminClient
from tests.permitted import move_joints
from tests.robots.ur5e.between import Between
from tests.robots.ur5e.conftest import Bench, fresh_address, patiently_ready, stays, until
from tests.sampling import some

MOVES = 0.005  # rad/s, well above what counts as standing still
HANDSHAKE = 0.5  # seconds of delay with which a connection is made, and does not break
STEADY = 2.0  # seconds by which they are late in the end
Strike = Callable[[Between, Random], None]


class Truth:
    """Watches the emulator itself, not what it sends."""

    def __init__(self, bench: Bench) -> None:
        self.moved_at = 0.0  # the last moment at which it surely moved
        self._own, self._closing = AdminClient(bench.address), Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        self._own.close()

    def _run(self) -> None:
        while not self._closing.is_set():
            asked = monotonic()
            if max(map(abs, self._own.ask("truth").numbers("qd"))) > MOVES:
                self.moved_at = asked
            sleep(0.004)


@dataclass
class Place:
    bench: Bench
    between: Between
    arm: Arm
    told: list[tuple[float, float | None]] = field(
        default_factory=list
    )  # when it was said to stand, and since

    def close(self) -> None:
        self.arm.close()
        self.between.close()


@pytest.fixture(scope="module")
def place(bench: Bench) -> Iterator[Place]:
    between = Between(fresh_address(), bench.address)
    wide = ArmLimits(lower=(-0.9, -0.9, 0.004), upper=(0.9, 0.9, 0.9))
    arm = Arm(replace(EMULATED_SETUP, address=between.address, limits=wide))
    arm.connect()
    made = Place(bench, between, arm)
    arm.on_standstill(lambda stop, seconds: made.told.append((monotonic(), seconds)))
    yield made
    made.close()


def late_from_the_middle(between: Between, luck: Random) -> None:
    between.late = luck.uniform(0.15, HANDSHAKE)


def late_from_the_beginning(between: Between, luck: Random) -> None:
    between.late = luck.uniform(0.15, HANDSHAKE)
    between.cut()


def repeated(between: Between, luck: Random) -> None:
    seen: list[float] = []

    def clock(timestamp: float) -> float:
        seen.append(timestamp)
        return seen[0]

    between.clock = clock


def leaping(between: Between, luck: Random) -> None:
    """Late too, and dated anew every quarter of a second."""
    between.clock = lambda timestamp: timestamp + Random(int(timestamp * 4)).uniform(-3, 3)
    late_from_the_middle(between, luck)


def held_up(between: Between, luck: Random) -> None:
    between.held = True


@dataclass(frozen=True)
class Attack:
    name: str
    strike: Strike
    grows: bool = False  # the delay, to STEADY
    bursts: bool = False  # all that was held up comes at once


ATTACKS = (
    Attack("late from the middle", late_from_the_middle, grows=True),
    Attack("late from the beginning", late_from_the_beginning),
    Attack("timestamp repeated", repeated),
    Attack("late, and the timestamp leaps", leaping, grows=True),
    Attack("held up, then all at once", held_up, bursts=True),
)


def survive(attack: Attack, place: Place, luck: Random, astray: bool) -> float | None:
    """Strike as a move is sent, or a little later, and stop; `astray`: nothing of the stop arrives.

    Return the seconds to standstill as they were told, None if it was not known while the attack went on.
    """
    bench, between, arm = place.bench, place.between, place.arm
    stays(bench, 0.1)
    until(lambda: all(check.ok for check in arm.preflight()))
    patiently_ready(arm, arm.latch.last_halt())
    truth, send, early = Truth(bench), arm.control.request, luck.random() < 0.5
    assert arm.state is not None
    a, *rest = arm.state.q
    goal = (a + (2.0 if a <= 0 else -2.0), *rest)

    def request(kind: str, **body: JsonValue) -> str:
        """After the last look at the data, and before the move is sent."""
        if early:
            attack.strike(between, luck)
        return send(kind, **body)

    with pytest.MonkeyPatch.context() as patch, ThreadPoolExecutor() as pool:
        patch.setattr(arm.control, "request", request)
        move = pool.submit(move_joints, arm, goal, None, 0.3)
        try:
            until(lambda: bench.moving or move.done())
            sleep(luck.uniform(0.05, 0.4))
            if not early:
                attack.strike(between, luck)
            place.told.clear()
            between.deaf = astray
            arm.halt()
            sleep(luck.uniform(0.3, 1.0))
            between.held = between.held and not attack.bursts
            sleep(luck.uniform(0.0, 0.5))
            between.deaf = False
            until(lambda: not bench.moving)
            if attack.bursts:
                between.held = True
            while attack.grows and between.late < STEADY:
                between.late += 0.1  # so slowly that the connection holds
                sleep(0.2)
            until(lambda: attack.bursts or keep_coming(arm))
            nothing_moves(place)
            told = [seconds for _, seconds in place.told if seconds is not None]
            between.mend()
            assert move.result(30).status is StepStatus.HALTED
            until(lambda: any(seconds is not None for _, seconds in place.told))
            first = next(at for at, seconds in place.told if seconds is not None)
            assert first > truth.moved_at, f"it moved on for {truth.moved_at - first:.3f} s"
            return told[0] if told else None
        finally:
            between.mend()
            truth.close()


def keep_coming(arm: Arm) -> bool:
    measured = arm.receiver.measured
    return measured is not None and monotonic() - measured.received_at < 0.05


def nothing_moves(place: Place) -> None:
    """Whatever a person tries by old data, nothing moves."""
    arm, bench = place.arm, place.bench
    until(lambda: bool(arm.receiver.old_data(arm.setup.limits.fresh)))
    before, end = bench.q, monotonic() + 0.5
    while monotonic() < end:
        with suppress(RobotNotReady):
            arm.release_stop(arm.latch.last_halt())
        assert arm.state is not None
        a, *rest = arm.state.q
        assert move_joints(arm, (a - 0.3, *rest)).status is StepStatus.HALTED
    assert max(abs(a - b) for a, b in zip(before, bench.q, strict=True)) < 2e-3, "it moved"


@pytest.mark.parametrize("attack", some(ATTACKS, 3), ids=lambda a: a.name)
def test_that_nothing_moves_on_late_data_and_nothing_stands_by_them(attack: Attack, place: Place) -> None:
    seed = time_ns() % 10_000
    print(f"luck {seed}")
    survive(attack, place, Random(seed), astray=True)


@pytest.mark.long
@pytest.mark.parametrize("attack", ATTACKS, ids=lambda a: a.name)
def test_that_it_holds_each_time(attack: Attack, place: Place, pytestconfig: pytest.Config) -> None:
    times, luck = (
        pytestconfig.getoption("times", 20),
        Random(pytestconfig.getoption("luck", "") + attack.name),
    )
    told = [survive(attack, place, luck, astray=n % 2 == 1) for n in range(times)]
    known = [1000 * seconds for seconds in told if seconds is not None] or [0.0]
    print(
        f"| {attack.name} | {times} | {sum(s is None for s in told)} | {median(known):.0f} ms | "
        f"{max(known):.0f} ms | load {os.getloadavg()[0]:.1f}"
    )
