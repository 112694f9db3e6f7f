"""A hold-to-run button, which ends its action when it is released, left, or loses the focus."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from app.controls.button import ENTER, PRESSES, Button
from app.theme import tokens as t

RENEW = 40  # ms between two renewals; the arm ends the motion by itself 100 ms after the last one
HOLD_KEYS = (*ENTER, Qt.Key.Key_Space)
ENDS = {QEvent.Type.MouseButtonRelease, QEvent.Type.Leave, QEvent.Type.FocusOut, QEvent.Type.Hide}


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

    def event(self, event: QEvent) -> bool:
        """Begin with the button or a key, which is then no shortcut of the window; end with all else."""
        kind = event.type()
        if isinstance(event, QKeyEvent) and event.key() in HOLD_KEYS:
            if kind is QEvent.Type.KeyPress:
                self.begin_action()
            elif kind is QEvent.Type.KeyRelease:
                self.end_hold()
            event.accept()
            return True
        if isinstance(event, QMouseEvent) and kind in PRESSES:
            if event.button() is Qt.MouseButton.LeftButton:
                self.begin_action()
            return True
        outside = isinstance(event, QMouseEvent) and not self.rect().contains(event.position().toPoint())
        disabled = kind is QEvent.Type.EnabledChange and not self.isEnabled()
        if kind in ENDS or outside or disabled:
            self.end_hold()
        return bool(super().event(event))
