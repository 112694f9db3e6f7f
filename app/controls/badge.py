"""A status badge, a toggle chip, a segmented control and an icon."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QPushButton

from app.controls.painted import Painted
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint, styling
from app.theme import tokens as t


class Badge(Painted):
    """An icon and a word in an outline; filled only for REAL."""

    def __init__(self, height: int = t.H_CONTROL, role: str = "label") -> None:
        super().__init__()
        self._icon, self._word, self._ink, self._ground, self._role = "", "", "text", "", role
        self.setFixedHeight(height)

    def show_as(self, icon: str, word: str, ink: str = "text", ground: str = "") -> None:
        if (icon, word, ink, ground) == (self._icon, self._word, self._ink, self._ground):
            return
        self._icon, self._word, self._ink, self._ground = icon, word, ink, ground
        self.setFixedWidth(round(paint.width(word, self._role)) + 18 + 2 * t.S + 1)
        self.setAccessibleName(word)
        self.update()

    def draw(self, p: QPainter) -> None:
        h = self.height()
        paint.box(p, 0, 0, self.width(), h, self._ground or None, None if self._ground else "edge")
        icons.draw(p, self._icon, t.S, (h - 14) / 2, 14, self._ink)
        paint.text(p, t.S + 18, 0, self.width(), h, self._word, self._role, self._ink)


class Chip(QPushButton):
    """A toggle button that filters."""

    def __init__(self, word: str, on: bool = False) -> None:
        super().__init__(word)
        self.setCheckable(True)
        self.setChecked(on)
        self.setFont(styling.font("caption"))
        self.setFixedHeight(22)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoDefault(False)
        self.setAccessibleName(word)

    def rename(self, word: str) -> None:
        if word != self.text():
            self.setText(word)
            self.setAccessibleName(word)
            self.updateGeometry()


class SegmentedControl(Painted):
    """Two to five options in one frame, one of them selected. Left and Right change the selection."""

    changed = Signal(int)

    def __init__(self, labels: tuple[str, ...], on: int = 0, name: str = "") -> None:
        super().__init__()
        self.labels, self._on, self._off = labels, on, dict[int, str]()
        self._widths = [paint.width(word, "label") + 2 * t.M for word in labels]
        self.setFixedSize(round(sum(self._widths)) + 2, t.H_CONTROL)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._name = name
        self._describe()

    @property
    def current_index(self) -> int:
        return self._on

    def choose(self, i: int) -> None:
        if i != self._on and 0 <= i < len(self.labels) and i not in self._off:
            self._on = i
            self._describe()
            self.update()
            self.changed.emit(i)

    def disable_with_reason(self, reasons: dict[int, str]) -> None:
        """Disable the options that have a reason, which becomes their tooltip."""
        self._off = reasons
        set_tooltip(self, "\n".join(f"{self.labels[i]}: {reason}" for i, reason in reasons.items()))
        self.update()

    def _describe(self) -> None:
        self.setAccessibleName(f"{self._name}: {self.labels[self._on]}")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        x = 1.0
        for i, w in enumerate(self._widths):
            if x <= event.position().x() < x + w:
                self.choose(i)
            x += w

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if move is None:
            super().keyPressEvent(event)
        else:
            self.choose(self._on + move)

    def draw(self, p: QPainter) -> None:
        w, h = self.width(), self.height()
        paint.box(p, 0, 0, w, h, "raised", "accent" if self.hasFocus() else "hair")
        x = 1.0
        for i, (word, ww) in enumerate(zip(self.labels, self._widths, strict=True)):
            if i == self._on:
                paint.box(p, x + 1, 2, ww - 2, h - 4, "surface", "edge", 3)
            ink = "faint" if i in self._off else "ink" if i == self._on else "muted"
            paint.text(p, x, 0, ww, h, word, "label", ink, paint.CENTRE)
            x += ww


class Icon(Painted):
    """A widget that shows one icon."""

    def __init__(self, icon: str = "", colour: str = "muted", size: int = 16) -> None:
        super().__init__()
        self._icon, self._colour = icon, colour
        self.setFixedSize(size, size)

    def show_as(self, icon: str, colour: str) -> None:
        self._icon, self._colour = icon, colour
        self.update()

    def draw(self, p: QPainter) -> None:
        if self._icon:
            icons.draw(p, self._icon, 0, 0, self.width(), self._colour)
