"""A window that is blocked for real while an emulated arm moves: the arm's control process stops it."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from threading import Thread

import pytest

from core.cancel import Cancel
from core.ports import StepResult, StepStatus
from core.stop.heartbeat import HEARTBEAT_TIMEOUT
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.process import EmulatorProcess
from tests.app.conftest import Opened
from tests.permitted import move_joints
from tests.robots.ur5e.conftest import Bench, connected, fresh_address, stays


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    made = Bench(EmulatorProcess(fresh_address(), "empty", cameras=False))
    made.power_up()
    yield made
    made.close()


@pytest.fixture
def arm(bench: Bench) -> Iterator[Arm]:
    made = connected(bench)
    yield made
    made.close()
    bench.mend()


def test_that_the_arm_stands_soon_after_the_window_has_frozen(opened: Opened, arm: Arm, bench: Bench) -> None:
    at = opened()
    arm.control.follow_heartbeat(at.controller._heartbeat)
    at.qtbot.wait(100)
    assert arm.state is not None
    a, *rest = arm.state.q
    goal = (a + (1.0 if a <= math.pi else -1.0), *rest)
    ended: list[StepResult] = []
    move = Thread(target=lambda: ended.append(move_joints(arm, goal, Cancel(), 0.2)))
    move.start()
    at.until(lambda: arm.state is not None and not arm.state.at_standstill)
    began = time.monotonic()
    while bench.moving and time.monotonic() < began + 5:
        time.sleep(0.01)  # this thread is the screen's: its event loop does not run
    took = time.monotonic() - began
    assert HEARTBEAT_TIMEOUT - 0.1 < took < 2, "0.66 s (median of 20) on a busy machine"
    stays(bench)
    move.join(10)
    assert ended[0].status is StepStatus.HALTED
    assert "did not respond for 0.6 s" in ended[0].detail
    assert arm.latch.halted
