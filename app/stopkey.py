"""Esc stops the motion wherever the focus is: in a text field, a menu, a dialog or a dock being dragged.

The event filter acts on the event to the QWindow, which comes once and before any shortcut, and passes it on,
so that Esc also closes what it would have closed. The program uses no QDrag, which would swallow keys before
any filter, and no native dialog, which never delivers them. No other filter sees every event, since each
delays them all; this one asks for the event's class first: to ask for its type takes five times as long.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QLineEdit, QMainWindow, QPlainTextEdit

from app.controls.button import ENTER, Button
from app.controls.real_keys import RealKeys

KeyHandler = Callable[[QWindow, QKeyEvent], bool]


class StopKey(QObject):
    """The event filter of the application while the window is there. GUI thread. `stop` is called before
    anything else.

    So is `on_quit` when the desktop asks the program to quit, because Qt would close the dialogs first. The
    `handlers` get each key event of a window next, in turn, until one returns True, which ends the event.
    """

    def __init__(
        self, app: QApplication, window: QMainWindow, stop: Callable[[], None], on_quit: Callable[[], None]
    ) -> None:
        super().__init__(window)
        self._app, self._stop, self._on_quit = app, stop, on_quit
        self._keys = RealKeys(app)
        self.handlers: list[KeyHandler] = []
        app.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent):
            if not isinstance(watched, QWindow):
                return False
            escape = event.key() == Qt.Key.Key_Escape and event.type() is QEvent.Type.KeyPress
            if escape and not event.isAutoRepeat():
                self._stop()  # before anything else: a stop too many does no harm
            return self._keys.filter(watched, event) or any(
                handle(watched, event) for handle in self.handlers
            )
        if watched is self._app and event.type() is QEvent.Type.Quit:
            self._on_quit()
        return False


class HoldKey:
    """Holds the primary button while Enter is held, wherever the focus is but in a text or on a button."""

    def __init__(self, app: QApplication, window: QMainWindow, button: Button) -> None:
        self._app, self._window, self._button = app, window, button

    def handle(self, watched: QWindow, event: QKeyEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.KeyRelease and event.key() in ENTER and self._button.holding:
            self._button.cancel_hold()  # wherever the focus is by now
            return True
        if kind is not QEvent.Type.KeyPress or watched is not self._window.windowHandle():
            return False
        if event.key() not in ENTER or not self._button.hold or self._app.activePopupWidget():
            return False
        if isinstance(self._app.focusWidget(), Button | QLineEdit | QPlainTextEdit):
            return False
        self._button.begin_hold()
        return True
