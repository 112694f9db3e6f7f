"""A combo box, a check box and a radio button with the sizes of the design tokens."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QPainter, QWheelEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QRadioButton, QSizePolicy

from app.controls.painted import PaintedMixin
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.theme.states import WORLD
from core.ports import Embodiment


class ComboBox(PaintedMixin, QComboBox):
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

    def draw(self, p: QPainter) -> None:
        w, h, on = self.width(), self.height(), self.isEnabled()
        edge = "accent" if self.hasFocus() else "edge" if on else "hair"
        paint.box(p, 0, 0, w, h, "sunken", edge)
        paint.text(p, t.S, 0, w - 30, h, self.currentText(), "body", "text" if on else "faint")
        icons.draw(p, "down", w - 20, h / 2 - 7, 14, "muted" if on else "faint")


BOX = 16


class CheckBox(PaintedMixin, QCheckBox):
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

    def draw(self, p: QPainter) -> None:
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


class RadioButton(PaintedMixin, QRadioButton):
    def __init__(self, name: str, description: str, world: Embodiment | None = None) -> None:
        super().__init__(name)
        self.description, self._usual, self._world = description, description, world
        self.setFixedHeight(46)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._name()

    def _name(self) -> None:
        world = f", {self._world.value}" if self._world is not None else ""
        self.setAccessibleName(f"{self.text()}{world}. {self.description}")

    def show_world(self, world: Embodiment | None) -> None:
        if world is not self._world:
            self._world = world
            self._name()
            self.update()

    def disable_with_reason(self, reason: str) -> None:
        """Disable the button and show why; "" enables it."""
        self.description = reason or self._usual
        self.setEnabled(not reason)
        set_tooltip(self, reason)
        self._name()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, 46)

    def hitButton(self, pos: QPoint) -> bool:
        return bool(self.rect().contains(pos))

    def draw(self, p: QPainter) -> None:
        w, h, on = self.width(), self.height(), self.isChecked()
        free = self.isEnabled()
        resting = "edge" if self.underMouse() and free else "hair"
        edge = "accent" if (on and free) or self.hasFocus() else resting
        paint.box(p, 0, 0, w, h, "accent_soft" if on else None, edge, t.RADIUS_BIG, 1.5 if on else 1)
        if on and self.hasFocus():
            paint.box(p, 3, 3, w - 6, h - 6, None, "accent")
        ink = "hair" if not free else "accent" if on else "edge"
        icons.draw(p, "disc" if on else "ring", t.M, 7, 16, ink)
        x = t.M + 26.0
        used = paint.text(p, x, 5, w - x, 20, self.text(), "strong", "ink" if free else "muted")
        if self._world is not None:
            self._badge(p, x + used + t.S, self._world)
        paint.text(p, x, 24, w - x - t.M, 16, self.description, "small", "muted")

    def _badge(self, p: QPainter, x: float, world: Embodiment) -> None:
        state, real = WORLD[world], world is Embodiment.REAL
        wide = paint.width(state.word, "caption") + 28
        paint.box(p, x, 6, wide, 18, "real" if real else None, None if real else "edge", 3)
        ink = "on_real" if real else "muted"
        icons.draw(p, state.icon, x + 6, 9, 12, ink)
        paint.text(p, x + 22, 6, wide, 18, state.word, "caption", ink)
