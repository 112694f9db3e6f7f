"""Ctrl+C, SIGTERM and SIGHUP, acted upon by a thread of their own.

A handler runs between any two instructions of the main thread, which may hold any lock just then; so it takes
none and does nothing. The interpreter itself writes a signal's number into a socket, and the thread that
reads it acts, also while the main thread is held up.
"""

from __future__ import annotations

import logging
import signal
import socket
import threading
from collections.abc import Callable
from types import FrameType, TracebackType

log = logging.getLogger(__name__)
Handler = Callable[[int, FrameType | None], None]
NUMBERS = tuple(getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n))


def _nothing(number: int, frame: FrameType | None) -> None:
    """Without a handler in Python a signal would take its default way."""


class OsSignalListener:
    """From when it is made until `close`, both on the main thread. `came` is called for each, one by one.

    `handler` may end what the main thread waits for; it takes no lock.
    """

    def __init__(self, came: Callable[[int], None], handler: Handler = _nothing) -> None:
        self._on_signal = came
        self._read, self._write = socket.socketpair()
        self._write.setblocking(False)
        self._previous_wakeup = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._previous_handlers = {number: signal.signal(number, handler) for number in NUMBERS}
        self._thread = threading.Thread(target=self._listen, name="signals", daemon=True)
        self._thread.start()

    def __enter__(self) -> OsSignalListener:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """As it was before. Idempotent; waits for what is done about a signal that has come."""
        if self._write.fileno() < 0:
            return
        for number, handler in self._previous_handlers.items():
            signal.signal(number, handler)
        signal.set_wakeup_fd(self._previous_wakeup)
        self._write.close()
        if threading.current_thread() is not self._thread:
            self._thread.join()
        self._read.close()

    def _listen(self) -> None:
        while numbers := self._read.recv(1):
            if numbers[0] in NUMBERS:
                try:
                    self._on_signal(numbers[0])
                except Exception:
                    log.exception("what is done about signal %d broke", numbers[0])
