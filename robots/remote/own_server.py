"""A simulator in a process of its own, started by the console and ended with it."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Event

from core.errors import RobotError
from core.install_paths import ROOT
from robots.child_process import ChildPhase, ChildProcess, SilenceLimits
from robots.remote.connection import Connection
from robots.remote.robot_server import LOOPBACK
from robots.start_progress import StartProgress

_FOREVER = float("inf")  # once it listens, its silence is the link's to judge
_GONE_TIMEOUT = 0.5  # seconds in which the end of a process is noticed after that of its connections
_TICK = 0.02  # seconds between two looks at what it says while it starts


class OwnServer:
    """Starts the process, and waits until it listens. `notify` receives what it prints meanwhile.

    Raises RobotError if it does not start within `timeout` seconds.
    """

    def __init__(self, name: str, timeout: float, notify: Callable[[str], None]) -> None:
        self.token = secrets.token_urlsafe(32).encode()
        self._port, self._why, self._gone = 0, "", Event()
        progress = StartProgress(name, notify)
        self._child = ChildProcess(
            f"the process of {name!r}",
            (sys.executable, "-m", "robots.remote.server_process", name),
            SilenceLimits(timeout, _FOREVER, _FOREVER),
            self._on_exit,
            progress.report_line,
            self._listen,
            cwd=ROOT,
        )
        self._connection = Connection(self._child.socket)
        self._child.start()
        try:
            with suppress(RobotError):  # then it is gone, and why is told below
                self._connection.send("token", token=self.token.decode())
            while not self._port:
                gone = self._gone.wait(_TICK)
                progress.show()
                if gone:
                    raise RobotError(f"{self._why[:1].upper()}{self._why[1:]}.")
        except BaseException:
            self.kill()
            self.close()
            raise
        self.address = LOOPBACK, self._port

    @property
    def pid(self) -> int:
        return self._child.pid

    def why_gone(self) -> str:
        return f"is gone: {self._why}" if self._gone.wait(_GONE_TIMEOUT) else ""

    def kill(self) -> None:
        self._child.kill()

    def close(self) -> None:
        self._child.close()

    def _listen(self) -> None:
        for message in self._connection.messages():
            self._port = message.whole("port")
            self._child.silence.enter(ChildPhase.IDLE)

    def _on_exit(self, reason: str) -> None:
        self._why = reason
        self._gone.set()
