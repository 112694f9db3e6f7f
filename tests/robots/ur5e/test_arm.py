"""What the driver does, and what a console must never do."""

from __future__ import annotations

import os
import signal
from dataclasses import replace
from threading import Event, Thread

import pytest

from core.arm.arm_capabilities import RecoveryStep
from core.errors import RobotError, RobotNotReady
from core.permit import PermitKind
from core.ports import Embodiment, StepStatus
from core.stop_token import StopToken
from robots.ur5e import preflight
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmLimits, ArmSetup
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.kinematics import forward_kinematics
from robots.ur5e.modes import RobotMode, RuntimeState
from tests.permitted import move_joints, permitted
from tests.robots.ur5e.conftest import (
    Bench,
    Mover,
    connected,
    fresh_address,
    patiently_ready,
    stays,
    until,
)
from tests.robots.ur5e.test_protocols import ask, plain


def test_that_nothing_moves_before_a_person_has_switched_it_on(off: Bench) -> None:
    arm = Arm(replace(EMULATED_SETUP, address=off.address))
    try:
        arm.connect()
        with pytest.raises(RobotNotReady, match="powered off"):
            arm.release_stop(0)
        with pytest.raises(RobotError, match="no permit"):
            arm.power(RecoveryStep.POWER_ON, RobotMode.IDLE)
        assert off.say("robotmode") == ["Robotmode: POWER_OFF"]
        for step, mode in (
            (RecoveryStep.POWER_ON, RobotMode.IDLE),
            (RecoveryStep.RELEASE_BRAKES, RobotMode.RUNNING),
        ):
            with permitted(arm, PermitKind.RECOVERY, step):
                arm.power(step, mode)
        assert off.say("robotmode") == ["Robotmode: RUNNING"]
    finally:
        arm.close()


def test_that_it_goes_where_it_is_told(arm: Arm, bench: Bench) -> None:
    assert arm.embodiment is Embodiment.EMULATED
    assert arm.state is not None
    goal = forward_kinematics(arm.state.q, arm.tcp)
    goal[2, 3] -= 0.05
    with permitted(arm):
        assert arm.move_line(goal, StopToken()).status is StepStatus.DONE
        assert abs(arm.state.tool[2] - goal[2, 3]) < 1e-3
        goal[2, 3] += 0.05
        assert arm.move_line(goal, StopToken()).status is StepStatus.DONE


def test_that_a_stop_ends_a_move_and_is_measured_until_standstill(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    number = arm.halt()
    ended = move.ended()
    assert ended.status is StepStatus.HALTED
    assert "emergency" not in ended.detail.lower() and "e-stop" not in ended.detail.lower()
    until(lambda: any(stop.number == number for stop in arm.stops))
    assert arm.stops[-1].seconds is not None
    assert abs(bench.q[0] - move.goal) > 0.1
    stays(bench)


def test_that_after_a_stop_nothing_moves_until_it_is_released_by_its_number(arm: Arm, bench: Bench) -> None:
    first, second = arm.halt(), arm.halt()
    assert arm.state is not None
    q = arm.state.q
    assert move_joints(arm, q).status is StepStatus.HALTED
    arm.release_stop(first)
    assert move_joints(arm, q).status is StepStatus.HALTED
    arm.release_stop(second)
    stays(bench, 0.2)
    assert move_joints(arm, q).status is StepStatus.DONE


@pytest.mark.parametrize(
    "after", [0.0, 0.008, 0.02, *(pytest.param(s, marks=pytest.mark.long) for s in (0.004, 0.012, 0.03))]
)
def test_that_a_stop_while_the_move_is_being_sent_wins(arm: Arm, bench: Bench, after: float) -> None:
    assert arm.state is not None
    began, outcomes, asked = bench.q, [], Event()
    a, *rest = arm.state.q
    goal = (a - 1.0 if a > 3 else a + 1.0, *rest)

    def go() -> None:
        asked.set()
        outcomes.append(move_joints(arm, goal, StopToken(), 0.5))

    moving = Thread(target=go)
    moving.start()
    asked.wait()
    Event().wait(after)
    number = arm.halt()
    moving.join(15)
    assert [o.status for o in outcomes] == [StepStatus.HALTED]
    stays(bench)
    assert abs(bench.q[0] - began[0]) < 0.5
    arm.release_stop(number)
    stays(bench, 0.3)  # nor is it made when the program runs again


@pytest.mark.parametrize("process", ["the same", "a fresh"])
def test_that_a_jog_left_in_the_registers_is_not_taken_up_by_a_release(
    arm: Arm, bench: Bench, process: str
) -> None:
    number = arm.halt()
    until(lambda: arm.state is not None and arm.state.runtime is RuntimeState.STOPPED)
    if process == "a fresh":
        os.kill(arm.control.pid, signal.SIGKILL)
        until(lambda: not arm.control.pid and not arm.enabled)
        number = 99
    bench.own.inject_fault("leftover")  # as a stop between speedJ and the next sign of life leaves it
    before = bench.q
    arm.release_stop(number)
    end = bench.own.ask("truth").number("now") + 0.5  # seconds of the arm's own time
    until(lambda: bench.own.ask("truth").number("now") > end)
    assert max(abs(a - b) for a, b in zip(before, bench.q, strict=True)) < 1e-3


def test_that_two_who_make_it_ready_at_once_do_not_disturb_each_other(alone: Bench) -> None:
    made = Arm(replace(EMULATED_SETUP, address=alone.address))
    try:
        made.connect()
        both = [Thread(target=patiently_ready, args=(made,)) for _ in range(2)]
        for thread in both:
            thread.start()
        for thread in both:
            thread.join(30)
        assert made.enabled
        assert made.state is not None
        assert move_joints(made, made.state.q).status is StepStatus.DONE
    finally:
        made.close()
        alone.mend()


def test_that_a_stop_during_the_check_stays(arm: Arm, bench: Bench) -> None:
    first = arm.halt()
    checking = Thread(target=lambda: arm.release_stop(first))
    checking.start()
    second = arm.halt()
    checking.join(15)
    assert arm.latch.halted
    assert arm.state is not None
    assert move_joints(arm, arm.state.q).status is StepStatus.HALTED
    arm.release_stop(second)
    assert not arm.latch.halted
    stays(bench, 0.2)


def test_that_a_cancel_stops_the_arm_too(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    move.cancel.end("the episode was ended")
    outcome = move.ended()
    assert (outcome.status, outcome.detail) == (StepStatus.HALTED, "the episode was ended")
    stays(bench)


def test_that_a_limit_forbids_before_anything_moves(arm: Arm, bench: Bench) -> None:
    assert arm.state is not None
    before = bench.q
    goal = forward_kinematics(arm.state.q, arm.tcp)
    goal[2, 3] = -0.1
    with permitted(arm):
        outcome = arm.move_line(goal, StopToken())
    assert outcome.status is StepStatus.FAILED
    assert "outside the box" in outcome.detail
    a, *rest = arm.state.q
    assert move_joints(arm, (a, rest[0] + 1.4, *rest[1:])).status is StepStatus.FAILED
    assert max(abs(x - y) for x, y in zip(before, bench.q, strict=True)) < 1e-4


@pytest.mark.parametrize("fault", ["safeguard", "emergency stop"])
def test_that_a_stop_by_the_controller_latches_ours(arm: Arm, bench: Bench, fault: str) -> None:
    move = Mover(arm)
    bench.own.inject_fault(fault)
    assert move.ended().status is StepStatus.HALTED
    assert arm.latch.halted
    bench.own.inject_fault("safeguard closed")
    bench.own.inject_fault("emergency stop released")
    stays(bench)


def test_that_local_control_refuses_to_begin(arm: Arm, bench: Bench) -> None:
    arm.halt()
    bench.own.inject_fault("local")
    with pytest.raises(RobotNotReady, match="Remote Control"):
        arm.release_stop(99)
    assert arm.latch.halted


def test_that_registers_in_use_are_named_with_the_way_out(alone: Bench) -> None:
    with plain(alone) as other:
        assert ask(other, b"I", b"input_int_register_0") == b"\1INT32"
        with pytest.raises(RobotNotReady, match=r"EtherNet/IP, PROFINET and\s+MODBUS"):
            connected(alone)


def test_that_nothing_moves_with_an_unset_tool_or_payload() -> None:
    fresh = Bench(EmulatorProcess(fresh_address(), "empty", cameras=False))
    try:
        fresh.power_up()
        for missing, words in (("tcp", "no tool centre point"), ("payload", "no payload")):
            with pytest.raises(RobotNotReady, match=words):
                connected(fresh, **{missing: None})
    finally:
        fresh.close()


@pytest.mark.parametrize(
    ("version", "ok"),
    [((5, 15, 2, 0), True), ((5, 9, 4, 0), False), ((3, 15, 8, 0), False), ((10, 7, 0, 0), False)],
)
def test_that_another_polyscope_is_named(version: tuple[int, ...], ok: bool) -> None:
    check = preflight.version_check(version)
    assert check.ok is ok
    assert ok or (f"PolyScope {version[0]}.{version[1]}" in check.reason and check.remedy)


def test_that_a_version_that_nobody_has_told_is_not_the_right_one() -> None:
    assert not preflight.version_check(()).ok


def test_that_an_address_where_nobody_is_is_told_in_one_sentence() -> None:
    arm = Arm(ArmSetup(address="127.0.99.99"))
    try:
        with pytest.raises(Exception, match=r"127.0.99.99: .*emulate ur5e --address 127.0.99.99` starts"):
            arm.connect(0.5)
    finally:
        arm.close()


def test_that_limits_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="tool_speed"):
        ArmLimits(tool_speed=3)
    with pytest.raises(ValueError, match="box is empty"):
        ArmLimits(lower=(0, 0, 1), upper=(1, 1, 0))
