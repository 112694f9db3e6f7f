"""One line in which a person says what is unusual now; Enter tells it."""

from __future__ import annotations

from PySide6.QtCore import Signal

from app.controls.button import Button, ToolButton
from app.controls.layout import Surface, row
from app.controls.text import TextField
from app.theme import styling
from app.theme import tokens as t
from core.text.untrusted_text import one_line

HINT = "Such as: the cup is dirty"
LOOK = "Ask the model what is unusual in the picture; it counts if you say that it is so"
MOST = 200  # characters of a sentence


class SituationLine(Surface):
    submitted = Signal(str)  # a sentence on one line; "": a model shall say what it sees

    def __init__(self) -> None:
        super().__init__("surface", "t")
        self.line = TextField("", "What is unusual now, in a sentence")
        self.line.setPlaceholderText(HINT)
        self.line.setMaxLength(MOST)
        self.line.setFont(styling.font("small"))
        self.line.setFixedHeight(t.H_CONTROL)
        self.line.returnPressed.connect(self._submit)
        self.button = Button("Tell", key="D", height=t.H_CONTROL)
        self.look = ToolButton("eye", LOOK)
        self.look.clicked.connect(lambda: self.submitted.emit(""))
        self.setLayout(row((self.line, 1), self.look, self.button, margins=(t.M, 6, t.M, 6)))
        self.button.clicked.connect(lambda: self._submit() if self.line.text().strip() else self.enter())

    def enter(self) -> None:
        self.line.setFocus()
        self.line.selectAll()

    def set_reason(self, reason: str) -> None:
        """Disable the line for this reason; "" enables it."""
        self.setEnabled(not reason)
        self.line.setPlaceholderText(f"Not now: {reason}" if reason else HINT)

    def _submit(self) -> None:
        if sentence := one_line(self.line.text(), MOST):
            self.line.clear()
            self.window().setFocus()  # so that the keys decide again
            self.submitted.emit(sentence)
