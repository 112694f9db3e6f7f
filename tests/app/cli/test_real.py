"""On a real robot nothing passes by itself: `run` asks for each step, and ends where nobody can be asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.app.cli.test_terminal_operator import ROOT, terminal

REAL = """
import sys
import main
from core.ports import Embodiment
from robots.symbolic.robot import SymbolicRobot
SymbolicRobot.embodiment = Embodiment.REAL
main.run_main()
"""


def words(place: Path) -> tuple[str, ...]:
    return ("run", "halve_egg", "--robot", "symbolic", "--no-pictures", "--database", str(place / "log.db"))


def test_that_every_step_of_a_real_robot_is_asked_for_though_nobody_said_ask(tmp_path: Path) -> None:
    with terminal(*words(tmp_path), program=("-c", REAL)) as person:
        person.until("next: find the knife")
        person.type("")
        person.until("next: grasp the knife")
        person.type("q")
        assert person.process.wait(20) == 1


def test_that_a_real_robot_does_not_run_where_nobody_can_be_asked(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", REAL, *words(tmp_path)],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "A real robot needs a person" in done.stderr
    assert "Traceback" not in done.stderr
