"""The preflight of an arm that is not made yet: what it is and lacks, found by listening alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from core.arm.arm_capabilities import GripperStatus
from core.ports import Embodiment
from robots.ur5e import unmade_preflight
from robots.ur5e.arm_setup import EMULATED_SETUP
from robots.ur5e.gripper.robotiq import RobotiqReader
from robots.ur5e.rtde_receiver import RtdeReceiver
from robots.ur5e.unmade_preflight import listen
from robots.ur5e.vision.camera_setup import CameraSetup
from tests.robots.ur5e.conftest import Bench, fresh_address


def test_that_listening_says_what_is_lacking_and_leaves_the_arm_as_it_is(
    off: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, words = off.q, off.say("robotmode", "running")
    report = listen(replace(EMULATED_SETUP, address=off.address))
    assert report.embodiment is Embodiment.EMULATED
    assert {c.name for c in report.checks if not c.ok} == {"power"}
    monkeypatch.setattr(unmade_preflight, "verify_emulator", lambda address, serial: False)
    report = listen(replace(EMULATED_SETUP, address=off.address))
    assert report.embodiment is Embodiment.REAL, "what does not prove to be our emulator is real"
    assert {c.name for c in report.checks if not c.ok} == {"power", "camera"}
    assert off.q == pytest.approx(before) and off.say("robotmode", "running") == words


def test_that_cameras_and_calibrations_are_lines_whether_the_arm_answers_or_not(
    off: Bench, tmp_path: Path
) -> None:
    camera = CameraSetup(source="colour.png").placed("overhead", tmp_path)
    for address in (off.address, fresh_address()):
        report = listen(replace(EMULATED_SETUP, address=address, camera={"overhead": camera}))
        said = {c.name: c.refusal for c in report.checks}
        assert "colour.png is not there: check `source`" in said["overhead camera"]
        assert "not calibrated yet" in said["overhead calibration"]


def test_that_a_gripper_that_holds_something_is_told_before_the_start(
    off: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = GripperStatus(0.03, 0.05, True, False, True)
    monkeypatch.setattr(RobotiqReader, "state", lambda self: held)
    report = listen(replace(EMULATED_SETUP, address=off.address))
    (line,) = [c for c in report.checks if c.name == "gripper"]
    assert line.refusal.startswith("it holds something: open it in the Robot panel (Gripper, Open), on the")


def test_that_a_listener_leaves_the_speed_slider_to_others(off: Bench) -> None:
    listener = RtdeReceiver(off.address, claims=False)
    try:
        assert listener.wait(lambda state: True, 5)
        other = RtdeReceiver(off.address)
        try:
            assert other.wait(lambda state: True, 5)
            assert other.set_slider(0.5) == 0.5
            with pytest.raises(OSError, match="belongs to another"):
                listener.set_slider(0.5)
        finally:
            other.set_slider(1.0)
            other.close()
    finally:
        listener.close()


def test_that_an_address_where_nobody_is_gives_one_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unmade_preflight, "_DATA_S", 0.1)
    report = listen(replace(EMULATED_SETUP, address=fresh_address()))
    [check] = report.checks
    assert (report.embodiment, check.name, check.ok) == (None, "data", False)
    assert "30004" in check.reason and "cable" in check.remedy
