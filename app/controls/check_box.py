"""A check box with a label and a muted description."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QCheckBox, QSizePolicy

from app.controls.tooltip import set_tooltip
from app.theme import icons, paint
from app.theme import tokens as t

BOX = 16


class CheckBox(QCheckBox):
    def __init__(self, words: str, description: str = "", on: bool = False) -> None:
        super().__init__(words)
        self.description = description
        self.setChecked(on)
        self.setFixedHeight(t.H_CONTROL)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(words)
        self.setAccessibleDescription(description)
        set_tooltip(self, description)

    def sizeHint(self) -> QSize:
        wide = (
            BOX
            + t.S
            + paint.width(self.text(), "label")
            + t.S
            + paint.width(self.description, "caption")
            + t.XS
        )
        return QSize(round(wide), t.H_CONTROL)

    minimumSizeHint = sizeHint

    def hitButton(self, pos: QPoint) -> bool:
        return bool(self.rect().contains(pos))

    def paintEvent(self, _: QPaintEvent) -> None:
        with paint.painter(self) as p:
            h, on = self.height(), self.isChecked()
            y = (h - BOX) / 2
            ink = "ink" if self.isEnabled() else "faint"
            edge = "accent" if self.hasFocus() or on else "muted" if self.underMouse() else "edge"
            edge = edge if self.isEnabled() else "hair"
            ground = "sunken" if not on else "accent" if self.isEnabled() else "faint"
            paint.box(p, 0, y, BOX, BOX, ground, edge, 3, 2 if self.hasFocus() else 1)
            if on:
                icons.draw(p, "check", 1, y + 1, BOX - 2, "on_accent")
            x = float(BOX + t.S)
            x += paint.text(p, x, 0, self.width() - x, h, self.text(), "label", ink) + t.S
            paint.text(p, x, 0, self.width() - x, h, self.description, "caption", "muted")
            if on and self.hasFocus():
                paint.box(p, 2, y + 2, BOX - 4, BOX - 4, None, "on_accent", 2)
