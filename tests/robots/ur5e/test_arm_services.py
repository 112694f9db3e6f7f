"""What a person at a panel sees of an arm, and the ways back to one that is ready."""

from __future__ import annotations

from threading import Event
from time import monotonic

import pytest

from core.arm import arm_capabilities
from core.arm.arm_capabilities import RecoveryStep
from core.errors import RobotNotReady
from core.ports import StepStatus
from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.tabletop.robot import TabletopRobot
from tests.permitted import jog, recover
from tests.robots.ur5e.conftest import UP, Bench, Mover, stays, until

PROTOCOLS = (
    arm_capabilities.SupportsJog,
    arm_capabilities.SupportsFreedrive,
    arm_capabilities.SupportsGripper,
    arm_capabilities.SupportsPreflight,
    arm_capabilities.SupportsRecovery,
    arm_capabilities.ReportsStatus,
    arm_capabilities.SupportsSpeedSlider,
)


def test_that_the_robot_offers_every_part_of_a_panel(panel: ArmServices) -> None:
    assert all(isinstance(panel, protocol) for protocol in PROTOCOLS)
    assert issubclass(TabletopRobot, ArmServices)


def test_that_the_checks_name_reason_and_way_out(panel: ArmServices, bench: Bench) -> None:
    assert all(check.ok for check in panel.preflight() if check.name != "gripper")
    bench.own.inject_fault("local")
    until(lambda: not panel.preflight()[3].ok)
    check = panel.preflight()[3]
    assert (check.name, check.reason) == ("remote control", "the arm is in local control")
    assert check.remedy == "switch the pendant to Remote Control"


def test_that_the_status_is_in_words(panel: ArmServices) -> None:
    status = panel.status
    assert (status.mode, status.safety, status.program) == ("running", "normal", "playing")
    assert len(status.joints) == len(status.tool) == 6
    assert status.safe and status.age < 1


def test_that_no_call_of_the_panel_blocks_when_nobody_answers(panel: ArmServices, bench: Bench) -> None:
    bench.own.inject_fault("freeze", seconds=3.0)
    slowest, told = 0.0, []
    for _ in range(30):
        began = monotonic()
        told = [panel.preflight(), panel.status, panel.recovery, panel.gripper_status, jog(panel, UP)]
        panel.end_jog()
        slowest = max(slowest, monotonic() - began)
        Event().wait(0.02)
    bench.own.inject_fault("thaw")
    assert "old" in str(told[-1])
    assert slowest < 0.5  # 0.05 on a quiet machine; the controller's own time-out is 2.5 s


def test_that_a_protective_stop_is_recovered_step_by_step_by_a_person(
    panel: ArmServices, bench: Bench, arm: Arm
) -> None:
    move = Mover(arm)
    bench.own.inject_fault("protective")
    outcome = move.ended()
    assert outcome.status is StepStatus.HALTED and "protective stop" in outcome.detail
    until(lambda: panel.recovery.next_step is RecoveryStep.ACKNOWLEDGE)
    assert not panel.status.safe
    with pytest.raises(RobotNotReady, match="protective stop"):
        arm.release_stop(99)
    assert "not now" in recover(panel, RecoveryStep.UNLOCK)
    with pytest.raises(RobotNotReady, match="say who"):
        recover(panel, RecoveryStep.ACKNOWLEDGE, by="")
    assert not recover(panel, RecoveryStep.ACKNOWLEDGE)
    assert panel.recovery.next_step is RecoveryStep.UNLOCK and panel.recovery.wait_seconds > 3
    assert "allows it in" in recover(panel, RecoveryStep.UNLOCK)
    until(lambda: panel.recovery.wait_seconds == 0)
    assert bench.say("safetymode") == ["Safetymode: PROTECTIVE_STOP"], "nothing unlocks by itself"
    until(lambda: unlocked(panel), 30)
    until(lambda: not panel.recovery.busy)
    assert panel.recovery.next_step is None
    assert arm.latch.halted
    stays(bench, 0.3)
    arm.release_stop(99)
    assert not arm.latch.halted
    stays(bench)


def unlocked(panel: ArmServices) -> bool:
    """The controller counts its five seconds by its own clock, which a busy machine slows down."""
    if not panel.status.safe:
        recover(panel, RecoveryStep.UNLOCK)
    return panel.status.safe


def test_that_after_a_lost_link_a_person_makes_the_arm_ready_again(panel: ArmServices, bench: Bench) -> None:
    bench.own.inject_fault("drop")
    until(lambda: panel.recovery.next_step is RecoveryStep.READY and not panel.recovery.busy)
    until(lambda: all(check.ok for check in panel.preflight() if check.name != "gripper"))
    assert not recover(panel, RecoveryStep.READY)
    until(lambda: not panel.recovery.busy)
    assert panel.recovery.next_step is None and not panel.recovery.failure


def test_that_after_an_emergency_stop_a_person_switches_it_on_again(panel: ArmServices, bench: Bench) -> None:
    bench.own.inject_fault("emergency stop")
    until(lambda: "emergency stop" in panel.recovery.message)
    assert panel.recovery.next_step is None
    bench.own.inject_fault("emergency stop released")
    for way in (RecoveryStep.POWER_ON, RecoveryStep.RELEASE_BRAKES):
        until(lambda way=way: panel.recovery.next_step is way and not panel.recovery.busy)  # type: ignore[misc]
        assert not recover(panel, way)
    until(lambda: panel.status.mode == "running" and not panel.recovery.busy)
    assert not panel.recovery.failure
