"""The fault matrix: each at random moments of a move, and afterwards nothing moves without a person."""

from __future__ import annotations

import os
import signal
from random import Random
from threading import Event, Timer

import pytest

from core.ports import Ending
from robots.ur5e.arm import Arm
from tests.robots.ur5e.conftest import Bench, Mover, connected, gone, stays, until

FAULTS = (
    "drop",
    "freeze",
    "protective",
    "safeguard",
    "emergency stop",
    "violation",
    "local then stop",
    "slow",
)
CHILD = ("child killed", "child stopped")


def strike(fault: str, arm: Arm, bench: Bench) -> None:
    assert arm.link.pid
    match fault:
        case "freeze":
            bench.own.fault("freeze", seconds=1.2)
        case "slow":
            bench.own.fault("slow", late=0.15)
            Timer(1.0, lambda: bench.own.fault("thaw")).start()
            arm.halt()
        case "local then stop":
            bench.own.fault("local")
            arm.halt()
        case "child killed":
            os.kill(arm.link.pid, signal.SIGKILL)
        case "child stopped":
            os.kill(arm.link.pid, signal.SIGSTOP)
            arm.halt()
        case _:
            bench.own.fault(fault)


def survive(fault: str, bench: Bench, luck: Random) -> None:
    """One fault at one moment: the move ends, nothing moves after it, no process is left."""
    arm = connected(bench)
    child = arm.link.pid
    try:
        move = Mover(arm, scale=0.4)
        Event().wait(luck.uniform(0, 0.8))
        strike(fault, arm, bench)
        outcome = move.ended()
        assert outcome.ending is Ending.HALTED, (fault, outcome)
        assert arm.latch.halted
        stays(bench, 0.4)
        bench.own.fault("thaw")
        bench.own.fault("remote")
        stays(bench, 0.4)
        assert arm.latch.halted, "a stop was released by nobody"
    finally:
        arm.close()
        bench.own.fault("thaw")
        if bench.say("safetymode") == ["Safetymode: VIOLATION"]:
            bench.say("restart safety")
        bench.mend()
    until(lambda: gone(child))


@pytest.mark.parametrize("fault", ["violation", "local then stop", "child stopped"])
def test_that_a_fault_in_mid_move_ends_it_for_good(bench: Bench, fault: str) -> None:
    survive(fault, bench, Random(fault))


@pytest.mark.long
@pytest.mark.parametrize("fault", (*FAULTS, *CHILD))
def test_that_fifty_random_moments_of_a_fault_are_survived(bench: Bench, fault: str) -> None:
    luck = Random(fault)
    for _ in range(50):
        survive(fault, bench, luck)
