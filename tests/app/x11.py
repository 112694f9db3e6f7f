"""Key presses and mouse moves as the X server itself makes them (XTEST), so that nothing of Qt is skipped."""

from __future__ import annotations

from ctypes import CDLL, POINTER, c_char_p, c_int, c_uint, c_ulong, c_void_p
from string import ascii_lowercase, digits

KEYS = {"Escape": 0xFF1B, "Return": 0xFF0D, "Control": 0xFFE3, "Alt": 0xFFE9, "comma": 0x2C, "space": 0x20}
KEYS |= {"minus": 0x2D, "Shift": 0xFFE1, **{c: ord(c) for c in ascii_lowercase + digits + "-/ "}}
SHIFTED = {"(": "9", ")": "0", "?": "/", "_": "-"}
CORE_KEYBOARD = 0x100
BUTTON = 1


class Hand:
    """A person's hand on `DISPLAY`. Raises OSError where libXtst is missing or no server answers."""

    def __init__(self) -> None:
        self._x, self._test = CDLL("libX11.so.6"), CDLL("libXtst.so.6")
        self._x.XOpenDisplay.restype = c_void_p
        self._x.XOpenDisplay.argtypes = [c_char_p]
        self._x.XKeysymToKeycode.argtypes = [c_void_p, c_ulong]
        self._x.XFlush.argtypes = self._x.XCloseDisplay.argtypes = [c_void_p]
        self._test.XTestFakeKeyEvent.argtypes = [c_void_p, c_int, c_int, c_ulong]
        self._test.XTestFakeButtonEvent.argtypes = [c_void_p, c_int, c_int, c_ulong]
        self._test.XTestFakeMotionEvent.argtypes = [c_void_p, c_int, c_int, c_int, c_ulong]
        self._x.XkbSetAutoRepeatRate.argtypes = [c_void_p, c_uint, c_uint, c_uint]
        self._test.XTestQueryExtension.argtypes = [c_void_p, *[POINTER(c_int)] * 4]
        self._display = self._x.XOpenDisplay(None)
        if not self._display:
            raise OSError("no X server answers")

    def key(self, name: str, down: bool) -> None:
        code = self._x.XKeysymToKeycode(self._display, KEYS[name])
        self._test.XTestFakeKeyEvent(self._display, code, int(down), 0)
        self._x.XFlush(self._display)

    def tap(self, name: str) -> None:
        self.key(name, True)
        self.key(name, False)

    def type(self, letter: str) -> None:
        """Type a letter of a file, with Shift where it needs it."""
        if letter in SHIFTED:
            self.key("Shift", True)
        self.tap(SHIFTED.get(letter, letter))
        if letter in SHIFTED:
            self.key("Shift", False)

    def repeat(self, delay: int, period: int) -> None:
        """Let held keys repeat after `delay` ms, and then each `period` ms."""
        self._x.XkbSetAutoRepeatRate(self._display, CORE_KEYBOARD, delay, period)
        self._x.XFlush(self._display)

    def move(self, x: int, y: int) -> None:
        self._test.XTestFakeMotionEvent(self._display, -1, x, y, 0)
        self._x.XFlush(self._display)

    def button(self, down: bool) -> None:
        self._test.XTestFakeButtonEvent(self._display, BUTTON, int(down), 0)
        self._x.XFlush(self._display)

    def close(self) -> None:
        self._x.XCloseDisplay(self._display)
