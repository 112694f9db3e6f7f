"""Who is writing an episode right now: a file that its writer keeps locked for as long as it lives.

The lock goes with the process, however it dies; no clock and no process number is believed.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

try:
    import fcntl
except ImportError:  # a system without flock: every writer there counts as alive until it says otherwise
    fcntl = None  # type: ignore[assignment]


class Lease:
    """Held from construction to `release`, or to the end of the process."""

    def __init__(self, database: Path) -> None:
        while True:
            self.writer = token_hex(8)
            self._path = _folder(database) / self.writer
            self._path.parent.mkdir(exist_ok=True)
            try:
                self._file = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o644)
            except FileNotFoundError:  # the folder went with its last lease
                continue
            if _lock(self._file) and self._path.exists():  # nobody swept it away in between
                return
            os.close(self._file)

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._file)
        _remove_if_empty(self._path.parent)


def is_alive(database: Path, writer: str) -> bool:
    """Whether some process, this one included, still holds the lease of that name."""
    return not _free(_folder(database) / writer, remove=False)


def sweep(database: Path) -> None:
    """Remove what dead writers left behind."""
    folder = _folder(database)
    for path in folder.iterdir() if folder.is_dir() else ():
        _free(path, remove=True)
    _remove_if_empty(folder)


def _free(path: Path, remove: bool) -> bool:
    """Whether nobody holds it. It is removed under the lock, so that no new writer can take it meanwhile."""
    try:
        file = os.open(path, os.O_RDONLY)
    except FileNotFoundError:
        return True
    try:
        free = _lock(file)
        if free and remove:
            path.unlink(missing_ok=True)
        return free
    finally:
        os.close(file)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        folder.rmdir()


def _folder(database: Path) -> Path:
    return database.with_name(database.name + "-live")


def _lock(file: int) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
