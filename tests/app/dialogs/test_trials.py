"""Trials from the window: in a process of their own, stopped and started again, and the table fills."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing, suppress

import pytest

from app.dialogs.trials.trial_run import RunState, TrialProgress, TrialRun
from app.dialogs.trials.trials_dialog import TrialsDialog, design_in_words, status
from app.presentation.formatting import method_title
from core.install_paths import ROOT
from tests.app.conftest import Driver, Opened

PATIENCE = 60_000  # ms: processes that start on a busy machine


@pytest.fixture(autouse=True)
def one_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    """To start another takes longer than these trials."""
    words = TrialsDialog._words
    monkeypatch.setattr(TrialsDialog, "_words", lambda dialog: (*words(dialog), "--workers", "1"))


def dialog_of(at: Driver, methods: str, tasks: str, trials: int) -> TrialsDialog:
    at.ready()
    at.do("trials")
    dialog = at.controller.dialog
    assert isinstance(dialog, TrialsDialog)
    for box in (*dialog._methods, *dialog._tasks):
        box.setChecked(box.objectName() in (*methods.split(","), *tasks.split(",")))
    dialog._trials.setValue(trials)
    return dialog


def wait(at: Driver, run: TrialRun, *states: RunState) -> None:
    at.qtbot.waitUntil(lambda: run.state in states, timeout=PATIENCE)


def stored(run: TrialRun) -> int:
    with closing(sqlite3.connect(run.database)) as file:
        return int(file.execute("select count(*) from trial").fetchone()[0])


def alive(pid: int) -> bool:
    with suppress(OSError):
        os.kill(pid, 0)
        return True
    return False


@pytest.mark.long
def test_that_an_experiment_sweeps_and_its_table_and_report_stand_in_the_end(opened: Opened) -> None:
    at = opened()
    dialog = dialog_of(at, "dkprompt,classical", "halve_egg", 1)
    run = dialog._run
    for box in dialog._profiles:
        box.setChecked(box.objectName() in ("perfect", "skips"))
    dialog._openness.setText("0, 1")
    assert "2 methods, 1 task, 2 answerers, 2 openness: 8 trials" in dialog._status.text()
    dialog._accuracy.setText("0.5")
    assert "1 answerer, 2 openness: 4 trials" in dialog._status.text()
    assert not any(box.isEnabled() for box in dialog._profiles)
    dialog._accuracy.clear()
    assert not dialog._report.isEnabled()
    dialog._go.click()
    assert not dialog._choices.isEnabled() and dialog._go.text() == "Stop"
    wait(at, run, RunState.DONE, RunState.FAILED)
    assert (run.state, run.progress.done, run.progress.total) == (RunState.DONE, 8, 8)
    swept = [("perfect", 0.0), ("skips", 0.0), ("perfect", 1.0), ("skips", 1.0)]
    for method in ("dkprompt", "classical"):
        lines = [line for line in run.progress.lines if line.method == method]
        assert [(line.profile, line.openness) for line in lines] == swept
    model = dialog._results
    rows = [[model.index(r, c).data() for c in range(6)] for r in range(model.rowCount())]
    told = [
        [method_title(line.method), line.profile, f"{line.openness:g}", "1"] for line in run.progress.lines
    ]
    assert [row[:4] for row in rows] == told
    line = run.progress.lines[0]
    assert rows[0][4:] == [f"{100 * line.rate:.1f} %", f"{100 * line.low:.0f} to {100 * line.high:.0f}"]
    report = run.report.read_text()
    assert dialog._report.isEnabled() and "dkprompt" in report and "Against openness" in report
    assert dialog._choices.isEnabled() and stored(run) == 8


@pytest.mark.long
def test_that_it_stops_goes_on_while_the_dialog_is_closed_and_ends_with_the_window(
    opened: Opened,
) -> None:
    at = opened()
    dialog = dialog_of(at, "dkprompt,classical", "halve_egg", 1000)
    run = dialog._run
    dialog._go.click()
    at.qtbot.waitUntil(lambda: run.progress.done >= 2, timeout=PATIENCE)
    dialog._go.click()
    wait(at, run, RunState.STOPPED)
    before = run.progress.done
    assert 2 <= before == stored(run) < 2000 and dialog._go.text() == "Start" and dialog._choices.isEnabled()
    dialog._go.click()
    dialog.reject()
    at.qtbot.waitUntil(lambda: run.progress.done > before, timeout=PATIENCE)  # with those before the stop
    at.do("trials")
    again = at.controller.dialog
    assert isinstance(again, TrialsDialog) and again._run is run and again._results.rows
    assert again._words() == run.arguments
    pid = run._process.processId()
    at.window.close()
    assert not alive(pid) and before < stored(run) < 2000


def test_that_a_window_started_with_ctrl_c_ignored_stops_them_at_once(opened: Opened) -> None:
    """As after `nohup`: programs it starts would ignore it too, and would have to be killed."""
    at = opened()
    dialog = dialog_of(at, "classical", "halve_egg", 1000)
    run = dialog._run
    run._patience.setInterval(2 * PATIENCE)  # it is not killed
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        dialog._go.click()
    finally:
        signal.signal(signal.SIGINT, before)
    dialog._go.click()
    wait(at, run, RunState.STOPPED)
    assert dialog._choices.isEnabled()


@pytest.mark.long
def test_that_what_cannot_start_is_said_and_the_time_left_is_told(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = opened()
    dialog = dialog_of(at, "classical", "halve_egg", 1)
    run = dialog._run
    assert dialog._go.isEnabled()
    openness = dialog._openness.text()
    dialog._openness.clear()
    assert not dialog._go.isEnabled() and dialog._status.text() == design_in_words((1, 1, 1, 0), 1)
    dialog._openness.setText(openness)
    monkeypatch.setattr(dialog, "_words", lambda: ("--methods", "clasical"))
    dialog._go.click()
    wait(at, run, RunState.FAILED)
    assert "did you mean classical" in dialog._status.text()
    assert dialog._go.text() == "Start" and dialog._go.isEnabled()
    run.state, run.progress = RunState.RUNNING, TrialProgress(30, 120, 1, (), 95.0)
    assert status(run) == "30 of 120 trials, 1 lost; 1:35 left"
    assert (ROOT / "main.py").is_file()
