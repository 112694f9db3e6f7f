"""Show what works in the background, how far it is, and Cancel."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.button import ToolButton
from app.controls.layout import label, row
from app.theme import tokens as t


class ProgressLine(QWidget):
    """Hidden while nothing works."""

    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.label, self.cancel = label("", "small", "muted"), ToolButton("close", "Cancel")
        self.cancel.clicked.connect(lambda: self.cancelled.emit())
        self.setLayout(row(self.label, self.cancel, spacing=t.S))
        self.hide()

    def show_progress(self, what: str, done: int = 0, of: int = 0) -> None:
        """Show what works and how far it is, of how much if that is known; "" when nothing does."""
        self.label.setText(f"{what} {done} of {of}" if of else f"{what} {done}" if done else what)
        self.setVisible(bool(what))
