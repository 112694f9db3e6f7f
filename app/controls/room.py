"""What covers the window's panels: the review, the drafting room, the sheet of a wish."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QStyle, QStyleOption, QWidget

from app.controls.layout import Surface
from app.theme import tokens as t


class Room(Surface):
    """Lies between the window's top bar and its status line, whatever the window's size. GUI thread only.

    `cover` is told what covers the panels, None for nothing.
    """

    shown = Signal(bool)
    ctrl: tuple[Qt.Key, ...] = ()

    def __init__(self, window: QWidget, name: str, cover: Callable[[QWidget | None], None]) -> None:
        super().__init__("surface")
        self.setParent(window)
        self._window, self._cover = window, cover
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # else the panels below are painted too
        self.setAccessibleName(name)
        self.hide()
        window.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self._window and event.type() is QEvent.Type.Resize:
            self.place()
        return False

    def event(self, event: QEvent) -> bool:
        """Keep keys from the live episode while the room has the focus, except Esc, the stop, F1, the keys'
        page, and those with Ctrl or Alt that are not in `ctrl`.
        """
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            free = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
            mine = event.key() in self.ctrl or not event.modifiers() & free
            if mine and event.key() not in (Qt.Key.Key_Escape, Qt.Key.Key_F1):
                event.accept()
                return True
        return bool(super().event(event))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the ground, which Qt does not for what is marked as opaque."""
        option = QStyleOption()
        option.initFrom(self)
        self.style().drawPrimitive(QStyle.PrimitiveElement.PE_Widget, option, QPainter(self), self)

    def toggle(self) -> None:
        """Cover the panels, or show them again."""
        on = self.isHidden()
        self.setVisible(on)
        self._cover(self if on else None)
        if on:
            self.place()
            self.raise_()
            self.enter()
        else:
            self._window.setFocus()
            self.leave()
        self.shown.emit(on)

    def enter(self) -> None:
        """Begin: the panels are covered now."""
        self.setFocus()

    def leave(self) -> None:
        """End what moves by itself: the panels are shown again."""

    def place(self) -> None:
        """Take up the room that is the window's now."""
        size = self._window.size()
        self.setGeometry(0, t.H_TOP, size.width(), size.height() - t.H_TOP - t.H_STATUS)
