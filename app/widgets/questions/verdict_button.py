"""A key of a card: Y, N or U."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QPushButton

from app.controls.painted import PaintedMixin
from app.controls.tooltip import set_tooltip
from app.theme import paint, styling


class VerdictButton(PaintedMixin, QPushButton):
    """Y, N or U on a card; the model's answer has a dotted edge, a person's a filled one."""

    def __init__(self, letter: str, word: str) -> None:
        super().__init__(letter)
        self.by_model = self.by_person = self.focused = False
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # the card has the focus; the letters are its keys
        self.setAccessibleName(f"Answer {word}")
        set_tooltip(self, f"{word} ({letter})")

    def draw(self, p: QPainter) -> None:
        w, h = self.width(), self.height()
        plain = "raised" if self.underMouse() else "surface" if self.focused else None
        ground = "accent" if self.by_person else plain
        edge = "edge" if self.by_model or self.focused else "hair"
        edge = "accent" if self.by_model and self.focused else edge
        paint.box(p, 0, 0, w, h, ground, None if self.by_person else edge)
        ink = "on_accent" if self.by_person else "ink" if self.by_model else "muted"
        paint.text(p, 0, 0, w, h, self.text(), "label", ink, paint.CENTRE)
        if self.by_model:
            p.setPen(Qt.PenStyle.NoPen)
            p.setBrush(
                styling.colour("on_accent" if self.by_person else "accent" if self.focused else "muted")
            )
            p.drawEllipse(QRectF(w - 8, 4, 4, 4))
