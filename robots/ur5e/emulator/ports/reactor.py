"""Serve every socket of the emulator in one thread, between ticks.

A client that does not read blocks nobody.
"""

from __future__ import annotations

import re
import selectors
import socket
from collections.abc import Callable
from time import perf_counter
from typing import TypeVar

T = TypeVar("T")
_HTTP = re.compile(rb"[A-Z]{3,8} [^\r\n]{1,4000} HTTP/\d")  # the first line of an HTTP request
DEFAULT_BACKLOG = 1 << 20  # bytes that may wait for one client


def is_http(line: bytes) -> bool:
    """Return True if the line begins an HTTP request: web pages may send requests that no user intended."""
    return _HTTP.match(line) is not None


class ClientConnection:
    """One accepted connection. Subclasses implement `on_received` and `on_closed`."""

    def __init__(self, sock: socket.socket, reactor: Reactor, max_backlog: int = DEFAULT_BACKLOG) -> None:
        self._sock, self._reactor, self._max_backlog = sock, reactor, max_backlog
        self._waiting = bytearray()
        self._silent = True  # nothing has been received yet
        self.dropped = 0  # packages skipped because the client reads too slowly
        self.open = True

    def on_received(self, data: bytes) -> None:
        raise NotImplementedError

    def on_closed(self) -> None:
        """Called when the connection is gone, for whatever reason."""

    def send(self, data: bytes) -> None:
        """Send a reply. Replies are never skipped: a client with too large a backlog is closed."""
        if not self.open:
            return
        if len(self._waiting) + len(data) > self._max_backlog:
            self.close()
            return
        self._waiting += data
        self.flush()

    @property
    def hertz(self) -> float:
        """Return how many packages a second this client takes."""
        return 0.0

    def send_latest(self, data: bytes) -> None:
        """Send a package of a stream, or skip all of it while an older one is still waiting."""
        if self._waiting:
            self.dropped += 1
        else:
            self.send(data)

    def flush(self) -> None:
        try:
            while self._waiting:
                sent = self._sock.send(self._waiting)
                del self._waiting[:sent]
        except BlockingIOError:
            pass
        except OSError:
            self.close()
            return
        self._reactor.watch_writable(self, bool(self._waiting))

    def on_readable(self) -> None:
        try:
            data = self._sock.recv(1 << 16)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data or (self._silent and is_http(data)):
            self.close()
            return
        self._silent = False
        self.run_guarded(self.on_received, data)

    def run_guarded(self, do: Callable[[T], None], what: T) -> None:
        """Call `do(what)`; an exception ends only this client's connection."""
        try:
            do(what)
        except Exception as error:
            self._reactor.log_event(f"a connection was closed: {type(error).__name__}: {error}")
            self.close()

    def close(self) -> None:
        if self.open:
            self.open = False
            self._reactor.unregister(self)
            self._sock.close()
            self.on_closed()

    def fileno(self) -> int:
        return self._sock.fileno()


class Reactor:
    """The listeners and connections. `run_until` waits for the next tick and serves clients meanwhile."""

    def __init__(self, log_event: Callable[[str], None] = lambda _: None) -> None:
        self.log_event = log_event  # called with a description of each error
        self._selector = selectors.DefaultSelector()
        self._listeners: list[socket.socket] = []
        self._connections: dict[ClientConnection, int] = {}

    def listen(self, address: str, port: int, make: Callable[[socket.socket], ClientConnection]) -> int:
        """Listen on a port and return its number. Raises OSError if it is taken or not permitted."""
        server = socket.socket()
        server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            server.bind((address, port))
        except OSError:
            server.close()
            raise
        server.listen(16)
        server.setblocking(False)
        self._listeners.append(server)
        self._selector.register(server, selectors.EVENT_READ, lambda: self._accept(server, make))
        return int(server.getsockname()[1])

    def _accept(self, server: socket.socket, make: Callable[[socket.socket], ClientConnection]) -> None:
        try:
            sock, _ = server.accept()
        except OSError:
            return
        sock.setblocking(False)
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link = make(sock)
        if link.open:
            self._connections.setdefault(link, selectors.EVENT_READ)
            self._register(link)

    def _register(self, link: ClientConnection) -> None:
        if link not in self._selector.get_map():
            self._selector.register(link, self._connections[link], link)

    def watch_writable(self, link: ClientConnection, writing: bool) -> None:
        """Also watch `link` for becoming writable, or stop doing so."""
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if writing else 0)
        if link.open and self._connections.get(link) != events:
            self._connections[link] = events
            if link in self._selector.get_map():
                self._selector.modify(link, events, link)
            else:
                self._register(link)

    def unregister(self, link: ClientConnection) -> None:
        self._connections.pop(link, None)
        if link in self._selector.get_map():
            self._selector.unregister(link)

    @property
    def connections(self) -> tuple[ClientConnection, ...]:
        return tuple(self._connections)

    def run_until(self, deadline: float) -> None:
        """Serve until `deadline` (perf_counter seconds); poll at least once."""
        while True:
            left = deadline - perf_counter()
            for key, events in self._selector.select(max(0.0, left)):
                if isinstance(key.data, ClientConnection):
                    if events & selectors.EVENT_READ and key.data.open:
                        key.data.on_readable()
                    if events & selectors.EVENT_WRITE and key.data.open:
                        key.data.flush()
                else:
                    key.data()
            if perf_counter() >= deadline:
                return

    def close(self) -> None:
        for link in self.connections:
            link.close()
        for server in self._listeners:
            self._selector.unregister(server)
            server.close()
        self._listeners.clear()
        self._selector.close()
