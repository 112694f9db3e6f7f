"""On a real robot nothing passes by itself: `run` asks for each step, and ends where nobody can be asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.ports import Embodiment
from robots.symbolic.robot import SymbolicRobot
from tests.app.cli.test_terminal_operator import terminal
from tests.command import call


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
    done = call(*words(tmp_path))
    assert done.exit_code == 2
    assert "A real robot needs a person" in done.stderr
    assert "Traceback" not in done.stderr
