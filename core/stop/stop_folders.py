"""The two folders in which `stop` finds the programs of this user, and the private folders of their sockets.

Neither depends on the other: the one for sockets may be full, removed or unknown to another terminal.
"""

from __future__ import annotations

import os
import socket
import stat
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.errors import ConsoleError
from core.install_paths import data_folder

_LONGEST = 100  # bytes of a socket's path; Linux allows 107, macOS 103


def runtime_path() -> Path:
    """Return the user's folder for sockets, which may not be there. Raises OSError."""
    from platformdirs import user_runtime_path

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # without XDG_RUNTIME_DIR it takes the system's default
        return user_runtime_path("dkprompt")


def running_path() -> Path:
    """Return the folder of the programs that run, beside the log; it may not be there."""
    return data_folder() / "running"


STOP_FOLDERS: tuple[Callable[[], Path], ...] = runtime_path, running_path


def runtime_folder() -> Path:
    """Return the user's own folder for sockets, made if needed.

    Raises ConsoleError if others could use it.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise ConsoleError("This system has no Unix sockets, which `stop` needs.")
    try:
        return private_folder(runtime_path())
    except OSError as error:
        raise ConsoleError(f"The folder for `stop` cannot be made: {error}.") from error


def private_folder(folder: Path) -> Path:
    """Return the folder, made if needed. Raises OSError, and ConsoleError if others could use it."""
    for path in (folder.parent, folder):
        path.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not is_private(folder):
        raise ConsoleError(f"{folder}: other users can reach it, so `stop` does not use it. Remove it.")
    return folder


def is_private(folder: Path) -> bool:
    """Return True for a folder of this user that nobody else can open, and no link. Raises OSError."""
    found = folder.lstat()
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid() and not found.st_mode & 0o077


@contextmanager
def socket_address(path: Path) -> Iterator[str]:
    """Yield a socket's address that is short enough, whatever the length of its path. Raises OSError."""
    if len(os.fsencode(path)) <= _LONGEST:
        yield str(path)
        return
    folder = os.open(path.parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        yield f"/proc/self/fd/{folder}/{path.name}"  # Linux
    finally:
        os.close(folder)
