"""Test a model with one real question about a picture; show the reply, its latency and its cost."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.cli.doctor import DoctorFinding, model_findings
from app.controls.button import Button
from app.controls.layout import column, label, row
from app.controls.text_rows import TextRow, TextRows
from app.runtime.background_task import BackgroundTask
from app.theme import tokens as t
from core.text.untrusted_text import one_line
from core.vqa.doctor import diagnose_models
from core.vqa.registry import ModelSettings

HINT = "asks ten questions about a picture"
LETTERS = 160  # of a raw reply


class ModelTest(QWidget):
    """A Test button that becomes Cancel, and one line for each finding."""

    wanted = Signal()  # the button was pressed: whoever knows the model calls `start`

    def __init__(self) -> None:
        super().__init__()
        self._work = BackgroundTask("model test")
        self._work.done.connect(self._found)
        self._button, self._words = Button(height=t.H_CONTROL), label("", "caption", "muted", wrap=True)
        self._work.progressed.connect(self._words.setText)  # what it waits for
        self._button.activated.connect(lambda: self.stop("cancelled") if self.running else self.wanted.emit())
        self._lines = TextRows("What the test found", role="small")
        self.setLayout(column(row(self._button, (self._words, 1)), self._lines, spacing=t.XS))
        self.stop()

    @property
    def running(self) -> bool:
        return self._work.running

    def start(self, name: str, model: str, prompt: str) -> None:
        self.stop(f"asking {name}")
        self._button.relabel("Cancel", "cross")
        self._work.start(
            lambda cancel, report: diagnose_models(name, ModelSettings(model, prompt, notify=report), cancel)
        )

    def stop(self, words: str = HINT) -> None:
        """Clear the findings and cancel a running test."""
        self._work.cancel()
        self._words.setText(words)
        self._button.relabel("Test it", "pulse")
        self._lines.show_rows(())

    def fail(self, reason: str) -> None:
        """Show why the test cannot start."""
        self.stop()
        self._lines.show_rows([TextRow(reason, "", "fault", "fault", "fault_fill")])

    def _found(self, result: object) -> None:
        if not isinstance(result, tuple):
            self.fail(str(result))
            return
        self.stop("it works" if all(one.ok for one in result) else "something is wrong")
        findings = (finding for one in result for finding in model_findings(one))
        self._lines.show_rows([_row(finding) for finding in findings])


def _row(finding: DoctorFinding) -> TextRow:
    said = ". ".join(filter(None, (one_line(finding.found, LETTERS), finding.mend)))
    wrong = finding.level == "wrong"
    look = ("fault", "fault", "fault_fill") if wrong else ("check", "text", "muted")
    return TextRow(f"{finding.name}: {said}", "", *look)
