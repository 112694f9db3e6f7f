"""What a domain says is found out in a process of its own, and the screen goes on."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent

from app.dialogs.setup.domain_probe import probe_domain, probe_in_process
from core.config import Settings
from core.episode_state import Phase
from core.errors import Cancelled
from core.install_paths import ROOT
from core.stop_token import StopToken
from tests.app.conftest import Opened

DOMAIN = """(define (domain lamps)
  (:types lamp) (:predicates (lit ?l - lamp) (near ?a ?b - lamp))
  (:action switch_on :parameters (?l - lamp) :precondition (not (lit ?l)) :effect (lit ?l)))
"""


def lamps(folder: Path, count: int) -> Path:
    """A domain folder whose one problem has count x count facts."""
    names = [f"lamp{i}" for i in range(count)]
    near = "\n".join(f"(near {a} {b})" for a in names for b in names)
    folder.mkdir()
    (folder / "domain.pddl").write_text(DOMAIN)
    (folder / "problem.pddl").write_text(
        f"(define (problem evening) (:domain lamps) (:objects {' '.join(names)} - lamp)"
        f" (:init {near}) (:goal (lit lamp0)))"
    )
    return folder


def test_that_a_folder_says_its_tasks_its_goal_and_a_plan(tmp_path: Path) -> None:
    found = probe_domain(Settings(task="", domain=str(lamps(tmp_path / "lamps", 3))), StopToken())
    assert found.tasks == ("problem",) and found.robot == "symbolic"
    assert found.plan == ("switch on lamp0",) and "lamp0" in found.goal
    assert [check.state for check in found.checks] == ["ready"]


def test_that_a_task_that_is_gone_leaves_the_others_to_choose_from(tmp_path: Path) -> None:
    folder = lamps(tmp_path / "lamps", 2)
    assert probe_in_process(Settings(task="gone", domain=str(folder))).tasks == ("problem",)


def test_that_an_eye_that_cannot_answer_about_the_task_is_in_doubt() -> None:
    [plan, eye] = probe_in_process(Settings("halve_egg", answerer="eye", pictures=False)).checks
    assert (plan.state, eye.state) == ("ready", "doubt") and "the eye can answer nothing" in eye.text


def test_that_what_cannot_be_read_is_one_fault(tmp_path: Path) -> None:
    found = probe_domain(Settings(task="", domain=str(tmp_path / "nowhere")), StopToken())
    [check] = found.checks
    assert check.state == "fault" and "nowhere" in check.text and not found.tasks


def probes() -> int:
    """How many processes that this one has started read a domain."""
    found = 0
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has just ended
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            found += int(parent) == os.getpid() and "domain_probe" in (process / "cmdline").read_text()
    return found


def test_that_a_cancel_ends_the_process_that_reads(tmp_path: Path) -> None:
    folder, cancel = lamps(tmp_path / "lamps", 150), StopToken()
    dropped: list[float] = []

    def drop() -> None:
        while not probes():
            time.sleep(0.01)
        dropped.append(time.monotonic())
        cancel.end("dropped")

    threading.Thread(target=drop).start()
    with pytest.raises(Cancelled):
        probe_domain(Settings(task="", domain=str(folder)), cancel)
    assert time.monotonic() - dropped[0] < 3
    assert probes() == 0


def test_that_the_process_that_reads_needs_no_window() -> None:
    script = "import sys, app.dialogs.setup.domain_probe, app.cli.plan; print('PySide6' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "False\n", done.stderr


def test_that_esc_stops_at_once_while_a_large_problem_is_read(opened: Opened, tmp_path: Path) -> None:
    """Parsed on the screen's thread, these 0.4 MB held it up for two seconds and more."""
    folder = lamps(tmp_path / "lamps", 150)
    at = opened(preset="Watch", pace=60.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    at.do("setup")
    dialog = at.controller.dialog
    assert dialog is not None
    at.until(dialog.isVisible)
    stops: list[float] = []
    stop = at.controller.session.stop

    def timed(why: str) -> int:
        number = stop(why)
        stops.append(time.monotonic())
        return number

    at.controller.session.stop = timed  # type: ignore[method-assign]
    handle, none = dialog.windowHandle(), Qt.KeyboardModifier.NoModifier
    QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, none)  # the first one makes the keyboard, on this thread
    pressed: list[float] = []

    def press() -> None:
        pressed.append(time.monotonic())
        QCoreApplication.postEvent(handle, QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, none))

    threading.Timer(0.4, press).start()
    dialog.tasks.add_folder(str(folder))  # type: ignore[attr-defined]
    at.until(lambda: stops)
    assert stops[0] - pressed[0] < 0.5  # 0.001 on a quiet machine
    at.phase(Phase.STOPPED)


@pytest.mark.long
def test_that_the_engines_own_options_are_checked_with_the_first_plan() -> None:
    wrong = Settings(options={"engine.speed": "9"})
    (check,) = (c for c in probe_domain(wrong, StopToken()).checks if c.state == "fault")
    assert "no option 'speed'" in check.text
