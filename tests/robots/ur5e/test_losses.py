"""What breaks off, falls silent or dies while the arm moves: it stops, and nothing moves after it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from core.errors import RobotNotReady
from core.ports import StepStatus
from core.stop_token import Late
from robots.ur5e.arm import Arm
from robots.ur5e.modes import RuntimeState
from tests.permitted import move_joints
from tests.robots.ur5e.conftest import ROOT, Bench, Mover, connected, gone, stays, until

PARENT = """
import sys, dataclasses
from core.stop_token import StopToken
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP
from tests.permitted import move_joints
arm = Arm(dataclasses.replace(EMULATED_SETUP, address=sys.argv[1], watchdog=float(sys.argv[2])))
arm.connect()
a, *rest = arm.state.q
print(arm.control.pid, flush=True)
for _ in range(9):  # a busy machine is late at first, which halts
    arm.release_stop(99)
    move_joints(arm, (a - 1.5 if a > 3 else a + 1.5, *rest), StopToken(), 0.3)
"""


@pytest.fixture(scope="module")
def bench(off: Bench) -> Bench:
    """One of its own: where others have left it not every motion here can be done, and this file ends it."""
    off.power_up()
    return off


def test_that_a_lost_link_ends_the_move_and_nothing_moves_after_it(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    bench.own.inject_fault("drop")
    assert move.ended().status is StepStatus.HALTED
    stays(bench)
    assert move_joints(arm, (0,) * 6).status is StepStatus.HALTED
    until(lambda: all(check.ok for check in arm.preflight()))
    stays(bench, 0.3)
    arm.release_stop(99)
    assert arm.state is not None
    assert move_joints(arm, arm.state.q).status is StepStatus.DONE


def test_that_silence_of_the_controller_is_not_taken_for_standing(
    arm: Arm, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("robots.ur5e.arm._STANDSTILL_TIMEOUT_S", 2.0)
    told: list[tuple[int, float | None]] = []
    arm.on_standstill(lambda halt, seconds: told.append((halt, seconds)))
    move, before = Mover(arm), arm.latch.last_halt()
    bench.own.inject_fault("freeze", seconds=60.0)
    outcome = move.ended()
    assert outcome.status is StepStatus.HALTED
    assert "may still move" in outcome.detail
    assert "not known to stand" in outcome.detail
    with pytest.raises(RobotNotReady, match="data"):
        arm.release_stop(99)
    until(lambda: bool(told))
    assert told == [(before + 1, None)], "nobody knows whether it stands"
    bench.own.inject_fault("thaw")
    stays(bench)
    until(lambda: len(told) > 1)
    assert told[1][0] == before + 1
    assert (told[1][1] or 0) > 2, "seen to stand only now"


def test_that_no_move_begins_while_the_program_is_paused(arm: Arm, bench: Bench) -> None:
    assert bench.say("pause") == ["Pausing program"]
    until(lambda: arm.state is not None and arm.state.runtime is RuntimeState.PAUSED)
    assert arm.state is not None
    a, *rest = arm.state.q
    outcome = move_joints(arm, (a - 0.3, *rest))
    assert (outcome.status, outcome.detail) == (StepStatus.HALTED, "the control program is paused")
    bench.say("play")
    stays(bench, 0.3)


def test_that_old_data_block_motion(arm: Arm, bench: Bench) -> None:
    bench.own.inject_fault("freeze", seconds=3.0)
    until(lambda: isinstance(arm.receiver.old_data(0.2), Late))
    assert arm.state is not None
    outcome = move_joints(arm, arm.state.q)
    assert outcome.status is StepStatus.HALTED
    assert "old" in outcome.detail


def test_that_the_death_of_the_control_process_stops_the_arm(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    assert arm.control.pid
    os.kill(arm.control.pid, signal.SIGKILL)
    outcome = move.ended()
    assert outcome.status is StepStatus.HALTED
    assert "ended by signal 9" in outcome.detail
    stays(bench)
    arm.release_stop(99)
    stays(bench, 0.3)


def test_that_a_control_process_that_dies_during_a_stop_adds_none_to_release(arm: Arm, bench: Bench) -> None:
    stop, pid = arm.halt(), arm.control.pid
    os.kill(pid, signal.SIGKILL)
    until(lambda: "ended by signal 9" in arm.motion_refusal())
    arm.release_stop(stop)
    assert not arm.latch.halted and arm.control.pid not in (0, pid)
    stays(bench, 0.3)


def test_that_a_program_that_its_watchdog_ended_is_late(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    os.kill(arm.control.pid, signal.SIGSTOP)
    assert isinstance(move.ended().detail, Late)
    until(lambda: isinstance(arm.with_cause("it ended"), Late))


def test_that_a_silent_control_process_is_ended(arm: Arm, bench: Bench) -> None:
    assert arm.control.pid
    os.kill(arm.control.pid, signal.SIGSTOP)
    until(lambda: not arm.control.pid)
    until(lambda: arm.latch.halted)
    stays(bench, 0.2)


def test_that_the_closed_pipe_alone_stops_the_arm_of_a_killed_console(alone: Bench) -> None:
    """Without the controller's watchdog; with it: tests/robots/ur5e/test_fault_matrix.py."""
    bench = alone
    console = subprocess.Popen(
        [sys.executable, "-c", PARENT, bench.address, "0.1"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert console.stdout is not None
    child = int(console.stdout.readline())
    until(lambda: bench.moving)
    console.kill()
    console.wait()
    console.stdout.close()
    began = bench.q[0]
    stays(bench)
    assert abs(bench.q[0] - began) < 0.5, "it went on to its goal"
    until(lambda: gone(child))
    bench.mend()


def test_that_closing_leaves_no_process(alone: Bench) -> None:
    arm = connected(alone)
    child = arm.control.pid
    assert child
    arm.close()
    arm.close()
    assert gone(child)


def test_that_a_dead_controller_leaves_the_console_alive(alone: Bench) -> None:
    """The last one, as the others need a controller."""
    arm = connected(alone)
    try:
        move = Mover(arm)
        os.kill(alone.process.pid, signal.SIGKILL)
        outcome = move.ended()
        assert outcome.status is StepStatus.HALTED
        assert "not known to stand" in outcome.detail
        with pytest.raises(RobotNotReady, match="data"):
            arm.release_stop(99)
    finally:
        arm.close()
