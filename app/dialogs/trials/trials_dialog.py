"""Choose an experiment, run it beside everything else, and read its table while it fills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import prod

from PySide6.QtCore import QSize, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QAbstractItemView, QLayout, QProgressBar

from app.controls.input_fields import CheckBox
from app.controls.layout import Separator, column, label, row, scroll_area, set_tone, wrap_layout
from app.controls.number_fields import WholeField, typing_fault
from app.controls.rows import Cell, RowLook, RowsModel, RowsTable
from app.controls.text import TextField
from app.controls.tooltip import set_tooltip
from app.dialogs.overlay_dialog import OverlayDialog
from app.dialogs.trials.trial_run import RunState, TrialRun
from app.main_window import MainWindow
from app.presentation.formatting import clock, method_title, spaced
from app.theme import tokens as t
from core.config import Settings
from core.domains import DomainSpec
from core.errors import BadValue, ConsoleError
from core.evaluation import paper
from core.evaluation.table import ResultRow
from core.methods.registry import METHODS
from core.planning.domain_library import domain_of_task, load_domain_spec
from core.text.numbers import read_numbers
from core.text.plural import plural
from core.text.untrusted_text import one_line
from core.vqa.answerers.profiles import profile_names

COLUMNS = ("method", "answers", "openness", "trials", "success", "95 %", "believed", "false", "steps")
WIDTHS = (0, 0, 60, 42, 60, 70, 58, 38, 44)
BOLD = ("method", "success")


def row_look(row: ResultRow) -> RowLook:
    texts = (
        one_line(method_title(row.method), 60),
        one_line(row.profile, 60),
        f"{row.openness:g}",
        str(row.trials),
        f"{100 * row.rate:.1f} %",
        f"{100 * row.low:.0f} to {100 * row.high:.0f}",
        str(row.believed),
        str(row.false_claims),
        f"{row.steps:.1f}",
    )
    named = tuple(zip(COLUMNS, texts, strict=True))
    looks = {True: Cell(tone="ink", font="strong"), False: Cell()}
    cells = (replace(looks[head in BOLD], text=text, right=head in COLUMNS[2:]) for head, text in named)
    return RowLook(tuple(cells), ", ".join(map(": ".join, named)))


LEFT, MOST = 392, 1000
SHOWN_FIRST = ("dkprompt", "careful", "classical")  # of the methods
SAME_SEEDS = "All methods get the same random seeds."


class TrialsDialog(OverlayDialog):
    """Shows one `TrialRun`, which outlives it. Esc closes this and stops any motion, but not the trials."""

    def __init__(self, window: MainWindow, run: TrialRun, settings: Settings) -> None:
        hint = "many simulated episodes, unattended; they continue if you close this"
        super().__init__(window, "Trials", hint, QSize(1180, 680))
        self._run = run
        folder = _folder(settings)
        self._domain = settings.domain
        tasks = tuple(folder.tasks) if folder else (settings.task,)
        known = [task for task in paper.TASKS if task in tasks] or list(tasks[:1])
        # An experiment goes on, or is done.
        before = dict(zip(run.arguments[::2], run.arguments[1::2], strict=True))
        titles = {entry.name: entry.title for entry in METHODS}
        self._methods = _boxes(titles, before.get("--methods"), SHOWN_FIRST)
        self._tasks = _boxes({task: spaced(task) for task in tasks}, before.get("--tasks"), known)
        profiles = {name: name for name in profile_names()}
        self._profiles = _boxes(profiles, before.get("--profile"), (paper.MAIN_PROFILE,))
        self._openness = TextField(before.get("--openness", "1"), "Openness, several by commas")
        self._accuracy = TextField(before.get("--accuracy", ""), "Accuracy, in place of the answers above")
        self._accuracy.setPlaceholderText("as above")
        set_tooltip(self._openness, "How often things go wrong, 0 to 1.75; several by commas")
        set_tooltip(self._accuracy, "Answers that are right so often, 0 to 1; several by commas")
        self._trials = WholeField("Trials of each", 1, MOST, int(before.get("--trials", "20")))
        self._reuse = CheckBox("Reuse finished trials", on=True)
        self._status = label("", "body", "text", wrap=True)
        self._bar = QProgressBar(textVisible=False)
        self._bar.setAccessibleName("Trials done")
        self._results = RowsModel(row_look, COLUMNS)
        self._table = RowsTable(self._results, "Results", WIDTHS)
        self._table.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        url = QUrl.fromLocalFile(str(run.report))
        self._report = self.button("Open the report", lambda: QDesktopServices.openUrl(url), "page")
        self.button("Close", self.accept)
        self._go = self.button("Start", self._act, "play", primary=True)
        self.set_body(self._layout())
        run.changed.connect(self._display)
        for box in (*self._methods, *self._tasks, *self._profiles):
            box.toggled.connect(self._display)
        for field in (self._openness, self._accuracy):
            field.textChanged.connect(self._display)
        self._trials.valueChanged.connect(self._display)
        self._display()

    def _layout(self) -> QLayout:
        methods, tasks = _group("Methods", self._methods), _group("Tasks", self._tasks)
        groups = (methods, Separator(), tasks, Separator(), _group("Answers", self._profiles))
        choices = column(*groups, 1, margins=(t.XL, t.XS, t.S, t.XS))
        numbers = row(label("Openness"), (self._openness, 1), label("Accuracy"), (self._accuracy, 1))
        trials = row(label("Trials of each"), self._trials, 1, self._reuse)
        fields = column(numbers, trials, spacing=t.S, margins=(t.XL, t.M, t.M, t.M))
        self._choices = wrap_layout(column(scroll_area(wrap_layout(choices)), Separator(), fields))
        self._choices.setFixedWidth(LEFT)
        top = column(self._status, self._bar, spacing=t.S, margins=(t.L, t.M, t.L, t.M))
        results = column(top, Separator(), row(self._table, margins=(0, 0, t.S, 0)))
        return row(self._choices, Separator(vertical=True), (results, 1), spacing=0)

    def _act(self) -> None:
        if self._run.state is RunState.RUNNING:
            self._run.stop()
        else:
            self._run.start(self._words(), self._reuse.isChecked())

    def _words(self) -> tuple[str, ...]:
        """Return the choices as options of `bench`."""
        domain = ("--domain", self._domain) if self._domain else ()
        return (
            *("--methods", ",".join(_chosen(self._methods)), "--tasks", ",".join(_chosen(self._tasks))),
            *("--profile", ",".join(_chosen(self._profiles)), "--accuracy", self._accuracy.text()),
            *("--openness", self._openness.text(), "--trials", str(self._trials.value()), *domain),
        )

    def _display(self) -> None:
        run, state = self._run, self._run.state
        busy = state in (RunState.RUNNING, RunState.ENDING)
        self._choices.setEnabled(not busy)
        self._go.relabel(*(("Stop", "stop") if state is RunState.RUNNING else ("Start", "play")))
        answered = _parts(self._accuracy) or _chosen(self._profiles)
        chosen: list[Sequence[object]] = [_chosen(self._methods), _chosen(self._tasks)]
        chosen += [answered, _parts(self._openness)]
        for box in self._profiles:
            box.setEnabled(not self._accuracy.text().strip())
        fault = self._typing_fault()
        ready = all(chosen) and not fault
        self._go.setEnabled((busy or ready) and state is not RunState.ENDING)
        self._report.setEnabled(not busy and run.report.exists())
        self._bar.setRange(0, max(1, run.progress.total))
        self._bar.setValue(run.progress.done)
        idle = design_in_words(tuple(map(len, chosen)), self._trials.value())
        self._status.setText(fault or (idle if state is RunState.IDLE else status(run)))
        set_tone(self._status, "fault" if fault or state is RunState.FAILED else "text")
        self._results.show_rows(run.progress.lines)

    def _typing_fault(self) -> str:
        """Return in a sentence which number cannot be read, "" if all can."""
        for name, field in (("Openness", self._openness), ("Accuracy", self._accuracy)):
            try:
                read_numbers(field.text())
            except BadValue as error:
                return f"{name}: {error}"
        return typing_fault(self)


def status(run: TrialRun) -> str:
    """Return in one line how far an experiment is."""
    seen = run.progress
    counted = f"{seen.done} of {plural(seen.total, 'trial')}" + (f", {seen.lost} lost" if seen.lost else "")
    match run.state:
        case RunState.IDLE:
            return ""
        case RunState.FAILED:
            return f"The trials ended: {run.fault}"
        case RunState.RUNNING if not seen.total:
            return "Starting…"
        case RunState.RUNNING:
            left = "" if seen.seconds_left is None else f"; {clock(seen.seconds_left)} left"
            return f"{counted}{left}"
        case RunState.ENDING:
            return f"{counted}; ending…"
        case RunState.STOPPED:
            return f"{counted}; stopped. Finished trials are kept: Start goes on with them."
        case RunState.DONE:
            return f"{counted}; done"


def design_in_words(counts: tuple[int, ...], trials: int) -> str:
    """Return how many trials are chosen; `counts` are of methods, tasks, answerers and openness."""
    if not all(counts):
        return f"Choose methods, tasks, answers and openness. {SAME_SEEDS}"
    kinds = zip(counts, ("method", "task", "answerer", "openness"), strict=True)
    words = (f"{n} {kind}" if kind == "openness" else plural(n, kind) for n, kind in kinds)
    return f"{', '.join(words)}: {plural(prod(counts) * trials, 'trial')}. {SAME_SEEDS}"


def _boxes(titles: Mapping[str, str], before: str | None, usual: Sequence[str]) -> list[CheckBox]:
    """Return a box for each name, with its title."""
    on = usual if before is None else before.split(",")
    boxes = [CheckBox(title, on=name in on) for name, title in titles.items()]
    for box, name in zip(boxes, titles, strict=True):
        box.setObjectName(name)
    return boxes


def _group(title: str, boxes: Sequence[CheckBox]) -> QLayout:
    """Return a heading and the boxes in two columns, to be read downwards."""
    half = (len(boxes) + 1) // 2
    halves = row((column(*boxes[:half]), 1), (column(*boxes[half:], 1), 1))
    return column(label(title, "strong", "ink"), halves, margins=(0, t.S, 0, t.S))


def _parts(field: TextField) -> tuple[float, ...]:
    try:
        return read_numbers(field.text())
    except BadValue:
        return ()


def _chosen(boxes: Sequence[CheckBox]) -> list[str]:
    return [box.objectName() for box in boxes if box.isChecked()]


def _folder(settings: Settings) -> DomainSpec | None:
    """Return the domain folder of the set-up, None if it cannot be read."""
    try:
        return load_domain_spec(settings.domain or domain_of_task(settings.task or Settings().task))
    except ConsoleError:
        return None
