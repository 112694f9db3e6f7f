"""The child's side: receive messages, send heartbeats, and react when the parent is gone or silent."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import SimpleQueue
from threading import Thread
from time import sleep

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
