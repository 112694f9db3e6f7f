"""Stop every robot of this user from another process, without the window.

Each process that moves a robot listens on a datagram socket of its own, in a folder that only its user can
open. A datagram to a process that hangs waits for it, and neither side waits for the other.
"""

from __future__ import annotations

import errno
import json
import logging
import os
import socket
import stat
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from threading import Thread
from time import monotonic

from core.errors import ConsoleError

STOP_TIMEOUT = 2.0  # seconds within which a process answers, and a robot should stand still
_STOP = b"stop"
_MOST = 4096  # bytes of one message
_numbers = count(1)

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class StopReply:
    """What one process did: `robot` is what it moves, "" if it answered that it moves none.

    `standstill` is the time in seconds until the robot was seen to stand still, None if it was not seen.
    """

    process: str
    robot: str = ""
    answered: bool = True
    standstill: float | None = None


Standstill = Callable[[], float | None]  # waits until the robot stands still; at most STOP_TIMEOUT


class StopListener:
    """Listens from when it is made until `close`, in a thread that depends on no other.

    `stop(why)` is called in that thread: it stops the robot at once, and returns the robot's name, "" if
    there is none, and a function that waits for the standstill. Raises ConsoleError if it cannot listen.
    """

    def __init__(self, process: str, stop: Callable[[str], tuple[str, Standstill]]) -> None:
        self._stop, self._closing = stop, False
        folder = runtime_folder()
        _remove_stale(folder)
        self._path = folder / f"{process}-{os.getpid()}-{next(_numbers)}.sock"
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        try:
            self._sock.bind(str(self._path))
        except OSError as error:
            self._sock.close()
            raise ConsoleError(f"{self._path}: cannot listen for `stop` ({error}).") from error
        self._thread = Thread(target=self._listen, name="stop", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Idempotent."""
        self._closing = True
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)  # wakes the thread
        self._thread.join()
        self._sock.close()
        self._path.unlink(missing_ok=True)

    def _listen(self) -> None:
        while not self._closing:
            said, sender = self._sock.recvfrom(_MOST)
            if said != _STOP:
                continue
            try:
                robot, standstill = self._stop("`stop` was given in a terminal.")
            except Exception:  # whoever asked hears that no answer came
                log.exception("the robot did not take the stop")
                continue
            if sender:
                Thread(target=self._reply, args=(sender, robot, standstill), daemon=True).start()

    def _reply(self, sender: str, robot: str, standstill: Standstill) -> None:
        """Say at once that it was stopped, and then, as the last word, when it stood still."""
        for last in (False, True):
            seconds = standstill() if last and robot else None
            said = {"from": self._path.name, "robot": robot, "standstill": seconds, "last": last}
            with suppress(OSError):
                self._sock.sendto(json.dumps(said).encode(), socket.MSG_DONTWAIT, sender)


def stop_all() -> tuple[StopReply, ...]:
    """Stop what every process of this user moves, and return what they reply within STOP_TIMEOUT.

    Raises ConsoleError if the folder cannot be trusted.
    """
    folder = runtime_folder()
    own = folder / f"reply-{os.getpid()}"
    own.unlink(missing_ok=True)
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        try:
            sock.bind(str(own))
            return tuple(_replies(sock, tuple(_ask(sock, folder))))
        finally:
            own.unlink(missing_ok=True)


def _ask(sock: socket.socket, folder: Path) -> Iterator[str]:
    """Send to every listener, and yield those that are there, even if they hang."""
    for path in sorted(folder.glob("*.sock")):
        try:
            sock.sendto(_STOP, socket.MSG_DONTWAIT, str(path))
        except OSError as error:
            if error.errno in (errno.ECONNREFUSED, errno.ENOENT):  # its process has ended without closing it
                path.unlink(missing_ok=True)
                continue
        yield path.name


def _remove_stale(folder: Path) -> None:
    """Remove what processes have left that were killed."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
        for path in folder.glob("*.sock"):
            try:
                sock.connect(str(path))
            except ConnectionRefusedError:
                path.unlink(missing_ok=True)
            except OSError:
                continue


def _replies(sock: socket.socket, asked: Sequence[str]) -> Iterator[StopReply]:
    found = {name: StopReply(_process(name), answered=False) for name in asked}
    waiting, end = set(asked), monotonic() + STOP_TIMEOUT + 0.2
    while waiting and (left := end - monotonic()) > 0:
        sock.settimeout(left)
        try:
            body = json.loads(sock.recv(_MOST))
            name, robot, seconds = str(body["from"]), str(body["robot"]), body["standstill"]
            stood = float(seconds) if isinstance(seconds, int | float) else None
        except TimeoutError:
            break
        except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
            continue
        if name in waiting:
            found[name] = StopReply(_process(name), robot, True, stood)
            if body.get("last"):
                waiting.discard(name)
    yield from found.values()


def _process(name: str) -> str:
    """Return what a person calls the process that listens here: `window 4711`."""
    return " ".join(name.split("-")[:2])


def runtime_folder() -> Path:
    """Return the user's own folder for sockets, made if needed.

    Raises ConsoleError if others could use it.
    """
    if not hasattr(socket, "AF_UNIX"):
        raise ConsoleError("This system has no Unix sockets, which `stop` needs.")
    from platformdirs import user_runtime_path

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # without XDG_RUNTIME_DIR it takes the system's default
            folder = user_runtime_path("dkprompt")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        found = folder.lstat()
    except OSError as error:
        raise ConsoleError(f"The folder for `stop` cannot be made: {error}.") from error
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid() or found.st_mode & 0o077:
        raise ConsoleError(f"{folder}: other users can reach it, so `stop` does not use it. Remove it.")
    return folder
