"""A robot that may be real is taken only where a person has chosen it now."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

import main
from app.cli.command_line import command_line
from app.preferences import Preferences
from core.config import Settings
from core.errors import BadValue, RobotNotReady
from core.ports import Embodiment
from core.review.fork import Fork
from core.robots import PreflightReport
from robots.registry import ROBOTS
from robots.ur5e import unmade_preflight
from robots.ur5e.tabletop import hardware
from tests.app.conftest import Driver, Opened
from tests.app.dialogs.conftest import choose
from tests.robots.remote.served import serving

ARM = "192.0.2.1"
UNNAMED = Settings(task="collect_toys", pictures=False)
FAULT = "Nobody has chosen the robot 'ur5e'"


@pytest.fixture(autouse=True)
def taken(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The arms that were taken, on a machine on which DKPROMPT_UR5E names a real one."""
    arms: list[str] = []

    def take(seed: int, arm: str, scene: str) -> None:
        arms.append(arm or ARM)
        raise RobotNotReady(f"The arm at {arms[-1]} was taken.")

    monkeypatch.setenv("DKPROMPT_UR5E", ARM)
    monkeypatch.setattr(hardware, "open_hardware", take)
    monkeypatch.setattr(unmade_preflight, "listen", lambda setup: PreflightReport(Embodiment.REAL))
    return arms


def status(at: Driver) -> str:
    return at.window.status._words.text()


@pytest.mark.arm
def test_that_start_never_takes_a_real_arm_unasked(opened: Opened, taken: list[str]) -> None:
    """No robot is ticked for the person who has chosen the task alone, and Start starts nothing."""
    at = opened(UNNAMED)
    at.until(lambda: FAULT in status(at))
    at.do("start")
    at.do("setup")
    dialog = at.controller.dialog
    at.until(lambda: dialog._report is not None)
    assert dialog.robot == ""
    assert "Choose the robot" in dialog._report.blocked
    dialog._start()
    assert taken == []
    choose(dialog, "ur5e")
    at.until(lambda: dialog._report is not None)
    dialog._start()
    at.until(lambda: set(taken) == {ARM})


def test_that_a_later_plain_start_does_not_go_back_to_a_real_arm(
    opened: Opened, taken: list[str], tmp_path: Path
) -> None:
    last = Preferences(tmp_path)
    last.store_settings(replace(UNNAMED, robot="ur5e", options={"robot.arm": "192.0.2.2"}))
    last.save()
    at = opened(Settings(), remembered=True)
    at.until(lambda: FAULT in status(at))
    assert (at.controller.settings.robot, dict(at.controller.settings.options)) == ("", {})
    assert taken == []


def test_that_a_robot_named_now_comes_without_remembered_options(tmp_path: Path) -> None:
    last = Preferences(tmp_path, setup={"robot": "ur5e", "seed": 7}, options={"robot.arm": "192.0.2.2"})
    for named in ("", "ur5e"):
        settings = last.settings(Settings(robot=named), ROBOTS)
        assert (settings.robot, settings.seed, dict(settings.options)) == (named, 7, {})


@pytest.mark.parametrize(
    ("said", "arms"),
    [((), []), (("--robot", "ur5e"), [ARM]), (("-o", "robot.arm=192.0.2.3"), ["192.0.2.3"])],
)
def test_that_the_terminal_takes_only_an_arm_that_was_named(
    said: tuple[str, ...], arms: list[str], taken: list[str], tmp_path: Path
) -> None:
    cli = command_line(main.program())
    words = ("run", "collect_toys", "--no-pictures", "--database", str(tmp_path / "log.db"), *said)
    result = CliRunner().invoke(cli, words)
    assert result.exit_code == 2
    assert (FAULT in result.output) is not bool(said)
    assert taken == arms


@pytest.mark.parametrize("robot", ["", "ur5e"])
def test_that_a_log_names_no_real_robot_to_fork_on(opened: Opened, taken: list[str], robot: str) -> None:
    """Neither for the fork, nor for the Start after it, which runs the same from the beginning."""
    of_a_log = replace(UNNAMED, robot=robot, options={"robot.arm": "192.0.2.2"} if robot else {})
    fork = Fork(**{f.name: getattr(of_a_log, f.name) for f in fields(Settings)}, parent="p")
    with pytest.raises(BadValue, match=FAULT):
        main.make_components(fork)
    at = opened()
    at.ready()
    at.do("episodes")
    at.console.review.forked.emit(fork)
    if robot:
        assert at.controller.settings.robot == "symbolic"
        assert "ur5e may be a real robot" in at.console.review._title.text()
    else:
        at.until(lambda: FAULT in status(at))
        at.do("start")
    assert taken == []


def test_that_a_fork_goes_on_only_with_the_robot_elsewhere_that_is_in_use_now(
    opened: Opened, tmp_path: Path
) -> None:
    """Its log says that what is at an address is a simulator, which counts only if a person says so now."""
    with serving("symbolic", tmp_path) as server:
        options = {f"robot.{name}": value for name, value in server.options.items()}
        settings = Settings(task="halve_egg", robot="remote", options=options, pictures=False)
        at = opened(settings)
        at.ready()
        at.do("episodes")
        for now, goes_on in (
            (settings, True),
            (replace(settings, options={**options, "robot.at": f"{ARM}:8790"}), False),
        ):
            fork = Fork(**{f.name: getattr(now, f.name) for f in fields(Settings)}, parent="p")
            at.console.review.forked.emit(fork)
            assert isinstance(at.controller.session.settings, Fork) is goes_on
            if goes_on:
                at.until(lambda: at.controller.session.components is not None)
                at.controller.prepare(settings)
                at.ready()
        assert "remote may be a real robot" in at.console.review._title.text()
