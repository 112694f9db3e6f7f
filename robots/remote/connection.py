"""One connection that carries messages, on either side: of TCP, or with a process that we have started."""

from __future__ import annotations

import os
import select
import socket
import struct
from collections.abc import Iterator
from contextlib import suppress
from threading import Lock
from time import monotonic

from core.errors import RobotError
from robots.remote.wire_message import (
    MAX_MESSAGE_BYTES,
    JsonValue,
    MessageDecoder,
    WireMessage,
    encode_message,
)

SEND_TIMEOUT = 2  # seconds after which a peer that does not read is given up
GONE = "the connection was closed"


class Connection:
    """`send` and `close` may be called from any thread, `receive` and `messages` from one."""

    def __init__(self, sock: socket.socket, max_bytes: int = MAX_MESSAGE_BYTES) -> None:
        self._sock, self._lock = sock, Lock()
        self._decoder = MessageDecoder(max_bytes)
        self._waiting: list[WireMessage] = []  # received, and not yet taken
        if sock.family != socket.AF_UNIX:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", SEND_TIMEOUT, 0))

    def allow(self, max_bytes: int) -> None:
        """Take longer messages from now on: the other side has shown who it is."""
        self._decoder.max_bytes = max_bytes

    def send(self, kind: str, *blobs: bytes, **body: JsonValue) -> None:
        """Send a message. Raises RobotError if the other side is gone or does not read."""
        try:
            with self._lock:
                self._sock.sendall(encode_message(kind, *blobs, **body))
        except (OSError, ValueError) as error:
            self.close()
            raise RobotError(GONE) from error

    def receive(self, seconds: float) -> WireMessage:
        """Wait for the whole next message. Raises RobotError if none comes, or none that can be read."""
        end = monotonic() + seconds
        try:
            while not self._waiting:
                self._sock.settimeout(max(end - monotonic(), 0.001))
                if not self._take():
                    raise RobotError(GONE)
                if not self._waiting and monotonic() > end:
                    raise TimeoutError
            return self._waiting.pop(0)
        except TimeoutError:
            raise RobotError(f"no answer came within {seconds:g} s") from None
        finally:
            with suppress(OSError):
                self._sock.settimeout(None)

    def messages(self, silence: float | None = None) -> Iterator[WireMessage]:
        """Yield what comes until the connection ends. Raises RobotError for what is no message, TimeoutError
        once nothing has come for `silence` seconds: what came while Python's lock was held counts.
        """
        while True:
            while self._waiting:
                yield self._waiting.pop(0)
            if silence is not None and not self._readable(silence):
                raise TimeoutError
            if not self._take():
                return

    def _readable(self, seconds: float) -> bool:
        """Wait until there is something to take, or the end. A wait in which this process was suspended
        counts for no more than a tenth of a second.
        """
        poll = select.poll()
        try:
            poll.register(self._sock, select.POLLIN)
        except ValueError:  # it was closed here
            return True
        return any(poll.poll(100) for _ in range(round(10 * seconds)))

    def _take(self) -> bool:
        """Take what has come. Return False at the end. Raises RobotError, and TimeoutError."""
        try:
            data = self._sock.recv(1 << 16)
        except TimeoutError:
            raise
        except OSError:
            return False
        self._waiting += self._decoder.feed(data)
        return bool(data)

    def close(self) -> None:
        """End it, on both sides. Idempotent."""
        with suppress(OSError):
            self._sock.shutdown(socket.SHUT_RDWR)
        self._sock.close()


def inherited_connection() -> Connection:
    """Return the connection of a `ChildProcess` to who started it: its stdin, which is empty from now on."""
    sock = socket.socket(fileno=os.dup(0))
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    return Connection(sock)
