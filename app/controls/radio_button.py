"""A radio button with a label and a one-line description."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QRadioButton, QSizePolicy

from app.controls.tooltip import set_tooltip
from app.theme import icons, paint
from app.theme import tokens as t
from app.theme.states import WORLD
from core.ports import Embodiment


class RadioButton(QRadioButton):
    def __init__(self, name: str, description: str, world: Embodiment | None = None) -> None:
        super().__init__(name)
        self.description, self._usual, self._world = description, description, world
        self.setFixedHeight(46)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(f"{name}. {description}")

    def show_world(self, world: Embodiment | None) -> None:
        if world is not self._world:
            self._world = world
            self.update()

    def disable_with_reason(self, why: str) -> None:
        """Disable the button and show why; "" enables it."""
        self.description = why or self._usual
        self.setEnabled(not why)
        set_tooltip(self, why)
        self.setAccessibleName(f"{self.text()}. {self.description}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, 46)

    def hitButton(self, pos: QPoint) -> bool:
        return bool(self.rect().contains(pos))

    def paintEvent(self, _: QPaintEvent) -> None:
        with paint.painter(self) as p:
            w, h, on = self.width(), self.height(), self.isChecked()
            free = self.isEnabled()
            lit = "edge" if self.underMouse() and free else "hair"
            edge = "accent" if (on and free) or self.hasFocus() else lit
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
