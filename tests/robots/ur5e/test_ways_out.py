"""Every way out of the program halts a moving arm first, and none waits for a lock of its own."""

from __future__ import annotations

import os
import signal
import time
from types import SimpleNamespace

import pytest

from app.cli.run_episode import interrupts
from app.episode.episode_runner import EpisodeRunner
from core.events import Event
from core.loop.gate import AutoOperator
from core.ports import StepStatus
from core.stop_token import StopToken
from robots.ur5e.arm import Arm
from tests.robots.ur5e.conftest import Bench, Mover, stays, until


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["Ctrl+C", "SIGTERM"])
def test_that_a_signal_stops_the_arm_though_its_lock_is_held(number: int, arm: Arm, bench: Bench) -> None:
    """A handler that halted by itself would wait for ever for a lock that its own thread holds."""
    move, cancel = Mover(arm), StopToken()
    events: list[Event] = []
    runner = EpisodeRunner(SimpleNamespace(robot=arm), AutoOperator(), cancel, "ada", events.append, str)  # type: ignore[arg-type]
    with interrupts(runner, cancel, ask=True):
        with arm.control._lock:
            os.kill(os.getpid(), number)
            time.sleep(0.05)
        until(lambda: bool(events))
    assert move.ended().status is StepStatus.HALTED
    assert arm.latch.halted and cancel.is_set()
    assert cancel.ended == (number == signal.SIGTERM)
    stays(bench)


def test_that_a_stop_does_not_wait_until_a_control_process_is_made(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    with arm.control._start_lock:
        began = time.monotonic()
        arm.halt()
        assert time.monotonic() - began < 0.5
    assert move.ended().status is StepStatus.HALTED
    stays(bench)
