"""The child's side: receive messages, send heartbeats, and react when the parent is gone or silent."""

from __future__ import annotations

import os
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic, sleep

from core.errors import RobotError
from core.stop.heartbeat import HEARTBEAT_PERIOD, Heartbeat
from robots.remote.wire_message import JsonValue, MessageDecoder, WireMessage, encode_message


class ChildSide:
    """The child's connection to its parent: owns stdin and stdout, and redirects other prints to stderr.

    The reading thread calls `on_message` for every message before it is queued, and calls `on_orphaned(why)`
    once, when the pipe closes or the parent has been silent for `timeout` seconds. Neither may block for
    long. `operator` is the heartbeat that the parent follows, if any.
    """

    def __init__(
        self,
        on_message: Callable[[WireMessage], None],
        on_orphaned: Callable[[str], None],
        timeout: float = 1.0,
    ) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        os.dup2(2, 1)  # ur_rtde's C++ prints to stdout
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
        data = memoryview(encode_message(kind, **body))
        try:
            with self._lock:
                while data:
                    data = data[os.write(self._out, data) :]
        except OSError:
            self._report_orphaned("the parent's pipe is closed")

    def _read(self) -> None:
        splitter = MessageDecoder()
        try:
            while data := os.read(self._in, 1 << 16):
                self._last_received = monotonic()
                for message in splitter.feed(data):
                    if message.kind != "beat":
                        self._on_message(message)
                        self.messages.put(message)
                    elif "age" in message.body:
                        self.operator.beat(message.number("age"))
        except (OSError, RobotError):
            pass
        self._report_orphaned("the parent is gone")

    def _send_heartbeats(self) -> None:
        while not self._orphan_reported:
            self.send("beat")
            if monotonic() - self._last_received > self._timeout:
                self._report_orphaned(f"the parent was silent for {self._timeout:g} s")
            sleep(HEARTBEAT_PERIOD)

    def _report_orphaned(self, reason: str) -> None:
        with self._lock:
            if self._orphan_reported:
                return
            self._orphan_reported = True
        self._on_orphaned(reason)
