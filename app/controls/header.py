"""The header of a panel: title, clickable note and tools. It is also the handle of the panel's dock."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QIcon, QMouseEvent, QPainter
from PySide6.QtWidgets import QLineEdit, QPushButton, QSizePolicy, QSpacerItem, QToolButton, QWidget

from app.controls.layout import Surface, label, row
from app.controls.painted import PaintedMixin
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.theme.states import LEVEL


class HeaderNote(PaintedMixin, QPushButton):
    """The muted note beside a title. Clicking it filters for what it counts."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title, self._level, self._short = title, "", ""
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # what it filters, a chip beside it does as well
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(20)
        self.setFlat(True)
        self.hide()

    def set_note(self, words: str, level: str = "", short: str = "") -> None:
        """Show these words, or `short` where they have no room."""
        if (words, level) != (self.text(), self._level):
            self._level, self._short = level, short
            self.setText(words)
            self.setAccessibleName(f"{self._title}: {words}")
            self.setVisible(bool(words))
            self.updateGeometry()
            set_tooltip(self, words if paint.width(words, "caption") > self.width() - 16 else "")
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(round(paint.width(self.text(), "caption")) + (18 if self._level else 2), 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, 20)

    def draw(self, p: QPainter) -> None:
        x = 0
        if self._level:
            icons.draw(p, LEVEL[self._level].icon, 0, 4, 12, f"{self._level}_fill")
            x = 16
        parts = self.text().split(" · ")  # what does not fit is left out, the last part first
        while len(parts) > 1 and paint.width(" · ".join(parts), "caption") > self.width() - x:
            parts.pop()
        words = " · ".join(parts)
        if self._short and paint.width(words, "caption") > self.width() - x:
            words = self._short
        paint.text(p, x, 0, self.width() - x, 20, words, "caption", self._level or "muted")


class Header(Surface):
    noted = Signal()  # the note was clicked

    def __init__(self, title: str, *tools: QWidget) -> None:
        super().__init__("surface", "b")
        self.note = HeaderNote(title)
        self.note.clicked.connect(self.noted)
        self._strut = QSpacerItem(0, 0)
        name = label(title, "label", "ink")
        layout = row(name, self.note, 1, *tools, spacing=t.XS, margins=(t.M, 0, t.S, 0))
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


class SearchField(QLineEdit):
    """A search field whose text cannot be dragged, because a QDrag would swallow the stop key."""

    def __init__(self, hint: str) -> None:
        super().__init__()
        self.setPlaceholderText(hint)
        self.setAccessibleName(hint)
        self.setFont(styling.font("small"))
        self.setDragEnabled(False)
        self.setAcceptDrops(False)
        self.setFixedHeight(t.H_CONTROL)
        self._icon = self.addAction(QIcon(), QLineEdit.ActionPosition.LeadingPosition)
        for button in self.findChildren(QToolButton):
            button.setAccessibleName(hint)
        self._draw()

    def _draw(self) -> None:
        self._icon.setIcon(icons.pixmap("search", 14, "muted"))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._draw()
