"""A simulator in a process of its own, started by the console and ended with it."""

from __future__ import annotations

import secrets
import sys
from collections.abc import Callable
from threading import Event

from core.errors import RobotError
from core.install_paths import ROOT
from robots.child_process import ChildPhase, ChildProcess, SilenceLimits
from robots.remote.robot_server import LOOPBACK
from robots.start_progress import StartProgress

_FOREVER = float("inf")  # once it listens, its silence is the link's to judge
_GONE_TIMEOUT = 0.5  # seconds in which the end of a process is noticed after that of its connections
_TICK = 0.05  # seconds between two looks at what it says while it starts


class OwnServer:
    """Starts the process, and waits until it listens. `notify` receives what it prints meanwhile.

    Raises RobotError if it does not start within `timeout` seconds.
    """

    def __init__(self, name: str, timeout: float, notify: Callable[[str], None]) -> None:
        self.token = secrets.token_urlsafe(32).encode()
        self._said, self._why = b"", ""
        self._progress = StartProgress(name, notify)
        self._changed, self._gone = Event(), Event()
        self._child = ChildProcess(
            f"the process of {name!r}",
            (sys.executable, "-m", "robots.remote.server_process", name),
            SilenceLimits(timeout, _FOREVER, _FOREVER),
            self._on_exit,
            self._progress.report_line,
            self._on_output,
            cwd=ROOT,
        )
        self._child.start()
        try:
            self._child.write(self.token + b"\n")
            self.address = LOOPBACK, self._port()
        except (OSError, ValueError) as error:
            self.close()
            raise RobotError(f"{self.why_gone() or error}.") from error
        except BaseException:
            self.kill()
            self.close()
            raise

    def _port(self) -> int:
        while b"\n" not in self._said:
            self._changed.wait(_TICK)
            self._changed.clear()
            gone = self._gone.is_set()
            self._progress.show()
            if gone:
                raise RobotError(f"{self._why[:1].upper()}{self._why[1:]}.")
        return int(self._said.split()[0])

    @property
    def pid(self) -> int:
        return self._child.pid

    def why_gone(self) -> str:
        return f"is gone: {self._why}" if self._gone.wait(_GONE_TIMEOUT) else ""

    def kill(self) -> None:
        self._child.kill()

    def close(self) -> None:
        self._child.close()

    def _on_output(self, data: bytes) -> None:
        self._said += data
        if len(self._said) > 64:
            raise RobotError("it says more than a port")
        self._changed.set()
        if b"\n" in self._said:
            self._child.silence.enter(ChildPhase.IDLE)

    def _on_exit(self, reason: str) -> None:
        self._why = reason
        self._gone.set()
        self._changed.set()
