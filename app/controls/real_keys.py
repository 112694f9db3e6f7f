"""Tells what a person does with a key from what the toolkit reports: one press, one release, nothing between.

X delivers the repeat of a held key as a release and a press with the same time stamp, and Qt calls that a
repeat only if it reads both at once, which it often does not, most of all on a busy machine, over ssh or VNC;
and it goes on to call the next press one if the release went to another program.
So one place decides for the whole program, before any shortcut, button or field: a press within BOUNCE of the
last release of its key is none, nor was that a release; a release is passed on once BOUNCE is over. Whatever
acts on a key may therefore trust that a press is a new one, and has nothing to ask of the toolkit.

When in doubt, a hold ends: with a press of another key, when the window loses the keyboard, and when a key
that has been repeating repeats no more, as its release went to a program that grabbed the keyboard.
"""

from __future__ import annotations

import time
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent, QWindow
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QPlainTextEdit
from shiboken6 import isValid

from app.controls.button import ENTER

BOUNCE = 0.06  # seconds from a release to a press of the same key, up to which they are a repeat
SILENT = 0.5  # seconds: a key that has repeated and does not for so long may be up
LOST = 1.5  # seconds without a release or repeat, after which a release was not seen
WRAP = 2**32  # ms: X's clock begins anew
ONE_PRESS = "one_press"  # property of a widget that also wants a press for each movement
K = Qt.Key
TABS = {K.Key_Tab, K.Key_Backtab}
MOVEMENTS = TABS | {K.Key_Left, K.Key_Right, K.Key_Up, K.Key_Down, K.Key_Plus, K.Key_Minus, K.Key_Comma}
MOVEMENTS |= {K.Key_Home, K.Key_End, K.Key_PageUp, K.Key_PageDown, K.Key_J, K.Key_K, K.Key_Period}
COMMANDS = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier


@dataclass(frozen=True)
class Moment:
    """When a key event happened: by the window system's clock in ms, 0 if unknown, and by ours in seconds."""

    stamped: int
    arrived: float

    def after(self, other: Moment) -> float:
        """Return the seconds from the other moment to this one."""
        if not (self.stamped and other.stamped):
            return self.arrived - other.arrived
        apart = (self.stamped - other.stamped) % WRAP
        return (apart if apart < WRAP / 2 else apart - WRAP) / 1000


class Presses:
    """Which keys are down. A key is a number of any kind."""

    def __init__(self) -> None:
        self._down: dict[int, Moment] = {}  # and when each was pressed or repeated last
        self._released: dict[int, Moment] = {}

    def press(self, key: int, at: Moment) -> bool:
        """Return True for a new press, False for a repeat."""
        released, pressed = self._released.get(key), self._down.get(key)
        bounced = released is not None and at.after(released) <= BOUNCE
        held = pressed is not None and at.after(pressed) <= LOST
        self._down[key] = at
        return not (bounced or held)

    def release(self, key: int, at: Moment) -> None:
        self._down.pop(key, None)
        self._released[key] = at

    def forget(self, at: Moment) -> None:
        """Take every key as released now, because nobody tells any more."""
        for key in tuple(self._down):
            self.release(key, at)


class RealKeys(QObject):
    """Filters the key events to the windows. GUI thread."""

    def __init__(self, app: QGuiApplication) -> None:
        super().__init__()
        self._presses = Presses()
        self._held: dict[int, _Held] = {}
        self._judged: tuple[int, bool] | None = None  # the key that was offered, and whether it is new
        self._passing_on = False
        app.focusWindowChanged.connect(self._keyboard_moved)

    def filter(self, window: QWindow, event: QKeyEvent) -> bool:
        """Return True if this event is not to go on: a repeat, or a release that may be part of one."""
        if self._passing_on:
            return False
        key = event.nativeScanCode() or int(event.key())
        at = Moment(event.timestamp(), time.monotonic())
        if event.type() is QEvent.Type.KeyRelease:
            return self._release(key, at)
        judged, self._judged = self._judged, None
        # To the shortcuts: the press itself comes next.
        offered = event.type() is QEvent.Type.ShortcutOverride
        if not offered and judged is not None and judged[0] == key:
            new = judged[1]
        else:
            new = self._presses.press(key, at)
            if new:
                self._release_held()
                self._held[key] = _Held(self, key, window, event)
            elif key in self._held:
                self._held[key].wait(SILENT)
        if offered:
            self._judged = key, new
        if new and event.isAutoRepeat():
            if not offered:
                self._send(window, as_new(event, QEvent.Type.KeyPress))
        elif new or may_repeat(event):
            return False
        event.accept()  # so that it is no shortcut either
        return True

    def _release(self, key: int, at: Moment) -> bool:
        self._judged = None
        self._presses.release(key, at)
        if key in self._held:
            self._held[key].wait(BOUNCE)
        return key in self._held  # else its release has been passed on

    def _keyboard_moved(self, window: QWindow | None) -> None:
        if window is None:
            self._presses.forget(Moment(0, time.monotonic()))
        QTimer.singleShot(0, self._release_held)  # when the focus has gone, so that it presses no button

    def _release_held(self) -> None:
        for held in tuple(self._held.values()):
            held.let_go()

    def let_go(self, held: _Held) -> None:
        """Pass the release of a key on to the window that has its press."""
        held.timer.stop()
        if self._held.pop(held.key, None) is held:
            self._send(held.window, held.release)

    def _send(self, window: QWindow, event: QKeyEvent) -> None:
        if isValid(window):
            self._passing_on = True
            try:
                QCoreApplication.sendEvent(window, event)
            finally:
                self._passing_on = False


class _Held:
    """A key that is down as far as the program knows."""

    def __init__(self, keys: RealKeys, key: int, window: QWindow, event: QKeyEvent) -> None:
        self._keys, self.key, self.window = keys, key, window
        self.release = as_new(event, QEvent.Type.KeyRelease)
        self._last_look = False
        self.timer = QTimer(keys, singleShot=True)
        self.timer.setTimerType(Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self._due)

    def wait(self, seconds: float) -> None:
        """Take the key as up unless it repeats within this time."""
        self._last_look = False
        self.timer.start(round(1000 * seconds))

    def _due(self) -> None:
        """Let one more turn of the event loop pass: it may have been busy, and the repeat be waiting."""
        if not self._last_look:
            self._last_look = True
            self.timer.start(0)
        else:
            self.let_go()

    def let_go(self) -> None:
        self.timer.deleteLater()
        self._keys.let_go(self)


def as_new(event: QKeyEvent, kind: QEvent.Type) -> QKeyEvent:
    """Return an event of this kind about the same key, which is not called a repeat."""
    native = event.nativeScanCode(), event.nativeVirtualKey(), event.nativeModifiers()
    return QKeyEvent(kind, event.key(), event.modifiers(), *native, event.text())


def may_repeat(event: QKeyEvent) -> bool:
    """Return True if a held key is meant to repeat: text is typed or erased, or a selection moves."""
    focus = QApplication.focusWidget()
    if event.key() in MOVEMENTS and not event.modifiers() & COMMANDS:
        return event.key() in TABS or focus is None or not focus.property(ONE_PRESS)
    if not isinstance(focus, QLineEdit | QPlainTextEdit | QAbstractSpinBox) or event.modifiers() & COMMANDS:
        return False
    return event.key() not in ENTER or isinstance(focus, QPlainTextEdit)
