"""A way of joint points is one motion under one permit, and is watched and stopped as every other one."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from random import Random
from threading import Thread
from unittest.mock import Mock

import numpy as np
import pytest

from core.ports import StepResult, StepStatus
from core.stop_token import StopToken
from robots.ur5e import blended_path as blended_way
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import ArmLimits
from robots.ur5e.blended_path import BLEND_M, PASSED_M, blended_path
from robots.ur5e.kinematics import PARKED, Joints, forward_kinematics
from robots.ur5e.modes import RuntimeState
from robots.ur5e.motion_commands import ProgramWatch
from robots.ur5e.rtde_receiver import ArmState
from tests.permitted import move_joints, move_path, permitted
from tests.robots.ur5e.conftest import FAST, Bench, patiently_ready, stays, until

TCP = np.eye(4)
TCP[2, 3] = 0.157
UPLOAD_S = 0.25  # about as long until the arm begins to move


def away(q: Joints, *turns: tuple[int, float]) -> list[Joints]:
    """The points that one comes to by these turns of joints, each from the one before."""
    way = [list(q)]
    for joint, turn in turns:
        way.append([v + turn if k == joint else v for k, v in enumerate(way[-1])])
    return [tuple(point) for point in way[1:]]  # type: ignore[misc]


def zigzag(arm: Arm, turn: float = 0.3) -> list[Joints]:
    """Four legs of a way that ends elsewhere than it began, wherever one was left."""
    assert arm.state is not None
    q = arm.state.q
    out, turned = turn if q[0] < 2.5 else -turn, 0.2 if q[4] < -1.5 else -0.2
    return away(q, (0, out), (4, turned), (0, out), (4, -turned))


# --- the path ---------------------------------------------------------------------------------------------


def test_that_blends_are_as_small_as_their_legs_and_none_is_at_the_end() -> None:
    way = away(PARKED, (0, -0.5), (3, -0.3), (3, -0.01), (0, 0.2), (5, 0.5), (0, 0.2))
    path, reason = blended_path(PARKED, way, TCP, ArmLimits())
    assert reason == "" and [point.q for point in path] == way
    corner, before_a_short_leg, after_it, *wrist, last = (point.blend for point in path)
    assert 0 < before_a_short_leg < corner <= BLEND_M and 0 < after_it < corner
    assert wrist == [0, 0], "where only the wrist turns, no tool's distance says where a blend begins"
    assert last == 0


def test_that_the_whole_way_is_checked_and_not_its_points_only(monkeypatch: pytest.MonkeyPatch) -> None:
    inside = away(PARKED, (0, -0.5), (3, -0.3))
    assert blended_path(PARKED, inside, TCP, ArmLimits())[1] == ""
    for way in (away(PARKED, (3, 0.6), (3, -0.6)), [*inside, (*PARKED[:3], 1.0, 0.0, 0.0)]):
        assert "outside the box" in blended_path(PARKED, way, TCP, ArmLimits())[1]
    monkeypatch.setattr(blended_way, "limit_violation", lambda q, tcp, limits: "where it cuts the corner")
    assert blended_path(PARKED, inside, TCP, ArmLimits())[1] == "where it cuts the corner"


def test_that_a_way_passes_near_its_points_without_a_stop(arm: Arm, monkeypatch: pytest.MonkeyPatch) -> None:
    arm.setup = replace(arm.setup, limits=FAST)
    assert arm.state is not None
    start, way, seen = arm.state.q, zigzag(arm), list[ArmState]()
    notice = arm.receiver._on_state
    monkeypatch.setattr(arm.receiver, "_on_state", lambda state: (seen.append(state), notice(state)))
    outcome = move_path(arm, way)
    assert outcome.status is StepStatus.DONE, outcome
    on_its_way = [s for s in seen if all(max(abs(np.subtract(s.q, q))) > 0.01 for q in (start, way[-1]))]
    assert on_its_way and not any(state.at_standstill for state in on_its_way)
    for q in way:
        tool = forward_kinematics(q, arm.tcp)[:3, 3]
        assert min(np.linalg.norm(np.subtract(s.tool[:3], tool)) for s in seen) < PASSED_M + 0.001


def test_that_a_way_of_which_a_part_is_forbidden_does_not_begin(arm: Arm, bench: Bench) -> None:
    assert arm.state is not None
    before, begun = bench.q, arm.control.begun
    outcome = move_path(arm, away(arm.state.q, (0, 0.1), (1, 1.4)))
    assert outcome.status is StepStatus.FAILED and "would" in outcome.detail
    assert max(abs(x - y) for x, y in zip(before, bench.q, strict=True)) < 1e-4
    assert arm.control.begun == begun


# --- what ends it -----------------------------------------------------------------------------------------


class Path:
    """A path that is being asked for in a thread of its own, as the loop's."""

    def __init__(self, arm: Arm, scale: float = 0.6) -> None:
        self.cancel, self.outcome = StopToken(), StepResult(StepStatus.FAILED, "it never ended")
        self.way = zigzag(arm)
        self._thread = Thread(target=self._go, args=(arm, scale))
        self._thread.start()

    def _go(self, arm: Arm, scale: float) -> None:
        self.outcome = move_path(arm, self.way, self.cancel, scale)

    def moves(self, bench: Bench) -> None:
        until(lambda: bench.moving or not self._thread.is_alive())
        assert self._thread.is_alive(), self.outcome

    def ended(self) -> StepResult:
        self._thread.join(30)
        return self.outcome


STRIKES: dict[str, Callable[[Arm, Path], object]] = {
    "halt": lambda arm, path: arm.halt(),
    "cancel": lambda arm, path: path.cancel.end("the episode was ended"),
    "withdraw": lambda arm, path: arm.control.end_motion(),
    "kill": lambda arm, path: os.kill(arm.control.pid, signal.SIGKILL),
}


def struck(arm: Arm, bench: Bench, strike: str, after: float) -> None:
    """Ask for a path, and strike. It ends, nothing moves, and nothing does after a release."""
    assert arm.state is not None
    path = Path(arm)
    time.sleep(after)
    moved, before = bench.moving, bench.q
    STRIKES[strike](arm, path)
    outcome = path.ended()
    assert outcome.status is StepStatus.HALTED or "ended its move elsewhere" in outcome.detail
    stays(bench, 0.3)
    assert max(abs(np.subtract(bench.q, path.way[-1]))) > 0.05, "it went on to its end"
    assert moved or max(abs(np.subtract(bench.q, before))) < 0.005, "it began after the stop"
    patiently_ready(arm, arm.latch.last_halt())
    stays(bench, 0.2)  # nor is it taken up when the program runs again


SENT, ON_ITS_WAY = UPLOAD_S / 3, UPLOAD_S + 0.3


@pytest.mark.parametrize(("strike", "after"), [("halt", SENT), ("halt", ON_ITS_WAY), ("kill", ON_ITS_WAY)])
def test_that_a_path_ends(arm: Arm, bench: Bench, strike: str, after: float) -> None:
    struck(arm, bench, strike, after)


def test_that_the_end_of_its_permit_stops_a_path_as_its_program_starts(arm: Arm, bench: Bench) -> None:
    begun, path = arm.control.begun, Path(arm)
    until(lambda: arm.state is not None and arm.state.runtime is RuntimeState.STOPPED)
    arm.control.end_motion()
    assert path.ended().status is StepStatus.HALTED
    assert arm.control.begun == begun
    stays(bench, 0.3)


@pytest.mark.long
@pytest.mark.parametrize("strike", STRIKES)
def test_that_a_path_ends_at_any_moment(
    arm: Arm, bench: Bench, strike: str, pytestconfig: pytest.Config
) -> None:
    luck = Random(f"{pytestconfig.getoption('luck', '')} {strike}")
    for _ in range(pytestconfig.getoption("times", 20)):
        struck(arm, bench, strike, luck.uniform(0, 1.5 * UPLOAD_S if luck.random() < 0.5 else 1.5))


@pytest.mark.long
@pytest.mark.parametrize("fault", ["safeguard", "protective"])
def test_that_a_stop_by_the_controller_ends_a_path(arm: Arm, bench: Bench, fault: str) -> None:
    path = Path(arm)
    path.moves(bench)
    bench.own.inject_fault(fault)
    outcome = path.ended()
    assert outcome.status is StepStatus.HALTED
    assert arm.latch.halted
    bench.mend()
    stays(bench)


def test_that_a_controller_that_starts_no_program_does_not_hold_the_arm(arm: Arm, bench: Bench) -> None:
    """ur_rtde waits for one without end: then its process is ended, and another one moves the arm."""
    path = Path(arm)
    time.sleep(UPLOAD_S / 5)
    bench.own.inject_fault("safeguard")
    assert path.ended().status is StepStatus.HALTED
    bench.own.inject_fault("safeguard closed")

    def released() -> bool:
        """Once more, if the end of the process came after the first release."""
        patiently_ready(arm, arm.latch.last_halt())
        stays(bench, 0.3)
        return not arm.latch.halted

    until(released)
    assert arm.state is not None
    assert move_joints(arm, arm.state.q).status is StepStatus.DONE


def test_that_no_path_begins_on_a_permit_that_was_closed(arm: Arm, bench: Bench) -> None:
    with permitted(arm):
        arm.control.end_motion()
        outcome = arm.move_path(zigzag(arm), StopToken())
    assert outcome.status is StepStatus.HALTED and "no permit" in outcome.detail
    stays(bench)


def test_that_the_controller_s_watchdog_ends_a_path(arm: Arm, bench: Bench) -> None:
    before, pid = arm.control.begun, arm.control.pid
    path = Path(arm)
    path.moves(bench)
    until(lambda: arm.control.begun != before)
    os.kill(pid, signal.SIGSTOP)
    try:
        assert path.ended().status is StepStatus.HALTED
        assert "was not written for" in str(bench.own.ask("log").body["lines"][-8:])
        stays(bench)
    finally:
        with suppress(ProcessLookupError):  # ended for its silence
            os.kill(pid, signal.SIGCONT)


def test_that_late_data_of_the_program_before_do_not_end_a_path(arm: Arm) -> None:
    assert arm.state is not None
    seen = Mock(**{"control.begun": "path 6", "receiver.age": 0.2})
    watch = ProgramWatch(seen, "path 7", restarts=True)

    def told(runtime: RuntimeState) -> str:
        seen.receiver.latest = replace(arm.state, runtime=runtime)  # type: ignore[type-var]
        return watch.fault()

    assert told(RuntimeState.PLAYING) == ""
    seen.control.begun = "path 7"
    assert told(RuntimeState.PLAYING) == told(RuntimeState.STOPPED) == ""
    seen.receiver.age = -1.0  # measured after it began
    assert told(RuntimeState.PLAYING) == ""
    assert "ended while the arm moved" in told(RuntimeState.STOPPED)


def test_that_a_path_that_no_watchdog_watches_is_stopped(
    arm: Arm, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control process says when it has set it again."""
    hear = arm.control._on_message
    assert arm.control._child is not None
    monkeypatch.setattr(arm.control._child, "_on_message", lambda m: None if m.kind == "begun" else hear(m))
    outcome = Path(arm).ended()
    assert outcome.status is StepStatus.HALTED and "its watchdog" in outcome.detail
    stays(bench)
