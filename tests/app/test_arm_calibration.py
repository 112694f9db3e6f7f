"""The calibration sheet on the emulated arm: the same guide as in the terminal, the real detector."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

import main
from app.sheets.calibration import CalibrationSheet
from core.errors import RobotError
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.process import EmulatorProcess
from robots.ur5e.tabletop.emulated_camera import EmulatedCamera
from robots.ur5e.tabletop.rig import ARM
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
    monkeypatch.setenv(ARM, bench.address)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tests.app.conftest.PATIENCE", 90_000)
    made = connected(bench, limits=FAST)
    yield made
    made.close()
    bench.close()


def sheet_of(driver: Driver) -> CalibrationSheet:
    sheet = driver.desk.sheet
    assert isinstance(sheet, CalibrationSheet)
    return sheet


def test_that_views_are_taken_shown_and_stored(opened: Opened, arm: Arm, tmp_path: Path) -> None:
    driver = opened()
    driver.console.opener._bench = main.calibrator
    driver.do("calibrate")
    sheet = sheet_of(driver)
    driver.until(lambda: sheet.view._image is not None)
    assert not sheet.keep.isEnabled()
    for i, flange in enumerate(poses()[:7]):  # from six on it can be stored
        to(arm, flange)
        QTest.mouseClick(sheet.take, Qt.MouseButton.LeftButton)
        driver.until(lambda: sheet.told.text() not in ("", "Looking…"))
        assert sheet.told.text() == "Taken.", f"view {i}"
    driver.until(lambda: "px reprojection" in sheet.figures.text())
    assert "corners of the board are seen" in sheet.view.accessibleDescription()
    QTest.mouseClick(sheet.table, Qt.MouseButton.LeftButton)
    driver.until(lambda: "table at" in sheet.figures.text())
    QTest.mouseClick(sheet.keep, Qt.MouseButton.LeftButton)
    driver.until(lambda: sheet.told.text().startswith("Stored"))
    assert (tmp_path / "overhead.toml").exists()
    sheet.reject()


def test_that_an_arm_that_is_not_there_says_so_in_the_sheet(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(ARM, "127.0.0.250")
    monkeypatch.setattr("robots.ur5e.vision.calibrator.CONNECTS", 0.5)

    driver = opened()
    driver.console.opener._bench = main.calibrator
    driver.do("calibrate")
    sheet = sheet_of(driver)
    driver.until(lambda: "No UR controller answers" in sheet.told.text())
    assert not sheet.keep.isEnabled()
    sheet.reject()
