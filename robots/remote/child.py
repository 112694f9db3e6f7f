"""The child's end: messages from the parent, a beat to it, and what to do when it is gone or silent."""

from __future__ import annotations

import os
from collections.abc import Callable
from queue import SimpleQueue
from threading import Lock, Thread
from time import monotonic, sleep

from core.errors import RobotError
from robots.remote.framing import Message, Splitter, Value, pack

BEAT = 0.05  # seconds between two beats, either way


class Parent:
    """Owns the process's stdin and stdout; whatever else prints goes to stderr.

    `urgent` is called by the reading thread for every message before it is queued, and `orphaned`, once, when
    the pipe closes or the parent has been silent for `silence` seconds. Neither may block for long.
    """

    def __init__(
        self,
        urgent: Callable[[Message], None],
        orphaned: Callable[[str], None],
        silence: float = 1.0,
    ) -> None:
        self._in, self._out = os.dup(0), os.dup(1)
        os.dup2(2, 1)  # ur_rtde's C++ prints to stdout
        self._lock = Lock()
        self._urgent, self._orphaned, self._silence = urgent, orphaned, silence
        self._heard = monotonic()
        self._gone = False
        self.messages: SimpleQueue[Message] = SimpleQueue()
        for work in (self._read, self._beat):
            Thread(target=work, daemon=True).start()

    def send(self, kind: str, **body: Value) -> None:
        """Any thread. A parent that is gone hears nothing."""
        data = memoryview(pack(kind, **body))
        try:
            with self._lock:
                while data:
                    data = data[os.write(self._out, data) :]
        except OSError:
            self._lost("the parent's pipe is closed")

    def _read(self) -> None:
        splitter = Splitter()
        try:
            while data := os.read(self._in, 1 << 16):
                self._heard = monotonic()
                for message in splitter.feed(data):
                    if message.kind != "beat":
                        self._urgent(message)
                        self.messages.put(message)
        except (OSError, RobotError):
            pass
        self._lost("the parent is gone")

    def _beat(self) -> None:
        while not self._gone:
            self.send("beat")
            if monotonic() - self._heard > self._silence:
                self._lost(f"the parent was silent for {self._silence:g} s")
            sleep(BEAT)

    def _lost(self, why: str) -> None:
        with self._lock:
            if self._gone:
                return
            self._gone = True
        self._orphaned(why)
