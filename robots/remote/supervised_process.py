"""A child of our own, which speaks our messages: its parent's side, and its own."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Event, Thread
from time import sleep

from core.errors import RobotError
from core.install_paths import ROOT
from core.stop.heartbeat import HEARTBEAT_PERIOD, Heartbeat
from robots.child_process import ChildPhase, ChildProcess, SilenceLimits
from robots.remote.connection import Connection, inherited_connection
from robots.remote.wire_message import JsonValue, WireMessage

_LIMITS = SilenceLimits(starting=20.0, idle=1.0, working=1.0)  # until the first heartbeat, between two


class SupervisedProcess:
    """Runs `python -m module *args` as a child. Both callbacks are called from this object's own threads.

    `on_exit(why)` is called once, when the child ends without having been asked to, or is ended because it
    fell silent: a child that does not read is, too. `heartbeat` is passed on to the child once it is set.
    """

    def __init__(
        self,
        module: str,
        args: tuple[str, ...],
        on_message: Callable[[WireMessage], None],
        on_exit: Callable[[str], None],
    ) -> None:
        self._on_message = on_message
        self.heartbeat: Heartbeat | None = None
        self._closing = Event()
        self._child = ChildProcess(
            "the robot's own process",
            (sys.executable, "-m", module, *args),
            _LIMITS,
            on_exit,
            listen=self._listen,
            cwd=ROOT,
        )
        self._connection = Connection(self._child.socket)
        self._child.start()
        Thread(target=self._send_heartbeats, daemon=True).start()

    @property
    def pid(self) -> int:
        return self._child.pid

    @property
    def alive(self) -> bool:
        return self._child.alive

    def extend_deadline(self, seconds: float) -> None:
        """Allow the child so many seconds of silence, until its next message: for a call known to block."""
        self._child.silence.extend_deadline(seconds)

    def send(self, kind: str, **body: JsonValue) -> None:
        """Send a message, from any thread. Raises RobotError if the child is gone."""
        try:
            self._connection.send(kind, **body)
        except RobotError as error:
            raise RobotError("The robot's own process has ended: connect again.") from error

    def close(self, seconds: float = 3.0) -> None:
        """Close the connection, which ends the child; kill it after `seconds` if not. Idempotent."""
        self._closing.set()
        self._child.close(seconds)

    def _listen(self) -> None:
        for message in self._connection.messages():
            if message.kind != "beat":
                self._child.silence.end_extension()  # the long call has been answered
                self._child.silence.note_sign_of_life()
                self._on_message(message)
            elif self._child.silence.phase is ChildPhase.STARTING:
                self._child.silence.enter(ChildPhase.IDLE)
            else:
                self._child.silence.note_sign_of_life()

    def _send_heartbeats(self) -> None:
        while not self._closing.wait(HEARTBEAT_PERIOD):
            try:
                self.send("beat", **({} if self.heartbeat is None else {"age": self.heartbeat.age}))
            except RobotError:
                return  # its end is reported by `on_exit`


class ChildSide:
    """The child's connection to its parent, a `SupervisedProcess`.

    The reading thread calls `on_message` for every message before it is queued, and calls `on_orphaned(why)`
    once, when the connection ends or the parent has been silent for `timeout` seconds. Neither may block for
    long. `operator` is the heartbeat that the parent follows, if any.
    """

    def __init__(
        self,
        on_message: Callable[[WireMessage], None],
        on_orphaned: Callable[[str], None],
        timeout: float = 1.0,
    ) -> None:
        self._connection = inherited_connection()
        self._on_message, self._on_orphaned, self._timeout = on_message, on_orphaned, timeout
        self._orphaned = False
        self.operator = Heartbeat()
        self.messages: SimpleQueue[WireMessage] = SimpleQueue()
        for work in (self._read, self._send_heartbeats):
            Thread(target=work, daemon=True).start()

    def send(self, kind: str, **body: JsonValue) -> None:
        """Send a message, from any thread. It is dropped silently if the parent is gone."""
        with suppress(RobotError):  # the reading thread notices that
            self._connection.send(kind, **body)

    def _read(self) -> None:
        reason = "the parent is gone"
        try:
            for message in self._connection.messages(self._timeout):
                if message.kind != "beat":
                    self._on_message(message)
                    self.messages.put(message)
                elif "age" in message.body:
                    self.operator.beat(message.number("age"))
        except TimeoutError:
            reason = f"the parent was silent for {self._timeout:g} s"
        except RobotError:
            pass
        self._orphaned = True
        self._on_orphaned(reason)

    def _send_heartbeats(self) -> None:
        while not self._orphaned:
            self.send("beat")
            sleep(HEARTBEAT_PERIOD)
