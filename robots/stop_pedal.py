"""A USB pedal, gamepad or key that stops the robot, read from its input device without a window (Linux)."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from time import sleep

PEDAL_PATH = r"^(/dev/input/by-(id|path)/[\w.:+@-]*-event[\w.:+@-]*)?$"  # a name that outlives unplugging
_EVENT = struct.Struct("@llHHi")  # input_event of linux/input.h: seconds, microseconds, type, code, value
_EV_KEY = 1
_EVIOCGRAB = 0x40044590  # takes the device for itself, so that a pedal does not type into a window
_RETRY_PERIOD = 0.5  # seconds between two attempts to open it


class StopPedal:
    """Reads the device in a thread of its own, and opens it again after it was unplugged.

    `on_stop(why)` is called from that thread when a key goes down, and when the device is lost. `key` is its
    code in linux/input-event-codes.h; 0 is any.
    """

    def __init__(self, path: str, key: int, on_stop: Callable[[str], None]) -> None:
        self._path, self._key, self._on_stop = path, key, on_stop
        self._down: set[int] = set()
        self._fault = f"the stop pedal {path} was not opened yet"
        Thread(target=self._run, name="pedal", daemon=True).start()

    @property
    def refusal(self) -> str:
        """Return why nothing may move: it cannot be read, or it is pressed; else ""."""
        return self._fault or ("the stop pedal is pressed" if self._down else "")

    def _run(self) -> None:
        while True:
            try:
                device = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
            except OSError as error:
                self._fault = f"the stop pedal {self._path} cannot be read: {error.strerror}"
                sleep(_RETRY_PERIOD)
                continue
            try:
                self._read(device)
            finally:
                os.close(device)
            sleep(_RETRY_PERIOD)

    def _read(self, device: int) -> None:
        """Read events until the device is lost."""
        _grab(device)
        self._fault, self._down, rest = "", set(), b""
        with suppress(OSError):
            while data := os.read(device, 64 * _EVENT.size):
                rest += data
                whole = len(rest) // _EVENT.size * _EVENT.size
                for _, _, kind, code, value in _EVENT.iter_unpack(rest[:whole]):
                    if kind == _EV_KEY and self._key in (0, code):
                        self._on_key(code, value)
                rest = rest[whole:]
        self._fault = f"the stop pedal {self._path} was unplugged"
        self._on_stop("The stop pedal was unplugged.")

    def _on_key(self, code: int, value: int) -> None:
        """Handle a key: 1 is down, 2 repeated, 0 up."""
        pressed = value != 0 and code not in self._down
        self._down.add(code) if value else self._down.discard(code)
        if pressed:
            self._on_stop("The stop pedal was pressed.")


def _grab(device: int) -> None:
    try:
        from fcntl import ioctl
    except ImportError:  # not Linux
        return
    with suppress(OSError):  # another program has it, or it is no input device
        ioctl(device, _EVIOCGRAB, 1)
