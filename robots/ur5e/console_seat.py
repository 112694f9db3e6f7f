"""A console's seat at an arm, found by the same user's other consoles on this machine at the same address.

Whoever holds the lock of the arm's file moves it; the file says who that is. The lock ends with its process,
however that dies, and is handed over as an open file, so that nobody can come in between. Each console
listens on a datagram socket of its own; the folder can be opened by its user only.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from threading import Lock, Thread
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from core.arm.handover import ArmConsole
from core.errors import ConsoleError
from core.operator import operator_name
from core.stop.stop_entry import is_at
from core.stop.stop_folders import private_folder, runtime_folder, socket_address
from core.text.untrusted_text import one_line

try:
    import fcntl
except ImportError:  # no seats there, as without Unix sockets: `take_seat` says so
    fcntl = None  # type: ignore[assignment]

TICK = 0.25  # seconds between two looks at who moves the arm
_MOST, _LONGEST_WORD = 4096, 40  # bytes of one message, characters of a name
_LATEST = 2.0**32  # Unix time that can be shown


@dataclass(frozen=True)
class ConsoleMessage:
    """What `console` says to the console `to`; with "given" comes the lock."""

    kind: Literal["ask", "refused", "given", "stop"]
    console: ArmConsole
    to: ArmConsole
    reason: str = ""


_MESSAGE, _CONSOLE = TypeAdapter(ConsoleMessage), TypeAdapter(ArmConsole)


class ConsoleSeat:
    """A seat from construction to `close`. `on_message` and `on_tick` are called in a thread of its own.

    Raises ConsoleError where there can be no seats. Any thread may use it.
    """

    def __init__(
        self, arm: str, on_message: Callable[[ConsoleMessage], None], on_tick: Callable[[], None]
    ) -> None:
        if fcntl is None:
            raise ConsoleError("This system has no file locks, which several consoles at one arm need.")
        self._on_message, self._on_tick = on_message, on_tick
        self._folder = runtime_folder()
        self._stem = _stem(arm)
        self._lock_path = self._folder / f"{self._stem}.lock"
        self._lock, self._guard, self._closing = -1, Lock(), False
        self.asks = False  # this console wants the lock, and takes it when it comes
        self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        host = one_line(socket.gethostname(), _LONGEST_WORD)
        number = self._bind()
        self.console = ArmConsole(operator_name(), "console", number, host, os.getpid(), time.time())
        self._sock.settimeout(TICK)
        self._thread = Thread(target=self._listen, name="console", daemon=True)

    def begin(self) -> None:
        """Listen from now on."""
        self._thread.start()

    def rename(self, kind: str) -> None:
        """Say what this console is."""
        self.console = replace(self.console, kind=kind)
        with self._guard:
            self._write()

    # --- the lock ------------------------------------------------------------------------------------------

    @property
    def moves(self) -> bool:
        """Return True if this console holds the lock."""
        return self._lock >= 0

    def take_lock(self, timeout: float) -> bool:
        """Take the lock, if nobody holds it, and try for so many seconds. Return True if it is taken."""
        with self._guard:
            if self._lock < 0:
                self._lock = self._try_lock(fcntl.LOCK_EX, timeout)
                self._write()
            return self._lock >= 0

    def mover(self) -> tuple[ArmConsole | None, bool]:
        """Return who moves the arm, or moved it last, and whether it still holds the lock."""
        free = -1 if self.moves else self._try_lock(fcntl.LOCK_SH, 0.0)
        if free >= 0:
            os.close(free)
        try:
            found = _CONSOLE.validate_json(self._lock_path.read_bytes())
            return _plain(found), free < 0
        except (OSError, ValidationError):
            return None, free < 0

    def release(self) -> None:
        """Let go of the lock and leave no name behind. Idempotent."""
        with self._guard:
            if self._lock >= 0:
                os.ftruncate(self._lock, 0)
                os.close(self._lock)
            self._lock = -1

    # --- messages ------------------------------------------------------------------------------------------

    def send(self, to: ArmConsole, kind: Literal["ask", "refused", "stop"], reason: str = "") -> bool:
        """Send a message, without waiting. Return False if that console does not listen."""
        return self._send(to, ConsoleMessage(kind, self.console, to, reason), ())

    def give(self, to: ArmConsole) -> bool:
        """Hand the lock over. Return False, and keep it, if that console cannot take it."""
        with self._guard:
            message = ConsoleMessage("given", self.console, to)
            if self._lock < 0 or not self._send(to, message, (self._lock,)):
                return False
            os.close(self._lock)  # the other has the same open file, which stays locked
            self._lock = -1
            return True

    def close(self) -> None:
        """Leave. Idempotent."""
        if self._closing:
            return
        self._closing = True
        self.release()
        if self._thread.is_alive():
            self.send(self.console, "stop")  # wakes the thread, which hears it no more
            self._thread.join()
        self._seat(self.console.number).unlink(missing_ok=True)
        self._sock.close()

    # --- inside --------------------------------------------------------------------------------------------

    def _bind(self) -> int:
        """Take the first number that no console at this arm has, and listen under it."""
        with _locked(self._folder):
            for number in count(1):
                path = self._seat(number)
                with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as probe:
                    try:
                        with socket_address(path) as address:
                            probe.connect(address)
                        continue
                    except ConnectionRefusedError:  # its process has died
                        path.unlink(missing_ok=True)
                    except OSError:
                        pass
                try:
                    self._bind_to(path)
                    return number
                except OSError as error:
                    self._sock.close()
                    raise ConsoleError(f"{path}: other consoles cannot be found ({error}).") from error
        raise AssertionError  # there are always more numbers

    def _bind_to(self, path: Path) -> None:
        with socket_address(path) as address:
            self._sock.bind(address)

    def _keep(self) -> None:
        """Make anew what was removed or replaced: else another console could take the same arm.

        If one has taken it meanwhile, this one no longer moves it.
        """
        with suppress(OSError, ConsoleError):
            private_folder(self._folder)
            with self._guard:
                if self._lock >= 0 and not is_at(self._lock, self._lock_path):
                    lock = self._try_lock(fcntl.LOCK_EX, 0.0)
                    os.close(self._lock)
                    self._lock = lock
                    self._write()
            seat = self._seat(self.console.number)
            if not seat.exists():
                self._sock.close()
                self._sock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
                self._sock.settimeout(TICK)
                self._bind_to(seat)

    def _seat(self, number: int) -> Path:
        return self._folder / f"{self._stem}-{number}.seat"

    def _try_lock(self, how: int, timeout: float) -> int:
        """Return the arm's file, open and locked, or -1 if another console has locked it."""
        file = os.open(self._lock_path, os.O_CREAT | os.O_RDWR, 0o600)
        end = time.monotonic() + timeout
        while True:
            try:
                fcntl.flock(file, how | fcntl.LOCK_NB)
                return file
            except BlockingIOError:
                if time.monotonic() >= end:
                    os.close(file)
                    return -1
                time.sleep(0.01)

    def _write(self) -> None:
        """Write into the locked file who has locked it."""
        if self._lock >= 0:
            os.ftruncate(self._lock, 0)
            os.pwrite(self._lock, _CONSOLE.dump_json(self.console), 0)

    def _send(self, to: ArmConsole, message: ConsoleMessage, files: tuple[int, ...]) -> bool:
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                sock.setblocking(False)
                with socket_address(self._seat(to.number)) as address:
                    sock.connect(address)
                socket.send_fds(sock, [_MESSAGE.dump_json(message)], list(files))
        except OSError:
            return False
        return True

    def _listen(self) -> None:
        while not self._closing:
            try:
                data, files, _, _ = socket.recv_fds(self._sock, _MOST, 1)
            except TimeoutError:
                data, files = b"", []
            if data and not self._closing:
                self._receive(data, files)
            self._keep()
            self._on_tick()

    def _receive(self, data: bytes, files: list[int]) -> None:
        """Take a message to this console, not to one that had its number before; and the lock with it.

        A lock that this console did not ask for is let go of: nobody moves the arm then.
        """
        with suppress(ValidationError):
            message = _MESSAGE.validate_json(data)
            if (message.to.pid, message.to.started) == (self.console.pid, self.console.started):
                if message.kind == "given" and files and self.asks:
                    with self._guard:
                        self._lock = files.pop()
                        os.set_inheritable(self._lock, False)
                        self._write()
                console = _plain(message.console)
                self._on_message(replace(message, console=console, reason=one_line(message.reason)))
        for file in files:
            os.close(file)


def wait_until_left(address: str, seconds: float) -> None:
    """Wait until this process no longer moves the arm there, as the episode before is being closed."""
    with suppress(ConsoleError):  # there is nothing to wait for
        folder, stem, end = runtime_folder(), _stem(address), time.monotonic() + seconds
        for path in (folder / f"{stem}.lock", *folder.glob(f"{stem}-*.lock")):
            with suppress(OSError, ValidationError):
                while time.monotonic() < end and _CONSOLE.validate_json(path.read_bytes()).pid == os.getpid():
                    time.sleep(0.05)


def arm_identity(address: str, serial: str) -> str:
    """Return what tells an arm from all others: where it is, and which one is there."""
    return f"{address}-{serial[:_LONGEST_WORD]}" if serial else address


def _stem(arm: str) -> str:
    return "arm-" + re.sub(r"[^0-9A-Za-z.-]", "_", arm)


def _plain(console: ArmConsole) -> ArmConsole:
    """Return a console whose words can be shown, whoever wrote them."""
    operator, kind, host = (
        one_line(words, _LONGEST_WORD) for words in (console.operator, console.kind, console.host)
    )
    started = console.started if 0 <= console.started < _LATEST else 0.0
    return replace(console, operator=operator, kind=kind, host=host, started=started)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Let one console at a time look for its number."""
    file = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
    finally:
        os.close(file)
