"""The header of a panel: title, clickable note and tools. It is also the handle of the panel's dock."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QIcon, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QLineEdit, QSpacerItem, QToolButton, QWidget

from app.controls.badge import Icon
from app.controls.layout import ElidedLabel, Surface, ThemedMixin, label, row
from app.controls.text import TextField
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.theme.states import LEVEL


class HeaderNote(ElidedLabel):
    """The muted note beside a title, after the sign of its level. A click filters for what it counts."""

    clicked = Signal()

    def __init__(self, title: str, sign: Icon) -> None:
        super().__init__("caption", "muted", 8)
        self._title, self._sign = title, sign
        self.set_note("")

    def set_note(self, words: str, level: str = "") -> None:
        self.say(words, level or "muted")
        self.setAccessibleName(f"{self._title}: {words}")
        self.setVisible(bool(words))
        set_tooltip(self, words)
        self._sign.setVisible(bool(words and level))
        self._sign.show_as(LEVEL[level].icon, f"{level}_fill" if level else "muted")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.clicked.emit()
        event.ignore()  # the dock takes it, to be dragged


class Header(Surface):
    noted = Signal()  # the note was clicked

    def __init__(self, title: str, *tools: QWidget) -> None:
        super().__init__("surface", "b")
        sign = Icon(size=12)
        self.note = HeaderNote(title, sign)
        self.note.clicked.connect(self.noted)
        self._strut = QSpacerItem(0, 0)
        name = label(title, "label", "ink")
        layout = row(name, sign, self.note, 1, *tools, spacing=t.XS, margins=(t.M, 0, t.S, 0))
        layout.addItem(self._strut)
        self.setLayout(layout)
        self.set_height(t.H_HEADER)
        self.setAccessibleName(title)

    def set_height(self, height: int) -> None:
        """Fix the height, in px, also in the size hint, which is what a dock asks its handle for."""
        self.setFixedHeight(height)
        self._strut.changeSize(0, height)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        event.ignore()  # the dock takes it, to be dragged


class SearchField(ThemedMixin, TextField):
    """A search field with its sign."""

    def __init__(self, hint: str) -> None:
        super().__init__("", hint)
        self._hint = hint
        self.setFont(styling.font("small"))
        self.setFixedHeight(t.H_CONTROL)
        self._icon = self.addAction(QIcon(), QLineEdit.ActionPosition.LeadingPosition)
        for button in self.findChildren(QToolButton):
            button.setAccessibleName(hint)
        self._draw()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hint in one word where there is no room for more."""
        super().resizeEvent(event)
        fits = paint.width(self._hint, "small") < self.width() - 44
        self.setPlaceholderText(self._hint if fits else self._hint.partition(" ")[0])

    def _draw(self) -> None:
        self._icon.setIcon(icons.pixmap("search", 14, "muted"))
