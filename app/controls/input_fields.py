"""A combo box, a check box and a radio button with the sizes of the design tokens."""

from __future__ import annotations

import time
from collections.abc import Iterable

from PySide6.QtCore import QPoint, QSignalBlocker, QSize, Qt
from PySide6.QtGui import QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QListView, QRadioButton, QSizePolicy

from app.controls.badge import Badge
from app.controls.layout import column, label, row, set_tone
from app.controls.painted import PaintedMixin
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.theme.states import WORLD
from core.ports import Embodiment


class FindingList(QListView):
    """Goes to the next item that has in it what is typed, at its beginning or not."""

    def __init__(self) -> None:
        super().__init__()
        self._typed, self._at = "", 0.0

    def keyboardSearch(self, letter: str) -> None:
        now = time.monotonic()
        goes_on = now - self._at < QApplication.keyboardInputInterval() / 1000
        self._typed, self._at = (self._typed if goes_on else "") + letter, now
        how = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchWrap
        model = self.model()
        start = self.currentIndex() if self.currentIndex().isValid() else model.index(0, 0)
        for found in model.match(start, Qt.ItemDataRole.DisplayRole, self._typed, 1, how):
            self.setCurrentIndex(found)


class ComboBox(PaintedMixin, QComboBox):
    """A painted combo box, as wide as it is told, whatever its items; typing in its list finds words."""

    def __init__(self, name: str, width: int = 120) -> None:
        super().__init__()
        self._least = width
        self.setView(FindingList())
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setFixedHeight(t.H_CONTROL)
        self.setFont(styling.font("body"))

    def show_items(self, items: Iterable[tuple[str, object]], chosen: object = None) -> None:
        """Show these texts, each with what it stands for, and choose one, else the first; tell nobody."""
        with QSignalBlocker(self):
            self.clear()
            for words, data in items:
                self.addItem(words, data)
            self.setCurrentIndex(max(0, self.findData(chosen)) if self.count() else -1)

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


class CheckBox(QCheckBox):
    def __init__(self, words: str, on: bool = False) -> None:
        super().__init__(words)
        self.setChecked(on)
        self.setFixedHeight(t.H_CONTROL)
        self.setFont(styling.font("label"))
        self.setAccessibleName(words)


class RadioButton(QRadioButton):
    """A frame with a title, the badge of what moves, and a description; a click anywhere chooses it."""

    def __init__(self, name: str, description: str, world: Embodiment | None = None) -> None:
        super().__init__()
        self._name, self._usual, self._world = name, description, world
        self._title, self._world_badge = label(name, "strong", "ink"), Badge()
        self._words = label(description, "small", "muted", wrap=True)
        title = row(self._title, self._world_badge, 1, spacing=t.S)
        self._parts = column(title, self._words, spacing=2, margins=(t.XL + t.M, 6, t.M, 6))
        self.setLayout(self._parts)
        self._world_badge.setFixedHeight(20)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        for part in (self._title, self._world_badge, self._words):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self._show()

    @property
    def description(self) -> str:
        return self._words.text()

    def _show(self) -> None:
        state = WORLD[self._world] if self._world is not None else None
        self._world_badge.setVisible(state is not None)
        if state is not None:
            real = self._world is Embodiment.REAL
            self._world_badge.show_as(state.icon, state.word, state.colour, "real" if real else "")
        world = f", {self._world.value}" if self._world is not None else ""
        self.setAccessibleName(f"{self._name}{world}. {self.description}")

    def show_world(self, world: Embodiment | None) -> None:
        self._world = world
        self._show()

    def disable_with_reason(self, reason: str) -> None:
        """Disable the button and show why; "" enables it."""
        self._words.setText(reason or self._usual)
        self.setEnabled(not reason)
        set_tone(self._title, "muted" if reason else "ink")
        set_tooltip(self, reason)
        self._show()

    def sizeHint(self) -> QSize:
        return self._parts.sizeHint()

    minimumSizeHint = sizeHint

    def hitButton(self, pos: QPoint) -> bool:
        return bool(self.rect().contains(pos))
