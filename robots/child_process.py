"""A child process with an interpreter of its own: shown while it starts, and ended if it falls silent.

Nothing here knows what the child and this program say to each other. It is never restarted by itself.
"""

from __future__ import annotations

import os
import signal
import socket
import subprocess
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from re import split
from threading import Event, Thread
from time import monotonic

from core.errors import RobotError
from core.stop.heartbeat import HEARTBEAT_PERIOD
from core.stop_token import Late
from core.text.untrusted_text import one_line

KEPT_LINES = 200  # of what the child prints
_LINE_BYTES = 4096  # a longer line is cut
_LINE_PERIOD = 0.1  # seconds between two lines that are passed on; what comes in between is only kept
_DRAIN_TIMEOUT = 1.0  # seconds to read what an ended child left in its pipes


class ChildPhase(Enum):
    STARTING = "starting"
    IDLE = "idle"
    WORKING = "working"


@dataclass(frozen=True)
class SilenceLimits:
    """Seconds after which a child is ended: from its start until it is ready, then without a sign of life."""

    starting: float
    idle: float
    working: float

    def of(self, phase: ChildPhase) -> float:
        return float(getattr(self, phase.value))


class SilenceWatch:
    """Says when the other side was silent for too long in its phase. Any thread; one calls `overdue`.

    It begins in the phase STARTING, which is bounded as a whole.
    """

    def __init__(self, limits: SilenceLimits) -> None:
        self._limits, self.phase = limits, ChildPhase.STARTING
        self._last_heard = self._last_look = monotonic()
        self._extended_until = 0.0

    def note_sign_of_life(self) -> None:
        """Note a sign of life."""
        if self.phase is not ChildPhase.STARTING:
            self._last_heard = monotonic()

    def enter(self, phase: ChildPhase) -> None:
        """Judge silence from now on as that of this phase."""
        self.phase, self._last_heard = phase, monotonic()

    def extend_deadline(self, seconds: float) -> None:
        """Allow silence for so many seconds: for a call known to block."""
        self._extended_until = monotonic() + seconds

    def end_extension(self) -> None:
        """Take back what `extend_deadline` allowed: the call has been answered."""
        self._extended_until = 0.0

    def overdue(self) -> str:
        """Return what is wrong, "" if nothing is. Call it every HEARTBEAT_PERIOD: time in which it was not
        called, as when this program was suspended, is not the other side's silence.
        """
        now, limit = monotonic(), self._limits.of(self.phase)
        self._last_heard += max(0.0, now - self._last_look - 2 * HEARTBEAT_PERIOD)
        self._last_look = now
        if now <= max(self._last_heard + limit, self._extended_until):
            return ""
        return Late(f"gave no sign of life for {limit:g} s while {self.phase.value}")


def _ignore(*line: str) -> None:
    """Discard a line."""


class ChildProcess:
    """Runs any command as a child, in a session of its own. Every method may be called from any thread.

    Its stdin is a socket, on which it may talk with this program: `socket` is our end, and `listen()` reads
    there until it ends; a RobotError of `listen` ends the child. `on_line(text)` receives lines that it
    prints, sanitised and not more than ten a second, to show how far a slow start is. `on_exit(why)` is
    called once, after `listen`, when the child ends without having been asked to, or is ended because it was
    silent. All three are called from threads of this object.

    Whoever talks to it tells `silence` of each sign of life, when it becomes ready, and when it begins and
    ends work. `name` is what people call it, "the robot's own process".
    """

    def __init__(
        self,
        name: str,
        command: Sequence[str],
        limits: SilenceLimits,
        on_exit: Callable[[str], None],
        on_line: Callable[[str], None] = _ignore,
        listen: Callable[[], None] = _ignore,
        *,
        cwd: Path | None = None,
        env: Mapping[str, str] | None = None,
    ) -> None:
        self._name, self._command, self.silence = name, tuple(command), SilenceWatch(limits)
        self._on_exit, self._on_line, self._listen = on_exit, on_line, listen
        self._cwd, self._env = cwd, env
        self.socket, self._theirs = socket.socketpair()
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._line_shown = 0.0
        self._closing = Event()
        self._fault = ""  # why it was ended here
        self._wake = Event()  # a pipe was closed: it may have ended
        self._readers: list[Thread] = []

    def start(self) -> None:
        """Start the child. Raises RobotError if there is no such command."""
        try:
            with self._theirs:
                self._process = subprocess.Popen(
                    self._command,
                    cwd=self._cwd,
                    env=self._env,
                    stdin=self._theirs.fileno(),
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    bufsize=0,
                    start_new_session=True,  # Ctrl+C in a terminal is for us; its group can be ended with it
                )
        except OSError as error:
            raise RobotError(
                f"{self._name[:1].upper()}{self._name[1:]} cannot be started: {self._command[0]}: "
                f"{error.strerror or error}."
            ) from error
        self.silence.enter(ChildPhase.STARTING)
        self._readers = [Thread(target=read, daemon=True) for read in (self._read_lines, self._hear)]
        for thread in (*self._readers, Thread(target=self._watch, daemon=True)):
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the last lines that it printed, sanitised, oldest first."""
        return tuple(self._lines)

    # --- talking and ending ---

    def kill(self) -> None:
        """End it and what it started in its own group, at once."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    def close(self, seconds: float = 3.0) -> None:
        """Ask the child to end by closing its stdin; kill it if it has not ended after `seconds`.

        Idempotent; does nothing before `start`.
        """
        if not self._readers:
            return
        self._closing.set()
        self._wake.set()
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(seconds)
        self.kill()
        self._process.wait(5)
        self.socket.close()

    # --- threads ---

    def _hear(self) -> None:
        try:
            self._listen()
        except RobotError as error:  # it does not speak as it should
            self._fault = f"sent what cannot be read ({error})"
            self.kill()
        self._wake.set()

    def _read_lines(self) -> None:
        rest, printed = b"", self._process.stdout
        assert printed is not None
        with suppress(OSError, ValueError):
            while data := printed.read(1 << 16):
                *lines, rest = split(rb"[\r\n]+", rest + data)
                if len(rest) > _LINE_BYTES:
                    lines, rest = [*lines, rest], b""
                self._keep(lines)
        self._keep([rest])
        self._wake.set()

    def _keep(self, lines: Sequence[bytes]) -> None:
        """Keep the lines, and pass on the last of them unless one was passed on a moment ago."""
        texts = [text for line in lines if (text := one_line(line[:_LINE_BYTES].decode(errors="replace")))]
        self._lines.extend(texts)
        if texts and monotonic() - self._line_shown >= _LINE_PERIOD:
            self._line_shown = monotonic()
            self._on_line(texts[-1])

    def _watch(self) -> None:
        while self._process.poll() is None:
            if self._wake.wait(HEARTBEAT_PERIOD):
                with suppress(subprocess.TimeoutExpired):
                    self._process.wait(HEARTBEAT_PERIOD)
            if self._closing.is_set():
                return
            if fault := self.silence.overdue():
                self._fault = fault
                self.kill()
        self.kill()  # what it started, and has left behind
        for thread in self._readers:
            thread.join(_DRAIN_TIMEOUT)
        if not self._closing.is_set():
            self._closing.set()
            self._on_exit(self._why_it_ended())

    def _why_it_ended(self) -> str:
        code = self._process.wait()
        ended = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
        fault = f"{self._fault}, and " if self._fault else ""
        words = f" (its last words: {self._lines[-1]})" if self._lines else ""
        return type(self._fault)(f"{self._name} {fault}{ended}{words}")  # Late stays Late
