"""The dashboard server (port 29999): one permanent connection for questions, and one only for `stop`.

A controller takes commands only on a connection that was made under remote control: one that has seen the
pendant switch loses its rights. So a command has a connection of its own, made for it, and its reply is read:
whatever is no known consent is a refusal, told in the controller's words.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from contextlib import suppress
from threading import Event, Lock, Thread
from time import monotonic
from types import MappingProxyType

from core.errors import RobotError
from core.text.untrusted_text import one_line

PORT = 29999
GREETING = b"Connected: Universal Robots Dashboard Server"
_TIMEOUT = 2.5
_LATE_STOP_S = 1.0  # for which a stop without a connection, or without rights, is still wanted
_POLL_PERIOD_S = 0.1  # within which it notices that it is closed or stale
_LONGEST_REPLY = 200  # characters
_CONSENT: Mapping[str, str] = MappingProxyType(
    {
        "power on": "Powering on",
        "brake release": "Brake releasing",
        "close safety popup": "closing safety popup",
        "unlock protective stop": "Protective stop releasing",
        "stop": "Stopped",
    }
)


def refusal(line: str, reply: str) -> str:
    """Return the controller's words if its reply to this command is a refusal, else ""."""
    consent = reply.lower().startswith(_CONSENT[line].lower())
    return "" if consent else one_line(reply, _LONGEST_REPLY) or "an empty reply"


def command(address: str, line: str) -> None:
    """Send a command on a connection of its own. Raises RobotError with the controller's words if refused."""
    client = DashboardClient(address)
    try:
        if words := refusal(line, client.ask(line)):
            raise RobotError(f'The controller refused `{line}`: "{words}".')
    finally:
        client.close()


class DashboardClient:
    """Asks questions and reads the answers, one thread at a time. Reconnects for the next question."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = Lock()
        self._sock: socket.socket | None = None
        self._buffer = b""

    def ask(self, line: str) -> str:
        """Send one line and return the reply. Raises RobotError if none comes.

        It is sent once more if the connection has been closed since the last one: questions only.
        """
        with self._lock:
            try:
                if self._sock is not None:
                    with suppress(ConnectionError):
                        return self._exchange(line)
                self._disconnect()
                self._connect()
                return self._exchange(line)
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

    def _exchange(self, line: str) -> str:
        assert self._sock is not None
        self._sock.sendall(line.encode() + b"\n")
        return self._read_line()

    def _read_line(self) -> str:
        assert self._sock is not None
        while b"\n" not in self._buffer:
            data = self._sock.recv(4096)
            if not data:
                raise ConnectionError("it has closed the connection")
            self._buffer += data
        line, self._buffer = self._buffer.split(b"\n", 1)
        return line.decode("utf-8", "replace").strip()

    def _disconnect(self) -> None:
        if self._sock is not None:
            self._sock.close()
            self._sock = None


class DashboardStopChannel:
    """A permanent connection that sends only `stop`: it takes no lock and waits for no reply.

    `stop` may be called from any thread. A thread of its own keeps the connection open and reads the replies:
    a stop that is refused is sent again at once on a new connection, and if it is refused there too,
    `on_refused` is called with the controller's words.
    """

    def __init__(self, address: str, on_refused: Callable[[str], object] = lambda words: None) -> None:
        self._address, self._on_refused = address, on_refused
        self._sock: socket.socket | None = None
        self._wanted_at = float("-inf")  # when a stop was last wanted and not taken
        self._unanswered = False  # a stop was sent, and no reply has come since
        self._replies = 0  # on this connection
        self._stale = False
        self._closing, self._opened, self._hurry = Event(), Event(), Event()
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def open(self) -> bool:
        return self._sock is not None

    def wait(self, seconds: float) -> bool:
        """Return True if the connection opens within `seconds`."""
        return self._opened.wait(seconds)

    def stop(self) -> bool:
        """Send `stop`. Return True if it was sent; otherwise it is sent if the connection opens at once."""
        sock = self._sock
        if sock is not None:
            with suppress(OSError):
                self._unanswered = True
                sock.send(b"stop\n")
                return True
        self._wanted_at = monotonic()
        self._hurry.set()
        return False

    def renew(self) -> None:
        """Have the connection made anew, as the controller may take no more commands on this one."""
        self._stale = True

    def close(self) -> None:
        self._closing.set()
        self._hurry.set()
        sock = self._sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(3)

    def _run(self) -> None:
        while not self._closing.is_set():
            words, again = "", False
            try:
                with open_connection(self._address) as sock:
                    if GREETING in sock.recv(4096):
                        sock.settimeout(_POLL_PERIOD_S)
                        self._sock, self._stale, self._replies = sock, False, 0
                        if again := monotonic() - self._wanted_at < _LATE_STOP_S:
                            self._wanted_at = float("-inf")
                            sock.send(b"stop\n")
                        self._opened.set()  # only now, as a release waits for it
                        words = self._read_replies(sock)
            except OSError:
                pass
            self._sock = None
            self._opened.clear()
            if words and again and self._replies == 1:  # it was sent as the connection opened
                self._on_refused(words)
            elif words or self._unanswered:
                self._wanted_at, self._unanswered = monotonic(), False
                continue
            if not self._stale:
                self._hurry.wait(0.2)
                self._hurry.clear()

    def _read_replies(self, sock: socket.socket) -> str:
        """Read until the connection closes or is stale. Return the words with which a stop was refused."""
        buffer = b""
        while not self._closing.is_set() and not self._stale:
            try:
                data = sock.recv(4096)
            except TimeoutError:
                continue
            if not data:
                return ""
            *lines, buffer = (buffer + data).split(b"\n")
            for line in lines:
                self._unanswered, self._replies = False, self._replies + 1
                if words := refusal("stop", line.decode("utf-8", "replace").strip()):
                    return words
        return ""


def open_connection(address: str) -> socket.socket:
    sock = socket.create_connection((address, PORT), _TIMEOUT)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    return sock
