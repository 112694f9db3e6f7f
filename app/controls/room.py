"""What covers the window's panels: the review, the drafting room, the sheet of a wish."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtWidgets import QWidget

from app.controls.layout import Surface
from app.theme import tokens as t


class Room(Surface):
    """Lies between the window's top bar and its status line, whatever the window's size. GUI thread only."""

    def __init__(self, window: QWidget, name: str) -> None:
        super().__init__("surface")
        self.setParent(window)
        self._window = window
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        self.hide()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() is QEvent.Type.Resize:
            self.place()
        return False

    def place(self) -> None:
        """Take up the room that is the window's now."""
        size = self._window.size()
        self.setGeometry(0, t.H_TOP, size.width(), size.height() - t.H_TOP - t.H_STATUS)
