"""Find out if a window can open, by asking the display: Qt would end the process where none answers."""

from __future__ import annotations

import ctypes
import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Thread

_WAIT = 5.0  # seconds: over ssh -X a display may be far away


def find_display(environment: Mapping[str, str] = os.environ) -> tuple[str, str]:
    """Return the display that answers within _WAIT, or "" and why no window can open."""
    platform = environment.get("QT_QPA_PLATFORM", "").split(":")[0]
    if sys.platform != "linux" or (platform and not platform.startswith(("xcb", "wayland"))):
        return platform or sys.platform, ""
    wayland, x = environment.get("WAYLAND_DISPLAY", ""), environment.get("DISPLAY", "")
    silent = []
    if wayland and platform != "xcb":
        if _wayland_answers(Path(environment.get("XDG_RUNTIME_DIR", ""), wayland)):
            return wayland, ""
        silent.append(f"{wayland} (WAYLAND_DISPLAY)")
    if x and not platform.startswith("wayland"):
        if _x_answers(x):
            return x, ""
        silent.append(f"{x} (DISPLAY)")
    return "", f"The display {' or '.join(silent)} does not answer" if silent else "There is no display"


def _wayland_answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as sock:
        sock.settimeout(_WAIT)
        try:
            sock.connect(str(path))
        except (OSError, ValueError):  # also a path that is too long, or with a null byte
            return False
    return True


def _x_answers(name: str) -> bool:
    """Connect as Qt does, with the person's cookie. Qt needs the same library."""
    answered = []

    def connect() -> None:
        try:
            xcb = ctypes.CDLL("libxcb.so.1")
        except OSError:
            return
        xcb.xcb_connect.restype = ctypes.c_void_p
        connection = ctypes.c_void_p(xcb.xcb_connect(name.encode(), None))
        answered.append(not xcb.xcb_connection_has_error(connection))
        xcb.xcb_disconnect(connection)

    asking = Thread(target=connect, daemon=True)
    asking.start()
    asking.join(_WAIT)
    return answered == [True]
