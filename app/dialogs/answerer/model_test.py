"""Test a model with one real question about a picture; show the reply, its latency and its cost."""

from __future__ import annotations

import time

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.cli.doctor import DoctorFinding, model_findings
from app.controls.badge import Icon
from app.controls.button import Button
from app.controls.layout import clear_layout, column, label, row, wrap_layout
from app.runtime.background_task import BackgroundTask, Report
from app.theme import tokens as t
from core.stop_token import StopToken
from core.vqa.doctor import Diagnosis, diagnose_models
from core.vqa.registry import ModelSettings

SIGNS = {"fine": ("check", "muted"), "wrong": ("fault", "fault_fill")}
LETTERS = 160  # of a raw reply


class ModelTest(QWidget):
    """A Test button that becomes Cancel, and one line for each finding."""

    wanted = Signal()  # the button was pressed: whoever knows the model calls `start`

    def __init__(self) -> None:
        super().__init__()
        self._began = 0.0
        self._name = self._wait = ""
        self._work = BackgroundTask("model test")
        self._work.done.connect(self._found)
        self._work.progressed.connect(self._show_wait)
        self._button = Button("Test it", "pulse", height=t.H_CONTROL)
        self._button.activated.connect(self._pressed)
        self._words = label("sends one question with a picture, twice", "caption", "muted", wrap=True)
        self._lines = column(spacing=t.XS)
        self.setLayout(column(row(self._button, (self._words, 1)), self._lines, spacing=t.XS))
        self._tick = QTimer(self, interval=500)
        self._tick.timeout.connect(self._ticked)

    @property
    def running(self) -> bool:
        return self._work.running

    def start(self, name: str, model: str, prompt: str) -> None:
        self.reset()
        self._name, self._wait, self._began = name, "", time.monotonic()

        def ask(cancel: StopToken, report: Report) -> tuple[Diagnosis, ...]:
            return diagnose_models(name, ModelSettings(model, prompt, notify=report), cancel)

        self._work.start(ask)
        self._button.relabel("Cancel", "cross")
        self._tick.start()
        self._ticked()

    def reset(self) -> None:
        """Clear the findings and cancel a running test, because the choice has changed."""
        self._work.cancel()
        self._over("sends one question with a picture, twice")
        clear_layout(self._lines)

    def close_work(self) -> None:
        self._work.cancel()
        self._tick.stop()

    def fail(self, reason: str) -> None:
        """Show why the test cannot start."""
        self.reset()
        self._show(DoctorFinding("Model", "wrong", "", reason))

    def _pressed(self) -> None:
        if self.running:
            self.reset()
            self._words.setText("cancelled")
        else:
            self.wanted.emit()

    def _ticked(self) -> None:
        took = f"{time.monotonic() - self._began:.0f} s"
        self._words.setText(f"asking {self._name}, {took}" + (f": {self._wait}" if self._wait else ""))

    def _show_wait(self, wait: str) -> None:
        self._wait = wait
        self._ticked()

    def _over(self, words: str) -> None:
        self._tick.stop()
        self._words.setText(words)
        self._button.relabel("Test it", "pulse")

    def _found(self, result: object) -> None:
        if isinstance(result, Exception):
            self.fail(str(result))
            return
        diagnoses: tuple[Diagnosis, ...] = result  # type: ignore[assignment]
        good = all(d.ok for d in diagnoses)
        self._over("it works" if good else "something is wrong")
        for d in diagnoses:
            for finding in model_findings(d):
                self._show(finding)

    def _show(self, finding: DoctorFinding) -> None:
        icon, colour = SIGNS[finding.level]
        found = finding.found if len(finding.found) <= LETTERS else f"{finding.found[:LETTERS]}…"
        words = f"{finding.name}: " + ". ".join(filter(None, (found, finding.mend)))
        tone = "fault" if finding.level == "wrong" else "text"
        line = row(Icon(icon, colour, 14), (label(words, "small", tone, wrap=True), 1))
        self._lines.addWidget(wrap_layout(line))
