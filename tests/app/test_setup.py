"""Setting an episode up: whatever can be opened, and what is in the way, in a sentence."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from app.checks import Checker, look
from app.sheets.answerer import AnswererChoice
from core.cancel import Cancel
from core.config import Settings
from core.errors import Cancelled
from core.events import Result
from tests.app.conftest import SYMBOLIC, Driver, Opened

DOMAIN = """(define (domain lamps)
  (:requirements :strips :typing :negative-preconditions)
  (:types lamp)
  (:predicates (lit ?l - lamp))
  (:action switch_on :parameters (?l - lamp) :precondition (not (lit ?l)) :effect (lit ?l)))
"""
PROBLEM = """(define (problem evening) (:domain lamps)
  (:objects left right - lamp) (:init (lit left)) (:goal (and (lit left) (lit right))))
"""


@pytest.fixture
def lamps(tmp_path: Path) -> Path:
    folder = tmp_path / "lamps"
    folder.mkdir()
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "problem.pddl").write_text(PROBLEM)
    return folder


def setup(at: Driver) -> object:
    at.ready()
    at.do("setup")
    sheet = at.desk.sheet
    assert sheet is not None
    at.until(lambda: sheet._report is not None)
    return sheet


def test_that_any_domain_folder_can_be_opened_and_run(opened: Opened, lamps: Path) -> None:
    at = opened(preset="Watch")
    sheet = setup(at)
    sheet.files.folder.emit(str(lamps))
    at.until(lambda: sheet._report is not None and not sheet._report.blocked)
    assert "switch on right" in " ".join(sheet._report.plan)
    assert sheet.settings.robot == "symbolic"
    sheet._supervision.choose(0)
    at.key(Qt.Key.Key_Return)
    story = at.over()
    assert story.ended is not None and story.ended.result is Result.SUCCEEDED
    assert story.started is not None and story.started.domain == "lamps"


def test_that_a_pair_of_pddl_files_can_be_opened_in_any_order(opened: Opened, lamps: Path) -> None:
    at = opened(preset="Watch")
    sheet = setup(at)
    sheet.files.take([str(lamps / "problem.pddl"), str(lamps / "domain.pddl")])
    at.until(lambda: sheet._report is not None and not sheet._report.blocked)
    settings = sheet.settings
    assert settings.domain_file.endswith("domain.pddl") and settings.problem_file.endswith("problem.pddl")
    sheet._start()
    assert at.over().counts.steps == 1


def test_that_one_file_alone_is_not_enough_and_that_is_said(opened: Opened, lamps: Path) -> None:
    at = opened()
    sheet = setup(at)
    sheet.files.take([str(lamps / "problem.pddl")])
    assert "one domain and one problem" in sheet.hint.text()


@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("domain.pddl", DOMAIN.replace("(lit ?l)))", "(glows ?l)))"), "glows"),
        ("domain.pddl", "(define (domain", "domain.pddl"),
        ("problem.pddl", PROBLEM.replace("right - lamp", "right - cat"), "cat"),
    ],
)
def test_that_a_broken_domain_says_what_is_wrong_and_cannot_be_started(
    opened: Opened, lamps: Path, file: str, text: str, said: str
) -> None:
    (lamps / file).write_text(text)
    at = opened()
    sheet = setup(at)
    sheet.files.folder.emit(str(lamps))
    at.until(lambda: sheet._report is not None and sheet._report.blocked)
    assert said in sheet._report.blocked and "\n" not in sheet._report.blocked
    assert not sheet.start.isEnabled() and sheet.start.toolTip() == sheet._report.blocked


def test_that_a_goal_out_of_reach_is_a_doubt_and_no_refusal(tmp_path: Path, lamps: Path) -> None:
    unlit = PROBLEM.replace("(lit right)))", "(not (lit left))))")
    (lamps / "problem.pddl").write_text(unlit)
    report = look(Settings(task="", domain=str(lamps)), 1, Cancel(), tmp_path)
    plan = next(c for c in report.checks if c.name == "Plan")
    assert plan.state == "doubt" and "No plan" in plan.words
    assert not report.blocked


def test_that_a_model_without_a_key_is_refused_with_the_way_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("core.asking.keys._from_keyring", lambda name: "")
    report = look(Settings(answerer="openai"), 1, Cancel(), tmp_path)
    assert "OPENAI_API_KEY" in report.blocked


def test_that_only_the_latest_settings_are_reported(qtbot: QtBot, tmp_path: Path) -> None:
    checker = Checker(tmp_path)
    reports = []
    checker.found.connect(reports.append)
    for seed in range(5):
        last = checker.look(Settings(seed=seed))
    qtbot.waitUntil(lambda: any(r.ticket == last for r in reports), timeout=20_000)
    assert reports[-1].ticket == last
    for thread in [t for t in threading.enumerate() if t.name == "set-up checks"]:
        thread.join(10)


def test_that_a_dropped_look_ends(tmp_path: Path) -> None:
    cancel = Cancel()
    cancel.end("dropped")
    with pytest.raises(Cancelled):
        look(Settings(), 1, cancel, tmp_path)


@pytest.mark.parametrize("name", ["perfect", "openai", "ollama:llava:13b", "http://localhost:9/v1"])
def test_that_an_answerer_comes_out_as_it_went_in(qtbot: QtBot, name: str) -> None:
    choice = AnswererChoice(name)
    qtbot.addWidget(choice)
    assert choice.name == name


def test_that_a_key_is_never_in_the_settings_and_is_forgotten(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept: dict[str, str] = {}
    monkeypatch.setattr("keyring.set_password", lambda service, name, key: kept.update({name: key}))
    choice = AnswererChoice("openai")
    qtbot.addWidget(choice)
    choice.fields._key.setText("sk-secret")
    assert "sk-secret" not in choice.name
    choice.keep_key()
    assert kept == {"openai": "sk-secret"} and choice.fields._key.text() == ""


def test_that_the_set_up_of_a_running_episode_is_for_the_next_one(opened: Opened) -> None:
    at = opened(settings=SYMBOLIC, preset="Approve")
    at.start("Approve")
    at.until(lambda: at.story.live)
    episode = at.story.episode
    at.do("setup")
    sheet = at.desk.sheet
    assert sheet is not None
    sheet._task.setCurrentText("halve_egg")
    at.until(lambda: sheet._report is not None and not sheet._report.blocked)
    sheet._use()
    at.qtbot.wait(50)
    assert at.story.episode == episode and at.story.live
    at.do("end")
    at.over()
    at.do("start")
    at.until(lambda: at.story.started is not None and at.story.started.task == "halve_egg")
