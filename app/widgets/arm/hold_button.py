"""A hold-to-run button, which ends its action when it is released, left, or loses the focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QFocusEvent, QHideEvent, QKeyEvent, QMouseEvent

from app.controls.button import ENTER, Button
from app.theme import tokens as t

RENEW = 40  # ms between two renewals; the arm ends the motion by itself 100 ms after the last one
HOLD_KEYS = (*ENTER, Qt.Key.Key_Space)


class HoldButton(Button):
    """`begin_` and `renew` return why not, or ""; `end` is called once for every begin that succeeded."""

    refused = Signal(str)

    def __init__(
        self,
        words: str,
        begin: Callable[[], str],
        renew: Callable[[], str],
        end: Callable[[], None],
        icon: str = "",
        height: int = t.H_CONTROL,
    ) -> None:
        super().__init__(words, icon, height=height)
        self._begin_, self._renew_, self._end_ = begin, renew, end
        self._timer = QTimer(self, interval=RENEW)
        self._timer.setTimerType(Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._renew)
        self.active = False
        self.setMouseTracking(True)

    def begin_action(self) -> None:
        if self.active or not self.isEnabled():
            return
        reason = self._begin_()
        if reason:
            self.refused.emit(reason)
            return
        self.active = True
        self.setDown(True)
        self._timer.start()

    def end_hold(self) -> None:
        """End the action. Idempotent."""
        self._timer.stop()
        if self.active:
            self.active = False
            self.setDown(False)
            self._end_()

    def _renew(self) -> None:
        if not self.isActiveWindow() or not self.isVisible():
            self.end_hold()
        elif reason := self._renew_():
            self.end_hold()
            self.refused.emit(reason)

    # --- what begins and ends it -------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self.begin_action()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.end_hold()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self.rect().contains(event.position().toPoint()):
            self.end_hold()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self.end_hold()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        self.begin_action() if event.key() in HOLD_KEYS else super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        self.end_hold() if event.key() in HOLD_KEYS else super().keyReleaseEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.end_hold()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.end_hold()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.EnabledChange and not self.isEnabled():
            self.end_hold()

    def event(self, event: QEvent) -> bool:
        """Accept Space while focused, so that the window's own Space shortcut does not fire."""
        if event.type() is QEvent.Type.ShortcutOverride and event.key() in HOLD_KEYS:  # type: ignore[attr-defined]
            event.accept()
            return True
        return bool(super().event(event))
