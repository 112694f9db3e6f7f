"""The dashboard server (port 29999): one permanent connection for questions, and one only for `stop`."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Event, Lock, Thread

from core.errors import RobotError

PORT = 29999
GREETING = b"Connected: Universal Robots Dashboard Server"
_TIMEOUT = 2.5


class DashboardClient:
    """Asks questions and reads the answers, one thread at a time. Reconnects for the next question."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = Lock()
        self._sock: socket.socket | None = None
        self._buffer = b""

    def ask(self, line: str) -> str:
        """Send one line, once, and return the reply. Raises RobotError if none comes."""
        with self._lock:
            try:
                if self._sock is None:
                    self._connect()
                assert self._sock is not None
                self._sock.sendall(line.encode() + b"\n")
                return self._read_line()
            except OSError as error:
                self._disconnect()
                raise RobotError(
                    f"The dashboard of {self._address} does not answer ({error}): check cable, address, "
                    "and that the dashboard server is enabled under Settings, Security, Services."
                ) from error

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _connect(self) -> None:
        self._sock = open_connection(self._address)
        self._buffer = b""
        if GREETING not in self._read_line().encode():
            raise OSError("it is no UR dashboard")

    def _read_line(self) -> str:
        assert self._sock is not None
        while b"\n" not in self._buffer:
            data = self._sock.recv(4096)
            if not data:
                raise OSError("it has closed the connection")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode("utf-8", "replace").strip()

    def _disconnect(self) -> None:
        if self._sock is not None:
            self._sock.close()
            self._sock = None


class DashboardStopChannel:
    """A permanent connection that sends only `stop`: it takes no lock and waits for no reply.

    `stop` may be called from any thread; a thread of its own keeps the connection open.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._sock: socket.socket | None = None
        self._closing, self._opened = Event(), Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def open(self) -> bool:
        return self._sock is not None

    def wait(self, seconds: float) -> bool:
        """Return True if the connection opens within `seconds`."""
        return self._opened.wait(seconds)

    def stop(self) -> bool:
        """Send `stop`. Return True if it was sent."""
        sock = self._sock
        if sock is None:
            return False
        try:
            sock.send(b"stop\n")
        except OSError:
            return False
        return True

    def close(self) -> None:
        self._closing.set()
        sock = self._sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(3)

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                with open_connection(self._address) as sock:
                    if GREETING in sock.recv(4096):
                        sock.settimeout(0.5)
                        self._sock = sock
                        self._opened.set()
                        self._listen(sock)
            except OSError:
                pass
            self._sock = None
            self._opened.clear()
            self._closing.wait(0.2)

    def _listen(self, sock: socket.socket) -> None:
        """Read and discard replies, so that no buffer fills, and notice when the connection closes."""
        while not self._closing.is_set():
            try:
                if not sock.recv(4096):
                    return
            except TimeoutError:
                continue


def open_connection(address: str) -> socket.socket:
    sock = socket.create_connection((address, PORT), _TIMEOUT)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return sock
