"""A worker process of OmniGibson, and calling it: one call at a time, each with a limit of its own."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from time import monotonic
from typing import Any

from core.errors import RobotError
from core.robots import show_nothing
from core.text.untrusted_text import one_line
from robots.child_process import ChildPhase, ChildProcess, SilenceLimits
from robots.omnigibson.fault_messages import DOCTOR, call_fault, ended_fault
from robots.omnigibson.options import NAME_ANOTHER
from robots.omnigibson.worker import PROTOCOL
from robots.omnigibson.worker.framing import Message, encode, receive
from robots.start_progress import StartProgress

WORKER = Path(__file__).parent / "worker"
TOKEN = "DKPROMPT_WORKER_TOKEN"
LOAD_TIMEOUT = 900.0  # seconds to start Isaac Sim and load a scene; the first start compiles shaders
CALL_TIMEOUT = 120.0
SAMPLE_TIMEOUT = 300.0  # OmniGibson may try a thousand places
STEP_TIMEOUT = 2.0  # for each step of the physics, in addition
OBEY_TIMEOUT = 30.0  # for what is left of a call once a stop or a cancel came: a call cannot be broken off
_POLL = 0.1
_REASON_TIMEOUT = 2.0  # between the end of the connection and the reason for it
_LIMITS = SilenceLimits(starting=LOAD_TIMEOUT, idle=60.0, working=120.0)


@dataclass(frozen=True)
class WorkerStart:
    """How the worker is started. `python` is the interpreter of OmniGibson; port 0 takes any free one."""

    python: str
    port: int = 0
    headless: bool = True
    env: Mapping[str, str] | None = None  # in addition to ours


class WorkerSession:
    """Starts the worker and talks to it. Calls come from one thread; `close` may come from any.

    `notify` receives lines about a slow start, in the thread that waits for it; what it raises, such as
    Cancelled, breaks the start off, and then `close(0.0)` ends the process.
    """

    def __init__(self, start: WorkerStart, notify: Callable[[str], None] = show_nothing) -> None:
        self._start, self._progress = start, StartProgress("OmniGibson", notify)
        self._answers: SimpleQueue[tuple[Message, bytes] | None] = SimpleQueue()
        self._sending = Lock()
        self._number = 0
        self._ended = ""  # why the process is gone
        self._gone = Event()
        self._connection: socket.socket | None = None
        self._token = secrets.token_hex(16)
        self._child: ChildProcess | None = None
        self.is_stopped: Callable[[], bool] = lambda: False  # whoever calls is in a hurry

    def open(self) -> None:
        """Start the process and wait until it says who it is. Raises RobotError."""
        try:
            server = socket.create_server(("127.0.0.1", self._start.port))
        except OSError as error:
            raise RobotError(
                f"OmniGibson's worker cannot use the port {self._start.port} of this machine "
                f"({os.strerror(error.errno or 0)}): leave robot.port out, or give one that is free."
            ) from error
        with server:
            host, port = server.getsockname()[:2]
            child = ChildProcess(
                "OmniGibson's process",
                [self._start.python, str(WORKER), f"{host}:{port}"],
                _LIMITS,
                self._on_exit,
                self._progress.report_line,
                env=self._environment(),
            )
            try:
                child.start()
            except RobotError as error:
                raise RobotError(f"{str(error).rstrip('.')}: {NAME_ANOTHER}; {DOCTOR}.") from error
            self._child = child
            try:
                child.close_input()  # what asks a question, such as for NVIDIA's licence, gets no answer
                self._connection = self._accept(server)
            except BaseException:
                child.close(0.0)
                raise
        Thread(target=self._read, args=(self._connection,), name="OmniGibson", daemon=True).start()

    def _environment(self) -> dict[str, str]:
        ours = {k: v for k, v in os.environ.items() if k not in ("PYTHONHOME", "VIRTUAL_ENV")}
        headless = {"OMNIGIBSON_HEADLESS": "1"} if self._start.headless else {}
        return {**ours, "PYTHONUNBUFFERED": "1", **headless, **(self._start.env or {}), TOKEN: self._token}

    def _accept(self, server: socket.socket) -> socket.socket:
        """Return the connection of the worker that has the token; others are shut out."""
        server.settimeout(_POLL)
        deadline = monotonic() + CALL_TIMEOUT
        while monotonic() < deadline:
            if self._ended:
                raise RobotError(ended_fault(self._ended, self.lines, self._start.python))
            self._progress.show()
            try:
                connection, _ = server.accept()
            except TimeoutError:
                continue
            connection.settimeout(10)
            if self._greeted(connection):
                connection.settimeout(None)
                return connection
            connection.close()
        raise RobotError(
            f"OmniGibson's process has not called back within {CALL_TIMEOUT:g} s: check that "
            f"{self._start.python} is a Python that can open a connection on this machine."
        )

    def _greeted(self, connection: socket.socket) -> bool:
        try:
            received = receive(connection)
        except (OSError, ValueError):
            return False
        hello = received[0] if received else {}
        token = str(hello.get("token")).encode(errors="replace")
        if hello.get("kind") != "hello" or not secrets.compare_digest(token, self._token.encode()):
            return False
        if hello.get("protocol") != PROTOCOL:
            raise RobotError(
                f"OmniGibson's worker speaks version {hello.get('protocol')} and this program {PROTOCOL}: "
                "let both come from the same installation."
            )
        return True

    # --- calling ------------------------------------------------------------------------------------

    @property
    def lines(self) -> tuple[str, ...]:
        """Return the last lines that OmniGibson printed, sanitised."""
        return self._child.lines if self._child is not None else ()

    def call(self, name: str, /, **args: object) -> Any:
        """Have the worker do this, and return what it says. Raises RobotError."""
        return self.call_for_picture(name, **args)[0]

    def call_for_picture(self, name: str, /, **args: object) -> tuple[Any, bytes]:
        """Like `call`, with the bytes that come with the answer."""
        connection, child = self._connection, self._child
        if connection is None or child is None or self._ended:
            raise RobotError(ended_fault(self._ended, self.lines))
        child.silence.enter(ChildPhase.STARTING if name == "load" else ChildPhase.WORKING)
        self._number += 1
        try:
            with self._sending:
                connection.sendall(encode({"id": self._number, "call": name, "args": args}))
            message, picture = self._answer(name, _limit(name, args))
        except OSError as error:
            self._gone.wait(_REASON_TIMEOUT)
            raise RobotError(ended_fault(self._ended, self.lines)) from error
        child.silence.enter(ChildPhase.IDLE)
        if message["kind"] == "error":
            raise RobotError(call_fault(name, str(message.get("type")), str(message.get("text"))))
        return message.get("result"), picture

    def _answer(self, name: str, limit: float) -> tuple[Message, bytes]:
        deadline, allowed = monotonic() + limit, f"{limit:g} s"
        while monotonic() < deadline:
            if self.is_stopped() and (hurried := monotonic() + OBEY_TIMEOUT) < deadline:
                deadline, allowed = hurried, f"{OBEY_TIMEOUT:g} s of a stop"
            try:
                answer = self._answers.get(timeout=_POLL)
            except Empty:
                if not self._ended:
                    if name == "load":
                        self._progress.show()
                    continue
                answer = None
            if answer is None:
                self._gone.wait(_REASON_TIMEOUT)
                raise RobotError(ended_fault(self._ended, self.lines))
            if answer[0].get("id") == self._number:
                return answer
        assert self._child is not None
        self._child.kill()
        raise RobotError(
            f"OmniGibson did not finish {name!r} within {allowed} and was ended: start the episode again."
        )

    def close(self, seconds: float = 15.0) -> None:
        """Ask the worker to end; kill it after `seconds`. However it ends now is no fault. Idempotent."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                with self._sending:
                    connection.sendall(encode({"id": 0, "call": "end"}))
            except OSError:
                pass
        if self._child is not None:
            self._child.close(seconds)
        if connection is not None:
            connection.close()

    # --- threads --------------------------------------------------------------------------------------

    def _on_exit(self, reason: str) -> None:
        self._ended = reason
        self._gone.set()

    def _read(self, connection: socket.socket) -> None:
        assert self._child is not None
        try:
            while received := receive(connection):
                self._child.silence.note_sign_of_life()
                kind = received[0].get("kind")
                if kind == "progress":
                    self._progress.report_line(one_line(received[0].get("text")))
                elif kind in ("result", "error"):
                    self._answers.put(received)
        except (OSError, ValueError):
            pass
        self._answers.put(None)


def _limit(name: str, args: Mapping[str, object]) -> float:
    """Return the seconds that a call may take."""
    if name == "load":
        return LOAD_TIMEOUT
    if name in ("sample", "reset"):
        return SAMPLE_TIMEOUT
    count = args.get("count")
    return CALL_TIMEOUT + STEP_TIMEOUT * (count if isinstance(count, int) else 0)
