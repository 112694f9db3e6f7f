"""Choose an experiment, run it beside everything else, and read its table while it fills."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLayout, QProgressBar

from app.controls.input_fields import CheckBox, ComboBox, decimal, number
from app.controls.layout import Separator, column, label, row, scroll_area, set_tone, wrap_layout
from app.dialogs.overlay_dialog import OverlayDialog
from app.dialogs.trials.trial_run import RunState, TrialRun
from app.dialogs.trials.trial_table import TrialTable
from app.main_window import MainWindow
from app.presentation.formatting import clock, plural
from app.theme import tokens as t
from core.config import OPENNESS_LIMIT, Settings
from core.domains import DomainSpec
from core.errors import ConsoleError
from core.evaluation import paper
from core.methods.registry import METHODS
from core.planning.domain_library import domain_of_task, load_domain_spec
from core.vqa.answerers.profiles import profile_names

LEFT, MOST = 296, 1000
SHOWN_FIRST = ("dkprompt", "eff-only", "classical")  # of the methods


class TrialsDialog(OverlayDialog):
    """Shows one `TrialRun`, which outlives it. Esc closes this and stops any motion, but not the trials."""

    def __init__(self, window: MainWindow, run: TrialRun, settings: Settings) -> None:
        hint = "many simulated episodes with nobody at the gate; they go on when this is closed"
        super().__init__(window, "Trials", hint, QSize(1180, 680))
        self._run = run
        folder = _folder(settings)
        self._domain = settings.domain
        tasks = tuple(folder.tasks) if folder else (settings.task,)
        self._methods = [CheckBox(name, on=name in SHOWN_FIRST) for name in METHODS.names()]
        known = [task for task in paper.TASKS if task in tasks] or list(tasks[:1])
        self._tasks = [CheckBox(name, on=name in known) for name in tasks]
        self._profile = ComboBox("Answers", 160)
        self._profile.addItems(list(profile_names()))
        self._profile.setCurrentText(paper.MAIN_PROFILE)
        self._openness = decimal("Openness", 0, OPENNESS_LIMIT, 1.0, 0.25)
        self._trials = number("Trials of each method and task", 1, MOST, 20)
        self._reuse = CheckBox("Reuse finished trials", on=True)
        self._status = label("", "body", "text")
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName("Trials done")
        self._table = TrialTable()
        self._report = self.button("Open the report", "page")
        self._report.activated.connect(self._open_report)
        self._cancel = self.button("Cancel")
        self._cancel.activated.connect(run.cancel)
        self._go = self.button("Start", "play", primary=True)
        self._go.activated.connect(self._act)
        self.set_body(self._layout())
        run.changed.connect(self._display)
        for box in (*self._methods, *self._tasks):
            box.toggled.connect(self._display)
        self._display()

    def _layout(self) -> QLayout:
        choices = column(
            label("Methods", "strong", "ink"),
            *self._methods,
            Separator(),
            label("Tasks", "strong", "ink"),
            *self._tasks,
            1,
            margins=(t.XL, t.M, t.S, t.M),
        )
        fields = column(
            row(label("Answers"), 1, self._profile),
            row(label("Openness"), 1, self._openness),
            row(label("Trials of each"), 1, self._trials),
            self._reuse,
            spacing=t.S,
            margins=(t.XL, t.M, t.M, t.M),
        )
        self._choices = wrap_layout(column(scroll_area(wrap_layout(choices)), Separator(), fields))
        self._choices.setFixedWidth(LEFT)
        top = column(self._status, self._bar, spacing=t.S, margins=(t.L, t.M, t.L, t.M))
        results = column(top, Separator(), self._table)
        return row(self._choices, Separator(vertical=True), (results, 1), spacing=0)

    def _act(self) -> None:
        match self._run.state:
            case RunState.RUNNING:
                self._run.pause()
            case RunState.PAUSED:
                self._run.resume()
            case RunState.ENDING:
                pass
            case _:
                self._run.start(self._words(), self._reuse.isChecked())

    def _words(self) -> tuple[str, ...]:
        """Return the choices as options of `bench`."""
        domain = ("--domain", self._domain) if self._domain else ()
        return (
            *("--methods", ",".join(_chosen(self._methods)), "--tasks", ",".join(_chosen(self._tasks))),
            *("--profile", self._profile.currentText(), "--openness", f"{self._openness.value():g}"),
            *("--trials", str(self._trials.value()), *domain),
        )

    def _display(self) -> None:
        run, state = self._run, self._run.state
        busy = state in (RunState.RUNNING, RunState.ENDING, RunState.PAUSED)
        self._choices.setEnabled(not busy)
        words = {RunState.RUNNING: ("Pause", "pause"), RunState.PAUSED: ("Resume", "play")}
        self._go.relabel(*words.get(state, ("Start", "play")))
        chosen = _chosen(self._methods) and _chosen(self._tasks)
        self._go.setEnabled(bool(busy or chosen) and state is not RunState.ENDING)
        self._cancel.setEnabled(state in (RunState.RUNNING, RunState.PAUSED))
        written = state not in (RunState.RUNNING, RunState.ENDING)
        self._report.setEnabled(written and run.report.exists())
        self._bar.setRange(0, max(1, run.progress.total))
        self._bar.setValue(run.progress.done)
        self._status.setText(status(run))
        set_tone(self._status, "fault" if state is RunState.FAILED else "text")
        self._table.show_lines(run.progress.lines)

    def _open_report(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._run.report)))


def status(run: TrialRun) -> str:
    """Return in one line how far an experiment is."""
    seen = run.progress
    counted = f"{seen.done} of {plural(seen.total, 'trial')}" + (f", {seen.lost} lost" if seen.lost else "")
    match run.state:
        case RunState.IDLE:
            return "Choose methods and tasks. All of them get the same luck."
        case RunState.FAILED:
            return f"The trials ended: {run.fault}"
        case RunState.RUNNING if not seen.total:
            return "Starting…"
        case RunState.RUNNING:
            left = "" if seen.seconds_left is None else f"; {clock(seen.seconds_left)} left"
            return f"{counted}{left}"
        case RunState.ENDING:
            return f"{counted}; ending…"
        case RunState.PAUSED:
            return f"{counted}; paused. Finished trials are kept, also when the console is closed."
        case RunState.DONE:
            return f"{counted}; done"


def _chosen(boxes: Sequence[CheckBox]) -> list[str]:
    return [box.text() for box in boxes if box.isChecked()]


def _folder(settings: Settings) -> DomainSpec | None:
    """Return the domain folder of the set-up, None if it cannot be read."""
    try:
        return load_domain_spec(settings.domain or domain_of_task(settings.task or Settings().task))
    except ConsoleError:
        return None
