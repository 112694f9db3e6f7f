"""The preflight of cameras by their files alone: `doctor` and the set-up see what a start would refuse."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from time import time

import pytest

from robots.ur5e.kinematics import pose_to_matrix
from robots.ur5e.vision.calibration_file import CameraCalibration, write_calibration
from robots.ur5e.vision.camera_checks import camera_checks
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.intrinsics import Intrinsics
from tests.robots.ur5e.vision.fake_cameras import HEIGHT, WIDTH, noisy_depth, scene, write_whole

LENS = Intrinsics(WIDTH, HEIGHT, 60, 60, 31.5, 23.5)
GOOD = CameraCalibration(
    "overhead", "2026-01-01", 9, LENS, 0.1, pose_to_matrix((0, 0, 1, 3, 0, 0)), 0, 0, (0.0, 0.0), "colour.png"
)


@pytest.fixture
def setup(tmp_path: Path) -> CameraSetup:
    write_whole(tmp_path / "colour.png", scene())
    write_calibration(tmp_path / "overhead.toml", GOOD)
    return CameraSetup(source="colour.png").placed("overhead", tmp_path)


def lines(setup: CameraSetup, real: bool = True) -> dict[str, str]:
    return {check.name: check.refusal for check in camera_checks(setup, grasps=True, real=real)}


def test_that_a_camera_and_its_calibration_are_in_order(setup: CameraSetup) -> None:
    assert lines(setup) == {"overhead camera": "", "overhead calibration": ""}


def test_that_what_is_missing_is_named(setup: CameraSetup, tmp_path: Path) -> None:
    os.utime(tmp_path / "colour.png", (time() - 3600, time() - 3600))
    assert "was last written 3,600 s ago: start the program" in lines(setup)["overhead camera"]
    (tmp_path / "colour.png").unlink()
    (tmp_path / "overhead.toml").unlink()
    said = lines(setup)
    assert "colour.png is not there: check `source`" in said["overhead camera"]
    assert "is not calibrated yet: Calibrate" in said["overhead calibration"]


def test_that_depth_and_size_are_looked_at(setup: CameraSetup, tmp_path: Path) -> None:
    write_calibration(tmp_path / "overhead.toml", replace(GOOD, intrinsics=replace(LENS, width=65)))
    assert "sends 64 x 48 pixels but was calibrated with 65 x 48" in lines(setup)["overhead camera"]
    write_calibration(tmp_path / "overhead.toml", replace(GOOD, device="colour.png and depth.png"))
    deep = replace(setup, depth=str(tmp_path / "depth.png"))
    assert "depth.png is not there" in lines(deep)["overhead camera"]
    write_whole(tmp_path / "depth.png", noisy_depth())
    assert lines(deep) == {"overhead camera": "", "overhead calibration": ""}


def test_that_a_stream_is_no_camera_for_a_real_arm(setup: CameraSetup) -> None:
    stream = replace(setup, source="rtsp://camera/live")
    assert "gives no time of its own" in lines(stream)["overhead camera"]
    assert lines(stream, real=False)["overhead camera"] == ""


def test_that_a_calibration_in_doubt_and_one_without_the_table_are_told(
    setup: CameraSetup, tmp_path: Path
) -> None:
    write_calibration(tmp_path / "overhead.toml", replace(GOOD, translation=0.0061))
    assert "in doubt: the views disagree by 6.1 mm" in lines(setup)["overhead calibration"]
    write_calibration(tmp_path / "overhead.toml", replace(GOOD, table=None))
    assert "no measure of the table" in lines(setup)["overhead calibration"]
