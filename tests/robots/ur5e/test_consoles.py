"""Who the arm is, and another console at it: what has no control disturbs nobody."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.arm.arm_capabilities import RecoveryStep
from core.errors import RobotNotReady
from core.ports import Embodiment, StepStatus
from robots.ur5e.arm import Arm
from robots.ur5e.arm_services import ArmServices
from robots.ur5e.arm_setup import EMULATED_SETUP, ArmSetup
from robots.ur5e.emulator.admin_client import verify_emulator
from robots.ur5e.gripper.gripper import Gripper
from robots.ur5e.tabletop.hardware import ARM_ENV, make_ready, open_hardware
from tests.permitted import move_joints, recover
from tests.robots.ur5e.conftest import Bench, Mover, stays, until


def test_that_only_a_matching_serial_number_proves_an_emulator(bench: Bench) -> None:
    serial = bench.say("get serial number")[0]
    assert verify_emulator(bench.address, serial)
    assert not verify_emulator(bench.address, "20235501234")
    assert not verify_emulator(bench.address, "")
    assert not verify_emulator("192.0.2.1", serial)
    assert not verify_emulator("robot.example", serial)


@pytest.fixture
def unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody answers on the emulator's own port, as with a real arm."""
    monkeypatch.setattr("robots.ur5e.emulator.admin_client.ADMIN_PORT", 1)


def test_that_what_does_not_prove_itself_is_real(alone: Bench, unproved: None) -> None:
    arm = Arm(ArmSetup(address=alone.address))
    try:
        arm.connect()
        assert arm.embodiment is Embodiment.REAL
    finally:
        arm.close()


def test_that_a_real_arm_without_a_camera_says_so(
    alone: Bench, unproved: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ARM_ENV, alone.address)
    with pytest.raises(RobotNotReady, match="names no camera"):
        open_hardware()


def test_that_a_console_of_another_user_at_a_real_arm_disturbs_no_motion(
    arm: Arm, bench: Bench, unproved: None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The two find nothing of each other but that the arm's registers are taken."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    move = Mover(arm, turn=0.4, scale=0.4)
    second = Arm(replace(EMULATED_SETUP, address=bench.address))
    try:
        second.connect()
        make_ready(second)
        assert second.embodiment is Embodiment.REAL
        assert not second.enabled
        assert "already" in second.fault_reason or "owns the robot's registers" in second.fault_reason
        refused = move_joints(second, (0.0,) * 6)
        assert (refused.status, refused.detail) == (StepStatus.HALTED, second.fault_reason)
        assert move.ended().status is StepStatus.DONE
    finally:
        second.close()


@pytest.mark.parametrize("tried", [False, True], ids=["only looked on", "was refused control"])
def test_that_closing_a_console_that_never_had_control_stops_no_other_one(
    tried: bool, arm: Arm, bench: Bench
) -> None:
    second = Arm(replace(EMULATED_SETUP, address=bench.address))
    second.connect()
    move = Mover(arm, turn=0.6, scale=0.3)
    if tried:
        with pytest.raises(RobotNotReady):
            second.release_stop(0)
    until(lambda: second.preflight()[1].ok)  # its line for stops is open
    assert bench.moving
    second.halt_if_in_control()
    second.close()
    assert bench.moving
    assert second.latch.halted, "nor does it move anything itself"
    assert move.ended().status is StepStatus.DONE


def test_that_a_stop_that_a_person_asks_of_it_goes_out_all_the_same(arm: Arm, bench: Bench) -> None:
    second = Arm(replace(EMULATED_SETUP, address=bench.address))
    try:
        second.connect()
        until(lambda: second.preflight()[1].ok)
        move = Mover(arm)
        second.halt()
        assert move.ended().status is StepStatus.HALTED
        assert abs(bench.q[0] - move.goal) > 0.1
        stays(bench)
    finally:
        second.close()


def test_that_closing_a_console_that_has_control_stops_the_arm(arm: Arm, bench: Bench) -> None:
    move = Mover(arm)
    arm.close()
    assert move.ended().status is StepStatus.HALTED
    stays(bench)
    assert abs(bench.q[0] - move.goal) > 0.1


def test_that_a_real_arm_that_is_off_is_left_alone_until_a_person_says_so(
    alone: Bench, unproved: None
) -> None:
    alone.say("power off")
    arm = Arm(replace(EMULATED_SETUP, address=alone.address))
    try:
        arm.connect()
        make_ready(arm)
        assert "powered off" in arm.fault_reason
        assert alone.say("robotmode") == ["Robotmode: POWER_OFF"]
        panel = ArmServices(arm, Gripper(arm))
        for way in (RecoveryStep.POWER_ON, RecoveryStep.RELEASE_BRAKES, RecoveryStep.READY):
            until(lambda way=way: panel.recovery.next_step is way and not panel.recovery.busy)  # type: ignore[misc]
            with pytest.raises(RobotNotReady, match="say who"):
                recover(panel, way, by="")
            assert not recover(panel, way)
        until(lambda: arm.enabled, 20)
        assert panel.recovery.next_step is None
        assert not arm.latch.halted, "nobody has stopped it"
        panel.close_services()
    finally:
        arm.close()
        alone.mend()
