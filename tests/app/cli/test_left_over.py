"""What an earlier episode has left at a robot is named: before the next one, and where there is no plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from app.cli.command_line import command_line
from app.dialogs.setup.domain_probe import probe_in_process
from app.dialogs.setup.settings_checker import check_robot
from core.config import Settings
from core.plugins import PLUGINS_VARIABLE
from core.robots import RobotEntry
from main import program, registries

DOMAIN = """
(define (domain washing) (:requirements :strips :typing :negative-preconditions) (:types cup tap)
  (:predicates (running ?t - tap) (full ?c - cup))
  (:action fill :parameters (?c - cup ?t - tap)
    :precondition (not (running ?t)) :effect (and (full ?c) (running ?t))))
"""
TASK = """
(define (problem fill-cup) (:domain washing)
  (:objects mug - cup sink - tap) (:init) (:goal (full mug)))
"""
# A robot at a sink that is there before and after each episode.
SINK = """
from pathlib import Path
from core.belief import Atom
from core.ports import Embodiment
from core.robots import PreflightReport, RobotEntry, StartFact, simulated_embodiment
from robots.symbolic.robot import SymbolicRobot

RUNNING, SINK = Atom("running", ("sink",)), Path(__file__).with_name("sink")

class SinkRobot(SymbolicRobot):
    name = "sink"

    def __init__(self, *, options, **needs):
        super().__init__(**needs)
        if SINK.exists():
            self._world.state |= {RUNNING}

    def sense(self):
        return {RUNNING: RUNNING in self._world.state}

    def close(self):
        if RUNNING in self._world.state:
            SINK.touch()

def preflight(options):
    words = "the tap runs" if SINK.exists() else "the tap is closed"
    told = StartFact(RUNNING, SINK.exists(), words, "close it by hand")
    return PreflightReport(Embodiment.SIM, start=(told,))

ENTRIES = {"robots": [RobotEntry("sink", "Sink", "", SinkRobot, embodiment=simulated_embodiment,
                                 preflight=preflight)]}
"""


@pytest.fixture
def verb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """verb("run", ...) on the robot at its sink."""
    (tmp_path / "washing" / "tasks").mkdir(parents=True)
    (tmp_path / "washing" / "domain.pddl").write_text(DOMAIN)
    (tmp_path / "washing" / "tasks" / "fill.pddl").write_text(TASK)
    (tmp_path / "sink.py").write_text(SINK)
    monkeypatch.setenv(PLUGINS_VARIABLE, str(tmp_path))
    place = ("--robot", "sink", "--domain", str(tmp_path / "washing"))
    cli = command_line(program())
    return lambda *words: CliRunner().invoke(cli, [*words, *place], env={"COLUMNS": "200"})


def test_that_a_running_tap_is_a_line_of_preflight_and_doctor_and_the_reason_of_no_plan(
    verb: Callable[..., Result], tmp_path: Path
) -> None:
    def told() -> tuple[Result, str]:
        settings = Settings(task="", domain=str(tmp_path / "washing"), robot="sink")
        entry = registries()["robots"]["sink"]
        assert isinstance(entry, RobotEntry)
        return verb("doctor"), check_robot(entry, settings, probe_in_process(settings).begins)[1][0].text

    log = ("--answerer", "perfect", "--no-pictures", "--database", str(tmp_path / "log.db"))
    doctor, preflight = told()
    assert doctor.exit_code == 0 and preflight == "Sink (SIM) is ready: start. It was only listened to"
    assert verb("run", *log).exit_code == 0
    doctor, preflight = told()
    assert doctor.exit_code == 1 and preflight == "Sink, start: the tap runs: close it by hand"
    assert "the tap runs" in doctor.stdout and "close it by hand" in doctor.stdout
    assert "no plan: Not as the task begins: running sink." in verb("run", *log).stdout


def test_that_between_episodes_it_is_said_what_the_last_one_left(
    verb: Callable[..., Result], tmp_path: Path
) -> None:
    log = ("--answerer", "perfect", "--no-pictures", "--database", str(tmp_path / "log.db"))
    told = " ".join(verb("run", *log, "--episodes", "2").stdout.split())
    first, left, second = told.partition("Left by the episode before: start: the tap runs. Close it by hand.")
    assert left and "1 of 2 episodes reached the goal, as believed, 1 in truth;" in second, told
    assert "no plan" in second and "no plan" not in first
