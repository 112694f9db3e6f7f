"""Handle Ctrl+C, SIGTERM and SIGHUP on a thread of their own.

A Python signal handler runs between any two instructions of the main thread, which may hold any lock, so it
takes no lock and does nothing. The interpreter writes the signal's number into a socket, and the thread that
reads it acts, even while the main thread is blocked.
"""

from __future__ import annotations

import logging
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from time import monotonic
from types import FrameType

from core.stop.heartbeat import HEARTBEAT_PERIOD, Heartbeat

END_TIMEOUT = 3.0  # seconds in which a program that was asked to end may end in order

log = logging.getLogger(__name__)
Handler = Callable[[int, FrameType | None], None]
NUMBERS = tuple(getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, n))


class TerminatedBySignal(BaseException):
    """A signal came that asks the program to end."""

    def __init__(self, number: int) -> None:
        super().__init__(signal_name(number))
        self.number = number


def signal_name(number: int) -> str:
    """Return what people call a signal."""
    return "Ctrl+C" if number == signal.SIGINT else signal.Signals(number).name


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Raise Ended in the main thread, once, so that processes that it has started end with what waits for
    them. The next signal does again what it did before.
    """

    def end(number: int, frame: FrameType | None) -> None:
        restore()
        raise TerminatedBySignal(number)

    def restore() -> None:
        for number, handler in previous.items():
            signal.signal(number, handler)

    previous = {number: signal.signal(number, end) for number in NUMBERS}
    try:
        yield
    finally:
        restore()


def end_at_once(number: int) -> None:
    """End this process, whatever its threads are at. What it has started ends with it."""
    with suppress(OSError):
        os.write(2, b"The program was asked to end and did not, so it was ended at once.\n")
    os._exit(128 + number)


def _nothing(number: int, frame: FrameType | None) -> None:
    """Do nothing; without a Python handler the signal's default action would be taken."""


class OsSignalListener:
    """Calls `came` for each signal, one at a time, from its creation until `close`, both on the main thread.

    `came` returns True if it asked the program to end. If that has not ended END_TIMEOUT later, whatever the
    main thread is at, the next signal ends it at once, after `came`.

    `handler` may end what the main thread waits for; it must take no lock. With a heartbeat, the thread that
    acts on signals beats it, as long as it can act.
    """

    def __init__(
        self,
        came: Callable[[int], object],
        handler: Handler = _nothing,
        heartbeat: Heartbeat | None = None,
    ) -> None:
        self._on_signal, self._heartbeat = came, heartbeat
        self._read, self._write = socket.socketpair()
        self._read.settimeout(HEARTBEAT_PERIOD if heartbeat is not None else None)
        self._write.setblocking(False)
        self._previous_wakeup = signal.set_wakeup_fd(self._write.fileno(), warn_on_full_buffer=False)
        self._previous_handlers = {number: signal.signal(number, handler) for number in NUMBERS}
        self._thread = threading.Thread(target=self._listen, name="signals", daemon=True)
        self._thread.start()

    def __enter__(self) -> OsSignalListener:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Restore the earlier handlers and wait for a signal that is being handled. Idempotent."""
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
        asked = float("inf")  # when the program was asked to end
        while numbers := self._receive():
            if numbers[0] in NUMBERS:
                try:
                    ends = self._on_signal(numbers[0])
                except Exception:
                    log.exception("what is done about signal %d broke", numbers[0])
                    ends = True
                if monotonic() > asked + END_TIMEOUT:
                    end_at_once(numbers[0])
                asked = min(asked, monotonic()) if ends else asked

    def _receive(self) -> bytes:
        """Wait for a signal. Return b"" once the listener is closed."""
        while True:
            if self._heartbeat is not None:
                self._heartbeat.beat()
            try:
                return self._read.recv(1)
            except TimeoutError:
                continue
