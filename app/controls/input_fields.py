"""A combo box and a number field with the sizes of the design tokens."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QDoubleSpinBox, QSpinBox

from app.theme import icons, paint, styling
from app.theme import tokens as t


class ComboBox(QComboBox):
    """A painted combo box, whose width does not depend on its longest item."""

    def __init__(self, name: str, width: int = 120) -> None:
        super().__init__()
        self._least = width
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setFixedHeight(t.H_CONTROL)
        self.setFont(styling.font("body"))

    def sizeHint(self) -> QSize:
        return QSize(self._least, t.H_CONTROL)

    minimumSizeHint = sizeHint

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # a scroll past it changes nothing

    def paintEvent(self, _: QPaintEvent) -> None:
        with paint.painter(self) as p:
            w, h, on = self.width(), self.height(), self.isEnabled()
            edge = "accent" if self.hasFocus() else "edge" if on else "hair"
            paint.box(p, 0, 0, w, h, "sunken", edge)
            paint.text(p, t.S, 0, w - 30, h, self.currentText(), "body", "text" if on else "faint")
            icons.draw(p, "down", w - 20, h / 2 - 7, 14, "muted" if on else "faint")


def number(name: str, low: int, high: int, value: int) -> QSpinBox:
    """Return a number field; Up, Down and the wheel change it."""
    spin = QSpinBox()
    spin.setRange(low, high)
    spin.setValue(value)
    _shape(spin, name)
    return spin


def decimal(name: str, low: float, high: float, value: float, step: float) -> QDoubleSpinBox:
    spin = QDoubleSpinBox()
    spin.setRange(low, high)
    spin.setSingleStep(step)
    spin.setValue(value)
    _shape(spin, name)
    return spin


def _shape(spin: QAbstractSpinBox, name: str) -> None:
    spin.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
    spin.setAccessibleName(name)
    spin.setFixedSize(88, t.H_CONTROL)
    spin.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    line = spin.lineEdit()
    line.setDragEnabled(False)
    line.setAcceptDrops(False)
    line.setTextMargins(5, 0, 0, 0)
