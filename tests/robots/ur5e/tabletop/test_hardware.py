"""Which arm is moved: the one that is said, then the one of the environment, else an emulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.preferences import Preferences
from core.config import Settings
from core.errors import BadFile, RobotError
from core.planning import domain_library
from robots.registry import ROBOTS, make_robot
from robots.ur5e.arm import Arm


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
        make_robot("ur5e", folder=folder, task=task, options={"arm": said})


def test_that_a_setup_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    folder, task = domain_library.load_task("collect_toys")
    with pytest.raises(BadFile, match=r"arm\.toml.*no such file"):
        make_robot("ur5e", folder=folder, task=task, options={"arm": str(tmp_path / "arm.toml")})


def test_that_the_arm_is_the_one_that_is_said_now(tmp_path: Path) -> None:
    preferences = Preferences(tmp_path)
    preferences.store_settings(Settings(robot="ur5e", options={"robot.arm": "192.0.2.1"}))
    assert preferences.settings(Settings(), ROBOTS).options_for("robot") == {}
    now = Settings(options={"robot.arm": "192.0.2.2"})
    assert preferences.settings(now, ROBOTS).options_for("robot") == {"arm": "192.0.2.2"}
