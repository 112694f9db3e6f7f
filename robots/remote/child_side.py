"""The child's side: receive messages, send heartbeats, and react when the parent is gone or silent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic, sleep

from core.errors import RobotError
from core.stop.heartbeat import HEARTBEAT_PERIOD, Heartbeat
from robots.remote.connection import inherited_connection
from robots.remote.wire_message import JsonValue, WireMessage


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
        self._lock = Lock()
        self._on_message, self._on_orphaned, self._timeout = on_message, on_orphaned, timeout
        self._last_received = monotonic()
        self._orphan_reported = False
        self.operator = Heartbeat()
        self.messages: SimpleQueue[WireMessage] = SimpleQueue()
        for work in (self._read, self._send_heartbeats):
            Thread(target=work, daemon=True).start()

    def send(self, kind: str, **body: JsonValue) -> None:
        """Send a message, from any thread. It is dropped silently if the parent is gone."""
        with suppress(RobotError):  # the reading thread notices that
            self._connection.send(kind, **body)

    def _read(self) -> None:
        with suppress(RobotError):
            for message in self._connection.messages():
                self._last_received = monotonic()
                if message.kind != "beat":
                    self._on_message(message)
                    self.messages.put(message)
                elif "age" in message.body:
                    self.operator.beat(message.number("age"))
        self._report_orphaned("the parent is gone")

    def _send_heartbeats(self) -> None:
        while not self._orphan_reported:
            self.send("beat")
            silent = self._silent
            sleep(HEARTBEAT_PERIOD)
            if silent and self._silent:  # what has come was read meanwhile, if Python's lock had been held
                self._report_orphaned(f"the parent was silent for {self._timeout:g} s")

    @property
    def _silent(self) -> bool:
        return monotonic() - self._last_received > self._timeout

    def _report_orphaned(self, reason: str) -> None:
        with self._lock:
            if self._orphan_reported:
                return
            self._orphan_reported = True
        self._on_orphaned(reason)
