"""The calibration sheet on the emulated arm: the same guide as in the terminal, the real detector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import main
from app.dialogs.calibration import CalibrationDialog
from core.arm.hand_eye import CalibrationFrame, CalibrationStatus
from core.errors import NoPicture, RobotError
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.hardware import ARM_ENV
from tests.app.conftest import Driver, Opened
from tests.robots.ur5e.conftest import Bench, connected, fresh_address
from tests.robots.ur5e.vision.test_calibrator import FAST, poses, to

pytestmark = pytest.mark.gl


@pytest.fixture
def arm(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Arm]:
    bench = Bench(EmulatorProcess(fresh_address(), "empty"))
    try:
        EmulatedCamera(bench.address).picture("overhead")  # which has patience on a busy machine
    except RobotError as error:
        bench.close()
        pytest.skip(f"no pictures here: {error}")
    bench.power_up()
    monkeypatch.setenv(ARM_ENV, bench.address)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.app.conftest.PATIENCE", 90_000)
    made = connected(bench, limits=FAST)
    yield made
    made.close()
    bench.close()


def sheet_of(driver: Driver) -> CalibrationDialog:
    dialog = driver.controller.dialog
    assert isinstance(dialog, CalibrationDialog)
    return dialog


@pytest.mark.long
def test_that_views_are_taken_shown_and_stored(opened: Opened, arm: Arm, tmp_path: Path) -> None:
    driver = opened()
    driver.console.dialogs._open_calibration = main.calibrator
    driver.console.dialogs.calibrate()
    dialog = sheet_of(driver)
    driver.until(lambda: dialog.view._image is not None)
    assert not dialog.save_button.isEnabled()
    for i, flange in enumerate(poses()[:7]):  # from six on it can be stored
        to(arm, flange)
        QTest.mouseClick(dialog.capture_button, Qt.MouseButton.LeftButton)
        driver.until(lambda: dialog.message_label.text() not in ("", "Looking…"))
        assert dialog.message_label.text() == "Taken.", f"view {i}"
    driver.until(lambda: "px reprojection" in dialog.figures.text())
    assert "corners of the board detected" in dialog.view.accessibleDescription()
    QTest.mouseClick(dialog.table_button, Qt.MouseButton.LeftButton)
    driver.until(lambda: "table at" in dialog.figures.text())
    QTest.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    driver.until(lambda: dialog.message_label.text().startswith("Stored"))
    assert (tmp_path / "overhead.toml").exists()
    dialog.reject()


def test_that_an_arm_that_is_not_there_says_so_in_the_sheet(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ARM_ENV, "127.0.0.250")
    monkeypatch.setattr("robots.ur5e.vision.calibrator.CONNECT_TIMEOUT_S", 0.5)

    driver = opened()
    driver.console.dialogs._open_calibration = main.calibrator
    driver.console.dialogs.calibrate()
    dialog = sheet_of(driver)
    driver.until(lambda: "No UR controller answers" in dialog.instruction.text())
    assert not dialog.save_button.isEnabled() and not dialog.capture_button.isVisible()
    assert dialog.view.accessibleDescription() == "no camera"
    QTest.mouseClick(dialog.retry_button, Qt.MouseButton.LeftButton)
    assert dialog.instruction.text().startswith("Connecting")
    driver.until(lambda: "No UR controller answers" in dialog.instruction.text())
    dialog.reject()


class Session:
    """A calibration in doubt, whose camera sends nothing any more."""

    camera = "overhead"
    status = CalibrationStatus(12, 12, "", "figures", "the views disagree by 6.1 mm", True, False)
    stored: str | None = None

    def look(self) -> CalibrationFrame:
        raise NoPicture("No new picture for 5 s from the overhead camera. Start the program that writes it.")

    def save(self, confirmation: str = "") -> str:
        self.stored = confirmation
        return "overhead.toml"

    def close(self) -> None:
        pass


def test_that_what_is_in_doubt_is_stored_by_a_typed_word_only(opened: Opened) -> None:
    driver, session = opened(), Session()
    driver.console.dialogs._open_calibration = lambda *_: session
    driver.console.dialogs.calibrate()
    dialog = sheet_of(driver)
    driver.until(lambda: "6.1 mm" in dialog.doubts.text())
    driver.until(lambda: "Start the program" in dialog.message_label.text())
    assert dialog.view.accessibleDescription() == "no picture"
    QTest.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    assert not dialog.save_button.isEnabled() and session.stored is None
    QTest.keyClicks(dialog.confirmation, "in doubt")
    assert dialog.save_button.isEnabled()
    QTest.mouseClick(dialog.save_button, Qt.MouseButton.LeftButton)
    driver.until(lambda: session.stored == "in doubt")
    dialog.reject()
