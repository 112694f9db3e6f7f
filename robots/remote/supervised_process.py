"""The parent's side: supervise a child process, and end it if it falls silent.

It is never restarted by itself.
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from threading import Event, Lock, Thread
from time import monotonic

from core.errors import RobotError
from core.install_paths import ROOT
from core.stop.heartbeat import HEARTBEAT_PERIOD, Heartbeat
from robots.remote.wire_message import JsonValue, MessageDecoder, WireMessage, encode_message

HEARTBEAT_TIMEOUT = 1.0  # seconds without a heartbeat after which the child is ended
_STARTUP_TIMEOUT = 20.0  # seconds allowed until the first heartbeat


class SupervisedProcess:
    """Runs `python -m module *args` as a child. Both callbacks are called from this object's own threads.

    `on_exit(why)` is called once, when the child ends without having been asked to, or is ended because it
    fell silent. Sending never blocks on a child that does not read: if its pipe is full, the child is ended.
    `heartbeat` is passed on to the child once it is set.
    """

    def __init__(
        self,
        module: str,
        args: tuple[str, ...],
        on_message: Callable[[WireMessage], None],
        on_exit: Callable[[str], None],
    ) -> None:
        self._on_message, self._on_exit = on_message, on_exit
        self.heartbeat: Heartbeat | None = None
        self._send_lock = Lock()
        self._closing = Event()
        self._started = False
        self._extended_until = 0.0
        self._deadline = monotonic() + _STARTUP_TIMEOUT
        self._process = subprocess.Popen(
            [sys.executable, "-m", module, *args],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            start_new_session=True,  # what a terminal sends to all, such as Ctrl+C, ends or suspends only us
        )
        self._threads = [Thread(target=work, daemon=True) for work in (self._read, self._send_heartbeats)]
        for thread in self._threads:
            thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def extend_deadline(self, seconds: float) -> None:
        """Allow the child to be silent for so many seconds, until its next message: for a call known to
        block.
        """
        self._extended_until = monotonic() + seconds
        self._deadline = max(self._deadline, self._extended_until)

    def send(self, kind: str, **body: JsonValue) -> None:
        """Send a message, from any thread. Raises RobotError if the child is gone."""
        assert self._process.stdin is not None
        try:
            with self._send_lock:
                self._process.stdin.write(encode_message(kind, **body))
        except (OSError, ValueError) as error:
            raise RobotError("The robot's own process has ended: connect again.") from error

    def close(self, seconds: float = 3.0) -> None:
        """Ask the child to end by closing its pipe; kill it if it has not ended after `seconds`.

        Idempotent.
        """
        self._closing.set()
        assert self._process.stdin is not None
        try:
            self._process.stdin.close()
            self._process.wait(seconds)
        except (OSError, subprocess.TimeoutExpired):
            self._process.kill()
            self._process.wait(5)

    def _read(self) -> None:
        splitter, stream = MessageDecoder(), self._process.stdout
        assert stream is not None
        try:
            while data := stream.read(1 << 16):
                for message in splitter.feed(data):
                    soon = monotonic() + HEARTBEAT_TIMEOUT
                    if message.kind != "beat":
                        self._deadline = soon  # the long call has been answered
                        self._on_message(message)
                    elif self._started:
                        self._deadline = max(self._deadline, soon)
                    else:
                        self._started, self._deadline = True, max(soon, self._extended_until)
        except (OSError, ValueError, RobotError):
            self._process.kill()
        code = self._process.wait()
        if not self._closing.is_set():
            self._closing.set()
            how = f"was ended by signal {-code}" if code < 0 else f"ended with code {code}"
            self._on_exit(f"the robot's own process {how}")

    def _send_heartbeats(self) -> None:
        while not self._closing.wait(HEARTBEAT_PERIOD):
            try:
                self.send("beat", **({} if self.heartbeat is None else {"age": self.heartbeat.age}))
            except RobotError:
                return  # `_read` reports the loss
            if monotonic() > self._deadline:
                self._process.kill()
                return
