"""On a real robot nothing passes by itself: `run` asks for each step, and ends where nobody can be asked."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.cli.command_line import command_line
from core.ports import Embodiment
from main import emulate_arm, make_components, open_console
from robots.symbolic.robot import SymbolicRobot
from tests.app.cli.test_terminal_operator import terminal


def make_real() -> None:
    SymbolicRobot.embodiment = Embodiment.REAL


def words(place: Path) -> tuple[str, ...]:
    return ("run", "halve_egg", "--robot", "symbolic", "--no-pictures", "--database", str(place / "log.db"))


def test_that_every_step_of_a_real_robot_is_asked_for_though_nobody_said_ask(tmp_path: Path) -> None:
    with terminal(*words(tmp_path), prepare=make_real) as person:
        person.until("next: find the knife")
        person.type("")
        person.until("next: grasp the knife")
        person.type("q")
        assert person.ended() == 1


def test_that_a_real_robot_does_not_run_where_nobody_can_be_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SymbolicRobot, "embodiment", Embodiment.REAL)
    done = CliRunner().invoke(command_line(make_components, open_console, emulate_arm), words(tmp_path))
    assert done.exit_code == 2
    assert "A real robot needs a person" in done.stderr
    assert "Traceback" not in done.stderr
