"""A console's seat at an arm, found by the same user's other consoles on this machine at the same address.

Whoever holds the lock of the arm's file moves it; the file says who that is, and where it listens. The lock
ends with its process, however that dies. The folder can be opened by its user only.
"""

from __future__ import annotations

import os
import re
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from secrets import token_hex
from threading import Lock, Thread
from typing import Literal

from pydantic import TypeAdapter, ValidationError

from core.arm.handover import ArmConsole
from core.errors import ConsoleError
from core.operator import operator_name
from core.stop.stop_entry import StopLock, StopSocket, is_held, remove_if_dead
from core.stop.stop_folders import runtime_folder, socket_address
from core.text.untrusted_text import one_line

TICK_S = 0.25  # between two looks at who moves the arm
_MOST, _LONGEST_WORD = 4096, 40  # bytes of one message, characters of a name
_LATEST = 2.0**32  # Unix time that can be shown


@dataclass(frozen=True)
class ConsoleMessage:
    """What one console says to another."""

    kind: Literal["ask", "stop"]
    console: ArmConsole


_MESSAGE, _CONSOLE = TypeAdapter(ConsoleMessage), TypeAdapter(ArmConsole)


class _Socket(StopSocket):
    suffix = ".seat"


class _ArmLock(StopLock):
    """The arm's lock, with the name of who holds it."""

    suffix = ".lock"
    console: ArmConsole

    def _make(self) -> None:
        super()._make()
        if not is_held(self.path):
            raise OSError("its folder knows no locks")
        self.write()

    def write(self) -> None:
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, _CONSOLE.dump_json(self.console), 0)


class ConsoleSeat:
    """A seat from construction to `close`. `on_message` and `on_tick` are called in a thread of its own.

    Raises ConsoleError where there can be no seats. Any thread may use it.
    """

    def __init__(
        self, arm: str, on_message: Callable[[ConsoleMessage], None], on_tick: Callable[[], None]
    ) -> None:
        self._on_message, self._on_tick = on_message, on_tick
        self._folder, stem = runtime_folder(), _stem(arm)
        for left in self._folder.glob(f"{stem}-*{_Socket.suffix}"):
            remove_if_dead(left)
        self._socket = _Socket(self._folder, f"{stem}-{os.getpid()}-{token_hex(4)}")
        self._socket.ensure()
        if self._socket.fault:
            raise ConsoleError(f"Other consoles cannot be found ({self._socket.fault}).")
        host, seat = one_line(socket.gethostname(), _LONGEST_WORD), self._socket.path.name
        self.console = ArmConsole(operator_name(), "console", host, os.getpid(), time.time(), seat)
        self._lock, self._guard, self._closing = _ArmLock(self._folder, stem), Lock(), False
        self._lock.console = self.console
        self._thread = Thread(target=self._listen, name="console", daemon=True)

    def begin(self) -> None:
        """Listen from now on."""
        self._thread.start()

    def rename(self, kind: str) -> None:
        """Say what this console is."""
        with self._guard:
            self.console = self._lock.console = replace(self.console, kind=kind)
            if self.moves:
                self._lock.write()

    def close(self) -> None:
        """Leave. Idempotent."""
        if self._closing:
            return
        self._closing = True
        self.release()
        if self._thread.is_alive():
            self.send(self.console, "stop")  # wakes the thread, which hears it no more
            self._thread.join()
        self._socket.close()

    # --- the lock ------------------------------------------------------------------------------------------

    @property
    def moves(self) -> bool:
        """Return True if this console holds the lock."""
        return self._lock.is_made

    def take_lock(self) -> bool:
        """Take the lock, if nobody holds it; try for a moment. Return True if it is taken."""
        with self._guard:
            self._lock.ensure()
            return self.moves

    def release(self) -> None:
        """Let go of the lock and leave no name behind. Idempotent."""
        with self._guard:
            self._lock.close()

    def mover(self) -> tuple[ArmConsole | None, bool]:
        """Return who moves the arm, or moved it last and died, and whether it still holds the lock."""
        held = self.moves or is_held(self._lock.path)
        try:
            return _plain(_CONSOLE.validate_json(self._lock.path.read_bytes())), held
        except (OSError, ValidationError):
            return None, held

    def _keep(self) -> None:
        """Make anew what was removed or replaced: else another console could take the same arm.

        If one has taken it meanwhile, this one no longer moves it.
        """
        self._socket.ensure()
        with self._guard:
            if self.moves:
                self._lock.ensure()

    # --- messages ------------------------------------------------------------------------------------------

    def send(self, to: ArmConsole, kind: Literal["ask", "stop"]) -> bool:
        """Send a message, without waiting. Return False if that console does not listen."""
        message = _MESSAGE.dump_json(ConsoleMessage(kind, self.console))
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
                sock.setblocking(False)
                with socket_address(self._folder / Path(to.seat).name) as address:
                    sock.sendto(message, address)
        except OSError:
            return False
        return True

    def _listen(self) -> None:
        while not self._closing:
            if (sock := self._socket.sock) is None:
                time.sleep(TICK_S)
            else:
                sock.settimeout(TICK_S)
                with suppress(TimeoutError, ValidationError):
                    message = _MESSAGE.validate_json(sock.recv(_MOST))
                    if not self._closing:
                        self._on_message(replace(message, console=_plain(message.console)))
            self._keep()
            self._on_tick()


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
