"""A program's entries in a folder in which `stop` looks: a socket to send to, and a lock that says it runs.

They are named KIND-PID-RANDOM. The lock ends with its process, however that dies; the file holds the name of
its machine, since a home folder may be shared by several.
"""

from __future__ import annotations

import errno
import os
import socket
import stat
from abc import ABC, abstractmethod
from contextlib import suppress
from pathlib import Path
from time import sleep

from core.errors import ConsoleError
from core.stop.stop_folders import is_private, private_folder, socket_address
from core.text.untrusted_text import one_line

try:
    import fcntl
except ImportError:  # no locks there, and no Unix sockets either
    fcntl = None  # type: ignore[assignment]

SOCKET, LOCK = ".sock", ".running"
_LONGEST_NAME = 64  # bytes of a machine's
_TRIES = 100  # of 1 ms: whoever looks whether a lock is held holds it for an instant
_NOT_OURS = (errno.ELOOP, errno.EISDIR, errno.ENXIO)  # our locks are neither links nor folders nor sockets


class StopEntry(ABC):
    """One entry of this process. `ensure` and `close` belong to one thread at a time."""

    suffix: str

    def __init__(self, folder: Path, name: str) -> None:
        self.folder, self.path = folder, folder / f"{name}{self.suffix}"
        self._found: tuple[int, int] | None = None  # what its path led to when it was made
        self.fault = ""  # why it could not be made

    def ensure(self) -> bool:
        """Make it unless it is there. Return True if an earlier one was gone, or was replaced."""
        lost = self._found is not None and not self._is_there()
        if lost or self._found is None:
            self.close()
            try:
                private_folder(self.folder)
                self._make()
                self._found, self.fault = identity(self.path), ""
            except (OSError, ConsoleError) as error:
                self.close()
                self.fault = str(error).rstrip(".")
        return lost

    @property
    def is_made(self) -> bool:
        return self._found is not None

    def close(self) -> None:
        """Remove it, unless something else is in its place. Idempotent."""
        if self._is_there():
            with suppress(OSError):
                self.path.unlink()
        self._found = None
        self._release()

    def _is_there(self) -> bool:
        try:
            return is_private(self.folder) and identity(self.path) == self._found
        except OSError:
            return False

    @abstractmethod
    def _make(self) -> None:
        """Make it. Raises OSError."""

    @abstractmethod
    def _release(self) -> None:
        """Let go of what was made, also in part."""


class StopSocket(StopEntry):
    """Where `stop` sends to."""

    suffix = SOCKET
    sock: socket.socket | None = None

    def _make(self) -> None:
        self.path.unlink(missing_ok=True)  # of an earlier process with this number, or put in its place
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        with socket_address(self.path) as address:
            self.sock.bind(address)

    def _release(self) -> None:
        if self.sock is not None:
            self.sock.close()
        self.sock = None


class StopLock(StopEntry):
    """By which `stop` knows that this program runs, even if it cannot reach it."""

    suffix = LOCK
    _file = -1

    def _make(self) -> None:
        for _ in range(_TRIES):
            self._release()
            self._file = os.open(self.path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW, 0o600)
            if _lock(self._file) and is_at(self._file, self.path):
                with suppress(OSError):  # there may be no room
                    os.pwrite(self._file, socket.gethostname().encode(), 0)
                return
            sleep(0.001)
        raise OSError(errno.EBUSY, "another program holds it", str(self.path))

    def _release(self) -> None:
        if self._file >= 0:
            os.close(self._file)
        self._file = -1


def is_held(path: Path, remove: bool = False) -> bool:
    """Return True if a process that lives holds this lock, or might; else remove it, if asked to."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except FileNotFoundError:
        return False
    except OSError as error:
        return error.errno not in _NOT_OURS and _is_alive(process_id(path.stem))
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        if remove:
            path.unlink(missing_ok=True)
        return False
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return _is_alive(process_id(path.stem))
    finally:
        os.close(file)


def machine(path: Path) -> str:
    """Return the name of the machine on which this lock was made, "" if it is this one or not known."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
            name = one_line(file.read(_LONGEST_NAME).decode(errors="replace"))
    except OSError:
        return ""
    return "" if name == socket.gethostname() else name


def remove_stale(folder: Path) -> None:
    """Remove what processes have left that were killed. Never raises."""
    with suppress(OSError):
        for path in folder.iterdir() if is_private(folder) else ():
            if path.suffix == LOCK:
                is_held(path, remove=True)
            elif path.suffix == SOCKET and not is_held(path.with_suffix(LOCK)):
                remove_if_dead(path)


def remove_if_dead(path: Path) -> None:
    """Remove a socket at which nobody listens any more. Never raises."""
    with suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        try:
            with socket_address(path) as address:
                sock.connect(address)
        except ConnectionRefusedError:
            if stat.S_ISSOCK(path.lstat().st_mode):
                path.unlink()


def process_id(name: str) -> int:
    """Return the process id in an entry's name, 0 if it has none."""
    _, _, number = name.partition("-")
    number = number.partition("-")[0]
    return int(number) if number.isdecimal() and len(number) < 10 else 0


def _lock(file: int) -> bool:
    """Lock the file. Return False if another process has locked it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks: the process in its name is looked for instead
        return True
    return True


def _is_alive(process: int) -> bool:
    if not process:
        return False
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def is_at(file: int, path: Path) -> bool:
    """Return True if this path still leads to this open file. Raises OSError."""
    found = os.fstat(file)
    try:
        return (found.st_dev, found.st_ino) == identity(path)
    except FileNotFoundError:
        return False


def identity(path: Path) -> tuple[int, int]:
    """Return what this path leads to now: device and inode. Raises OSError."""
    found = path.lstat()
    return found.st_dev, found.st_ino
