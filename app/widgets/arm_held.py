"""A button that acts only while it is held: let go, left, or out of focus, it ends at once."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent

from app.parts.button import ENTER, Button
from app.theme import tokens as t

RENEW = 40  # ms between two renewals; the arm ends the motion by itself 100 ms after the last one
HOLD_KEYS = (*ENTER, Qt.Key.Key_Space)


class Held(Button):
    """`begin_` and `renew` say why not, or ""; `end` is called once for every begin that took."""

    refused = Signal(str)

    def __init__(
        self,
        words: str,
        begin: Callable[[], str],
        renew: Callable[[], str],
        end: Callable[[], None],
        glyph: str = "",
        height: int = t.H_CONTROL,
    ) -> None:
        super().__init__(words, glyph, height=height)
        self._begin_, self._renew_, self._end_ = begin, renew, end
        self._timer = QTimer(self, interval=RENEW)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._renew)
        self.active = False
        self.setMouseTracking(True)

    def press(self) -> None:
        if self.active or not self.isEnabled():
            return
        why = self._begin_()
        if why:
            self.refused.emit(why)
            return
        self.active = True
        self.setDown(True)
        self._timer.start()

    def release_(self) -> None:
        """Idempotent."""
        self._timer.stop()
        if self.active:
            self.active = False
            self.setDown(False)
            self._end_()

    def _renew(self) -> None:
        if not self.isActiveWindow() or not self.isVisible():
            self.release_()
        elif why := self._renew_():
            self.release_()
            self.refused.emit(why)

    # --- what begins and ends it -------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.press()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.release_()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.rect().contains(event.position().toPoint()):
            self.release_()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.release_()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in HOLD_KEYS:
            super().keyPressEvent(event)
        elif not event.isAutoRepeat():
            self.press()

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() not in HOLD_KEYS:
            super().keyReleaseEvent(event)
        elif not event.isAutoRepeat():
            self.release_()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.release_()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.release_()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.EnabledChange and not self.isEnabled():
            self.release_()

    def event(self, event: QEvent) -> bool:
        """Space held here is not the window's Space."""
        if event.type() is QEvent.Type.ShortcutOverride and event.key() in HOLD_KEYS:  # type: ignore[attr-defined]
            event.accept()
            return True
        return bool(super().event(event))
