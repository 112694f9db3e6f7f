"""Who is writing an episode right now: a file that its writer keeps locked for as long as it lives.

The lock goes with the process, however it dies; no clock and no process number is believed.
"""

from __future__ import annotations

import errno
import os
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from core.log import sidecar
from core.log.validation import is_writer

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
            sidecar.make_folder(self._path.parent)
            try:
                self._file = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
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
    """Whether some process, this one included, still holds the lease of that name. A name that no writer
    has, which a log from elsewhere may hold, is nobody's."""
    return is_writer(writer) and not _is_unheld(_folder(database) / writer, remove=False)


def remove_stale(database: Path) -> None:
    """Remove what dead writers left behind."""
    folder = _folder(database)
    for path in sidecar.files(folder):
        if is_writer(path.name):
            _is_unheld(path, remove=True)
    _remove_if_empty(folder)


def _is_unheld(path: Path, remove: bool) -> bool:
    """Whether nobody holds it. It is removed under the lock, so that no new writer can take it meanwhile."""
    try:
        file = sidecar.open_plain(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EINVAL, errno.EISDIR, errno.ENXIO):
            return True  # no lease of ours is a link or a device
        raise
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
    return sidecar.folder(database, "live")


def _lock(file: int) -> bool:
    if fcntl is None:
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
