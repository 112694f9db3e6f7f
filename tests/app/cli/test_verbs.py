"""The command line as a script and as a person meets it."""

from __future__ import annotations

import errno
import json
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import Result

from app.cli.doctor import examine
from app.cli.run import levels_of
from app.cli.terminal_operator import APPROVE_STEPS
from core.supervision import SUPERVISION_PRESETS, WATCH
from tests.command import call
from tests.core.planning.shared import both_engines

ROOT = Path(__file__).parents[3]
TASKS = {"boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood"}
Verb = Callable[..., Result]


@pytest.fixture
def verb() -> Verb:
    return call


def last_line(result: Result) -> object:
    return json.loads(result.stdout.splitlines()[-1])


def run_egg(verb: Verb, log: Path, *more: object) -> Result:
    return verb("run", "halve_egg", "--robot", "symbolic", "--no-pictures", "--database", log, *more)


def test_that_an_option_before_a_verb_is_refused_not_ignored(verb: Verb, tmp_path: Path) -> None:
    log = tmp_path / "log.db"
    result = verb("--database", log, "run", "halve_egg", "--robot", "symbolic")
    assert (
        result.exit_code != 0
        and "--database before `run` is the window's: write it after `run`." in result.stderr
    )
    assert not log.exists()


# --- what scripts read ------------------------------------------------------------------------------


def test_that_tasks_are_listed_with_the_length_of_their_plan(verb: Verb) -> None:
    listed = last_line(verb("tasks", "--json"))
    assert {t["name"] for t in listed} >= TASKS
    assert {"name", "domain", "description", "plan_length"} == set(listed[0])


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@both_engines
def test_that_a_plan_is_printed_as_json(verb: Verb, engine: str, variant: str) -> None:
    result = verb("plan", "halve_egg", "--engine", engine, "--variant", variant, "--json")
    plan = last_line(result)
    assert result.exit_code == 0
    assert (plan["status"], plan["length"], len(plan["steps"])) == ("found", 4, 4)
    assert engine in plan["engine"]


def test_that_an_unreachable_goal_is_impossible_and_exits_1(verb: Verb, tmp_path: Path) -> None:
    domain, problem = tmp_path / "d.pddl", tmp_path / "p.pddl"
    domain.write_text(
        "(define (domain d) (:requirements :strips) (:predicates (a) (b))"
        " (:action x :parameters () :precondition (a) :effect (not (a))))"
    )
    problem.write_text("(define (problem p) (:domain d) (:init (a)) (:goal (b)))")
    result = verb("plan", "--domain-file", domain, "--problem-file", problem, "--json")
    assert (result.exit_code, last_line(result)["status"]) == (1, "impossible")
    result = verb("run", "--domain-file", domain, "--problem-file", problem, "--database", tmp_path / "l.db")
    assert result.exit_code == 1 and "no plan (impossible)" in result.stdout
    assert "No way leads there" in result.stdout or "can never change" in result.stdout


def test_that_an_episode_is_run_logged_and_summed_up(verb: Verb, tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    result = run_egg(verb, log, "--openness", 0, "--json")
    summary = last_line(result)
    assert result.exit_code == 0
    told = "result believed_goal true_goal steps replans calls questions seconds episode why unanswered "
    told += "goal_known_by probability held_up"
    assert list(summary) == told.split()
    assert (summary["result"], summary["true_goal"], summary["steps"]) == ("succeeded", True, 4)
    with sqlite3.connect(log) as database:
        kinds = [k for (k,) in database.execute("select kind from record order by episode, number")]
    assert (kinds[0], kinds[-1]) == ("EpisodeStarted", "EpisodeEnded")


@pytest.mark.long
def test_that_the_same_seed_is_the_same_episode(verb: Verb, tmp_path: Path) -> None:
    def told(seed: int) -> str:
        shown: str = run_egg(verb, tmp_path / "log.sqlite", "--seed", seed).stdout
        return shown.partition("  again:")[0]  # whose episode has another name each time

    assert told(3) == told(3)
    assert len({told(seed) for seed in range(4)}) > 1


def test_that_an_episode_that_is_not_believed_to_succeed_exits_1(verb: Verb, tmp_path: Path) -> None:
    assert run_egg(verb, tmp_path / "log.sqlite", "--max-steps", 1).exit_code == 1


def test_that_a_person_sees_the_question_the_answer_and_why_it_plans_again(
    verb: Verb, tmp_path: Path
) -> None:
    shown = " ".join(run_egg(verb, tmp_path / "log.sqlite", "--seed", 3).stdout.split())
    assert "▸ find the knife" in shown
    assert "? Is the knife in view? ● yes" in shown
    assert "↻ plans again because the " in shown and "the model, turn" in shown
    assert "The simulator confirms that the goal is reached" in shown


@pytest.mark.parametrize("words", [[], ["tasks"], ["plan"], ["run"], ["doctor"]])
def test_that_every_verb_has_a_help_that_teaches(verb: Verb, words: list[str]) -> None:
    result = verb(*words, "--help")
    assert result.exit_code == 0 and len(result.stdout.splitlines()) > 5


@pytest.mark.parametrize(
    ("words", "levels"),
    [
        (("", False), WATCH),
        (("", True), APPROVE_STEPS),
        (("assist", False), SUPERVISION_PRESETS["Assist"]),
        (("Manual", False), SUPERVISION_PRESETS["Manual"]),
    ],
)
def test_that_a_preset_says_what_the_person_decides(words: tuple[str, bool], levels: object) -> None:
    assert levels_of(*words) == levels


def test_that_a_preset_without_a_person_or_beside_ask_is_refused(verb: Verb, tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    assert "needs a person at a terminal" in run_egg(verb, log, "--preset", "approve").stderr
    assert "give one of them" in run_egg(verb, log, "--preset", "approve", "--ask").stderr
    assert "did you mean assist" in run_egg(verb, log, "--preset", "asist").stderr
    assert not log.exists()


def test_that_doctor_names_what_it_looked_at(verb: Verb) -> None:
    found = {f["name"]: f for f in last_line(verb("doctor", "--json"))}
    assert {"Python", "Packages", "Pictures (GL)", "Fonts", "Display", "Episode log"} <= set(found)
    assert all(f["mend"] for f in found.values() if f["level"] != "fine")
    drawing = found["Pictures (GL)"]
    assert drawing["level"] != "fine" or "live view with" in drawing["found"]


def test_that_an_episode_ends_with_its_picture_strip_beside_the_log(verb: Verb, tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    words = ("run", "halve_egg", "--robot", "symbolic", "--openness", 0, "--database", log)
    result = verb(*words, "--json")
    episode = last_line(result)["episode"]
    strip = tmp_path / "log.sqlite-strips" / f"{episode}.png"
    assert strip.read_bytes().startswith(b"\x89PNG")
    assert (strip.stat().st_mode & 0o777, strip.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    verb("episodes", "delete", episode, "--yes", "--database", log)
    assert not strip.exists(), "a deleted episode leaves no picture"
    named = verb(*words, "--strip", tmp_path / "mine.png")
    assert f"pictures: {tmp_path / 'mine.png'}" in " ".join(named.stdout.split())


def test_that_an_episode_can_be_filmed(verb: Verb, tmp_path: Path) -> None:
    pytest.importorskip("av")
    film = tmp_path / "egg.mp4"
    verb("run", "halve_egg", "--robot", "symbolic", "--database", tmp_path / "log.sqlite", "--video", film)
    assert film.read_bytes()[4:8] == b"ftyp"


# --- bad input: one sentence, exit code 2, no traceback ------------------------------------------------


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (["plan", "boil_watr"], "did you mean boil_water"),
        (["plan", "halve_egg", "--engine", "foo"], "foo"),
        (["plan", "halve_egg", "--variant", "foo"], "printed, repaired"),
        (["plan", "--domain-file", "d.pddl"], "both"),
        (["plan", "--domain-file", "no.pddl", "--problem-file", "no.pddl"], "no.pddl"),
        (["run", "halve_egg", "--openness", "2"], "1.75"),
        (["run", "halve_egg", "--openness", "-1"], "out of range"),
        (["run", "halve_egg", "--max-steps", "0"], "Step limit 0 is out of range"),
        (["run", "halve_egg", "--answerer", "perfct"], "did you mean perfect"),
        (["run", "halve_egg", "--robot", "kitchn"], "did you mean kitchen"),
        (["run", "halve_egg", "--method", "dkpromt"], "did you mean dkprompt"),
        (["run", "halve_egg", "--ask"], "terminal"),
    ],
)
def test_that_bad_input_is_one_sentence_and_exit_2(
    verb: Verb, tmp_path: Path, words: list[str], named: str
) -> None:
    more = ["--database", tmp_path / "log.sqlite", "--no-pictures"] if words[0] == "run" else []
    result = verb(*words, *more)
    assert result.exit_code == 2
    assert named in result.stderr and len(result.stderr.strip().splitlines()) == 1
    assert "Traceback" not in result.output


@pytest.mark.parametrize(
    ("text", "expected"),
    [("", "empty"), ("(define (domain d", "expected"), ("hello", "expected")],
)
def test_that_broken_pddl_names_the_file_and_what_was_expected(
    verb: Verb, tmp_path: Path, text: str, expected: str
) -> None:
    broken = tmp_path / "broken.pddl"
    broken.write_text(text)
    result = verb("plan", "--domain-file", broken, "--problem-file", broken)
    assert result.exit_code == 2 and str(broken) in result.stderr and expected in result.stderr


def test_that_a_log_that_is_no_database_is_named_and_left_as_it_is(verb: Verb, tmp_path: Path) -> None:
    log = tmp_path / "notes.txt"
    log.write_text("my notes, not a log at all")
    result = run_egg(verb, log)
    assert result.exit_code == 2 and "notes.txt" in result.stderr
    assert log.read_text() == "my notes, not a log at all"


def test_that_a_locked_log_is_named(verb: Verb, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.log.database.BUSY_SECONDS", 0.1)
    log = tmp_path / "log.sqlite"
    assert run_egg(verb, log).exit_code in (0, 1)
    with sqlite3.connect(log, isolation_level=None) as other:
        other.execute("begin exclusive")
        result = run_egg(verb, log)
    assert result.exit_code == 2 and "lock" in result.stderr


# --- a real process ------------------------------------------------------------------------------------


def test_that_ctrl_c_stops_the_robot_and_the_log_is_ended_properly(tmp_path: Path) -> None:
    log = tmp_path / "log.sqlite"
    words = [
        "run",
        "boil_water",
        "--robot",
        "symbolic",
        "--no-pictures",
        "--pace",
        "30",
        "--database",
        str(log),
    ]
    process = subprocess.Popen(
        [sys.executable, "main.py", *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    assert process.stdout is not None
    assert any("▸" in line for line in process.stdout)  # the first step is under way, for 30 s
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=20)
    assert process.returncode == 1 and errors == ""
    with sqlite3.connect(log) as database:
        kinds = [k for (k,) in database.execute("select kind from record order by number")]
    assert {"StopRequested", "StandstillMeasured"} <= set(kinds) and kinds[-1] == "EpisodeEnded"


def test_that_doctor_names_a_data_folder_in_which_nothing_can_be_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr("core.log.database.fcntl.lockf", refuse)
    (found,) = (f for f in examine() if f.name == "Episode log")
    assert found.level == "wrong" and "no file can be locked" in found.found and "local disk" in found.mend
