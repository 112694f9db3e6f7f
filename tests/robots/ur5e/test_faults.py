"""The fault matrix: each at random moments of a move, and afterwards nothing moves without a person.

A sample runs with `make test`. All of it, fifty times each unless told: `pytest -m long -s --times 10
tests/robots/ur5e/test_faults.py -k "random and kill"`.
"""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from random import Random
from threading import Event, Thread, Timer
from time import monotonic
from typing import TypeVar

import pytest

from core.errors import RobotNotReady
from core.ports import StepStatus
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.process import EmulatorProcess
from tests.robots.ur5e.conftest import Bench, Mover, connected, fresh_address, gone, stays, until

FAULTS = (
    "drop",
    "freeze",
    "slow",
    "protective",
    "protective in motion",
    "safeguard",
    "emergency stop",
    "violation",
    "local then stop",
    "child killed",
    "child stopped",
)
T = TypeVar("T")
LONGEST = 0.8  # seconds of the move that a fault may wait; the move takes longer


def strike(fault: str, arm: Arm, bench: Bench, luck: Random) -> None:
    match fault:
        case "freeze":
            bench.own.inject_fault("freeze", seconds=1.2)
        case "slow":
            bench.own.inject_fault("slow", late=0.15)
            Timer(1.0, lambda: bench.own.inject_fault("thaw")).start()
            arm.halt()
        case "protective in motion":
            bench.own.inject_fault("protective in motion", seconds=luck.uniform(0.01, 0.3))
        case "local then stop":
            bench.own.inject_fault("local")
            arm.halt()
        case "child killed":
            os.kill(arm.control.pid, signal.SIGKILL)
        case "child stopped":
            os.kill(arm.control.pid, signal.SIGSTOP)
            arm.halt()
        case _:
            bench.own.inject_fault(fault)


def patient(begin: Callable[[], T]) -> T:
    """A person who tries again: on a machine that is too busy, old data refuse every start."""
    end = monotonic() + 30
    while True:
        try:
            return begin()
        except RobotNotReady:
            if monotonic() > end:
                raise


def survive(fault: str, bench: Bench, luck: Random) -> None:
    """One fault at one moment: the move ends, nothing moves after it, no process is left."""
    arm = patient(lambda: connected(bench))
    child = arm.control.pid
    try:
        move = patient(lambda: Mover(arm, scale=0.4))
        Event().wait(luck.uniform(0, LONGEST))
        strike(fault, arm, bench, luck)
        outcome = move.ended()
        assert outcome.status is StepStatus.HALTED, (fault, outcome)
        assert arm.latch.halted
        stays(bench, 0.4)
        bench.own.inject_fault("thaw")
        bench.own.inject_fault("remote")
        stays(bench, 0.4)
        assert arm.latch.halted, "a stop was released by nobody"
    finally:
        arm.close()
        bench.own.inject_fault("thaw")
        if bench.say("safetymode") == ["Safetymode: VIOLATION"]:
            bench.say("restart safety")
        bench.mend()
    until(lambda: gone(child))


def outlive(luck: Random) -> None:
    """The controller itself dies: the console lives on, says so, and begins nothing."""
    bench = Bench(EmulatorProcess(fresh_address(), "empty", cameras=False))
    try:
        bench.power_up()
        arm = patient(lambda: connected(bench))
        child = arm.control.pid
        try:
            move = patient(lambda: Mover(arm, scale=0.4))
            Event().wait(luck.uniform(0, LONGEST))
            Thread(target=os.kill, args=(bench.process.pid, signal.SIGKILL)).start()
            outcome = move.ended()
            assert outcome.status is StepStatus.HALTED, outcome
            assert "not known to stand" in outcome.detail
            with pytest.raises(RobotNotReady, match="data"):
                arm.release_stop(99)
            assert arm.latch.halted
        finally:
            arm.close()
    finally:
        bench.close()
    until(lambda: gone(child))


@pytest.mark.parametrize("fault", ["violation", "local then stop", "child stopped"])
def test_that_a_fault_in_mid_move_ends_it_for_good(bench: Bench, fault: str) -> None:
    survive(fault, bench, Random(fault))


def test_that_a_controller_that_dies_in_mid_move_is_outlived() -> None:
    outlive(Random("kill"))


@pytest.mark.long
@pytest.mark.parametrize("fault", FAULTS)
def test_that_random_moments_of_a_fault_are_survived(
    bench: Bench, fault: str, pytestconfig: pytest.Config
) -> None:
    luck = Random(pytestconfig.getoption("luck", "") + fault)
    for n in range(pytestconfig.getoption("times", 50)):
        survive(fault, bench, luck)
        print(f"{fault}: {n + 1} survived", flush=True)


@pytest.mark.long
def test_that_random_moments_of_the_controllers_death_are_outlived(pytestconfig: pytest.Config) -> None:
    luck = Random(pytestconfig.getoption("luck", "") + "kill")
    for n in range(pytestconfig.getoption("times", 50)):
        outlive(luck)
        print(f"kill: {n + 1} outlived", flush=True)
