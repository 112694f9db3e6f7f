"""Show who is writing an episode: a file that its writer keeps locked while it is alive.

The lock ends with the process, however that dies; no clock and no process id is trusted. The file names the
last record that was written, so that after a kill it shows whether the episode's end was cut off.
"""

from __future__ import annotations

import errno
import os
import re
from contextlib import suppress
from pathlib import Path
from secrets import token_hex

from core.log import sidecar
from core.log.integrity.validation import EPISODE_PATTERN, is_writer

try:
    import fcntl
except ImportError:  # without flock every writer counts as alive until it releases its lease
    fcntl = None  # type: ignore[assignment]


class Lease:
    """A lease, held from construction to `release` or to the end of the process."""

    def __init__(self, database: Path) -> None:
        while True:
            self.writer = token_hex(8)
            self._path = _folder(database) / self.writer
            sidecar.make_folder(self._path.parent)
            try:
                self._file = os.open(self._path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600)
            except FileNotFoundError:  # the folder was removed with its last lease
                continue
            if _lock(self._file) and self._path.exists():  # nobody removed it in between
                return
            os.close(self._file)

    def note(self, episode: str, number: int) -> None:
        """Note the last record that is in the log now; the writer's thread."""
        with suppress(OSError):  # the record itself is safe
            os.lseek(self._file, 0, os.SEEK_SET)
            os.write(self._file, f"{episode} {number:8}".encode())

    def release(self) -> None:
        self._path.unlink(missing_ok=True)
        os.close(self._file)
        _remove_if_empty(self._path.parent)


def is_alive(database: Path, writer: object) -> bool:
    """Return True if some process, including this one, still holds the lease of that name.

    A name that no writer uses, which a foreign log may contain, is never held.
    """
    return is_writer(writer) and not _is_unheld(_folder(database) / str(writer), remove=False)


def noted(database: Path) -> dict[str, tuple[str, int]]:
    """Return of each episode that a lease names the writer and the number of the last record written.

    Of the leases that are there, held or not; the log has at least these records, unless it lost some.
    """
    found = {}
    for path in sidecar.files(_folder(database)):
        with suppress(OSError):
            words = _NOTE.fullmatch(sidecar.read(path, 100).decode("ascii", "replace"))
            if words and is_writer(path.name):
                found[words[1]] = path.name, int(words[2])
    return found


_NOTE = re.compile(rf"({EPISODE_PATTERN.pattern}) +([0-9]{{1,8}})")


def remove_stale(database: Path) -> None:
    """Remove the leases of dead writers."""
    folder = _folder(database)
    for path in sidecar.files(folder):
        if is_writer(path.name):
            _is_unheld(path, remove=True)
    _remove_if_empty(folder)


def _is_unheld(path: Path, remove: bool) -> bool:
    """Return True if nobody holds the lease; remove it under the lock, so that no new writer takes it."""
    try:
        file = sidecar.open_plain(path)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EINVAL, errno.EISDIR, errno.ENXIO):
            return True  # our leases are neither links nor devices
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
