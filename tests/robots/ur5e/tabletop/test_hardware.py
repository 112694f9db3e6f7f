"""Which arm is moved: the one that is said, then the one of the environment, else an emulator."""

from __future__ import annotations

from contextlib import closing
from math import pi
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from app.preferences import Preferences
from core.config import Settings
from core.errors import BadFile, NoPicture, RobotError
from core.planning import domain_library
from core.ports import Embodiment
from robots.registry import ROBOTS, make_robot
from robots.ur5e.arm import Arm
from robots.ur5e.arm_setup import ArmSetup
from robots.ur5e.kinematics import pose_to_matrix
from robots.ur5e.tabletop.hardware import _open_cameras
from robots.ur5e.vision.calibration_file import CameraCalibration, write_calibration
from robots.ur5e.vision.camera_reader import CameraReader
from robots.ur5e.vision.camera_setup import CameraSetup
from robots.ur5e.vision.intrinsics import Intrinsics
from robots.ur5e.vision.source_kind import device_of
from tests.robots.ur5e.vision.fake_cameras import (
    HEIGHT,
    WIDTH,
    PictureWriter,
    network_camera,
    noisy_depth,
)


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Arm.connect, "__defaults__", (0.5,))  # seconds: nobody is there
    monkeypatch.setenv("DKPROMPT_UR5E", "127.99.0.1")


@pytest.mark.parametrize(("said", "address"), [("127.99.0.2", "127.99.0.2"), ("", "127.99.0.1")])
def test_that_the_arm_that_is_said_comes_before_that_of_the_environment(
    elsewhere: None, said: str, address: str
) -> None:
    folder, task = domain_library.load_task("collect_toys")
    with pytest.raises(RobotError, match=f"No UR controller answers at {address}"):
        make_robot("ur5e", domain_spec=folder, task=task, options={"arm": said})


def test_that_a_setup_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder, task = domain_library.load_task("collect_toys")
    with pytest.raises(BadFile, match=r"arm\.toml.*no such file"):
        make_robot("ur5e", domain_spec=folder, task=task, options={"arm": str(tmp_path / "arm.toml")})


def test_that_the_arm_is_the_one_that_is_said_now(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path)
    preferences.store_settings(Settings(robot="ur5e", options={"robot.arm": "192.0.2.1"}))
    assert preferences.settings(Settings(), ROBOTS).options_for("robot") == {}
    now = Settings(options={"robot.arm": "192.0.2.2"})
    assert preferences.settings(now, ROBOTS).options_for("robot") == {"arm": "192.0.2.2"}


def test_that_a_real_arm_does_not_start_with_a_camera_that_gives_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CameraReader.next_frame_after, "__defaults__", (1.5,))
    depth = PictureWriter({tmp_path / "depth.png": noisy_depth})
    with closing(depth), network_camera() as address:
        camera = CameraSetup(source=address, depth="depth.png").placed("overhead", tmp_path)
        lens = Intrinsics(WIDTH, HEIGHT, 60, 60, 31.5, 23.5)
        pose = pose_to_matrix((0, 0, 1, pi, 0, 0))  # it looks straight down
        known = CameraCalibration(
            "overhead", "2026-01-01", 9, lens, 0.1, pose, 0, 0, (0.0, 0.0), device_of(camera)
        )
        write_calibration(tmp_path / "overhead.toml", known)
        setup = ArmSetup(camera={"overhead": camera})

        def arm(embodiment: Embodiment) -> Any:
            return SimpleNamespace(embodiment=embodiment)

        with pytest.raises(NoPicture, match="gives no time of its own"):
            _open_cameras(setup, arm(Embodiment.REAL))
        cameras, _ = _open_cameras(setup, arm(Embodiment.EMULATED))
        cameras.close()
