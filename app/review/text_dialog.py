"""A dialog that asks for one line of text."""

from __future__ import annotations

from PySide6.QtCore import QSize, Signal

from app.controls.layout import column, label
from app.controls.text import TextField
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.theme import styling
from app.theme import tokens as t


class TextDialog(OverlayDialog):
    entered = Signal(str)

    def __init__(self, window: MainWindow, title: str, hint: str, name: str, text: str, done: str) -> None:
        super().__init__(window, title, hint, QSize(560, 190))
        self.line = TextField(text, name)
        self.line.setFont(styling.font("body"))
        self.line.selectAll()
        words = label(name, "small", "muted")
        self.set_body(column(words, self.line, 1, spacing=t.XS, margins=(t.XL, t.L, t.XL, 0)))
        self.button("Cancel", self.reject)
        self.button(done, self._done, key="Enter", primary=True)
        self.on_enter = self._done
        self.line.setFocus()

    def _done(self) -> None:
        if self.line.text().strip():
            self.entered.emit(self.line.text().strip())
            self.accept()
