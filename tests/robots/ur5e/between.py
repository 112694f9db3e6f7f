"""A machine between a console and the arm, which delays, holds up or rewrites what the controller sends."""

from __future__ import annotations

import selectors
import socket
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from threading import Event, Thread
from time import monotonic

from robots.ur5e import rtde

PORTS = (29999, 30001, 30002, 30003, 30004, 30999, 63352)
UNREAD = (30001, 30002, 30003)  # ur_rtde never reads what comes from there
_CHUNK = 1 << 16


class Link:
    """One connection through it. Its attributes may be set by any thread."""

    def __init__(self, front: socket.socket, back: socket.socket, port: int) -> None:
        self.front, self.back, self.port = front, back, port
        self.asked = b""  # what the console sent first
        self.unsent = b""
        self.waiting: deque[tuple[float, bytes]] = deque()  # what the controller sent, and when it came
        self.frames = bytearray()

    @property
    def is_data(self) -> bool:
        """Of our own receiver, not of ur_rtde."""
        return b"joint_temperatures" in self.asked


class Between:
    """Listens at `address` for the emulator at `behind`, from when it is made until `close`.

    `late`: seconds by which the arm's data are late. `held`: they wait until it is False again. `deaf`: what
    the console commands gets no further until it is False again, and no stop. `clock` rewrites a timestamp.
    """

    def __init__(self, address: str, behind: str, late: float = 0.0) -> None:
        self.address, self._behind = address, behind
        self.late, self.held = late, False
        self.deaf = False
        self.clock: Callable[[float], float] = lambda timestamp: timestamp
        self._links: list[Link] = []
        self._closing, self._selector = Event(), selectors.DefaultSelector()
        for port in PORTS:
            server = socket.create_server((address, port))
            server.setblocking(False)
            self._selector.register(server, selectors.EVENT_READ, (self._accept, server, port))
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    def mend(self) -> None:
        self.late, self.held, self.deaf, self.clock = 0.0, False, False, lambda timestamp: timestamp

    def cut(self) -> None:
        """Cut the links that the arm's data come on."""
        for link in tuple(self._links):
            if link.is_data:
                with suppress(OSError):
                    link.back.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._closing.set()
        self._thread.join()
        for key in tuple(self._selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        self._selector.close()

    def _run(self) -> None:
        while not self._closing.is_set():
            for key, _ in self._selector.select(0.002 if self.late or self.held or self.deaf else 0.02):
                do, *what = key.data
                do(*what)
            for link in tuple(self._links):
                self._release(link)

    def _accept(self, server: socket.socket, port: int) -> None:
        try:
            front, _ = server.accept()
        except OSError:
            return
        try:
            back = socket.create_connection((self._behind, port), 2)
        except OSError:
            front.close()
            return
        link = Link(front, back, port)
        self._links.append(link)
        for sock, receive in ((front, self._from_console), (back, self._from_controller)):
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self._selector.register(sock, selectors.EVENT_READ, (receive, link))

    def _from_console(self, link: Link) -> None:
        data = self._received(link, link.front)
        link.asked, link.unsent = (link.asked + data)[:4096], link.unsent + data
        self._release(link)

    def _from_controller(self, link: Link) -> None:
        data = self._received(link, link.back)
        if data and link.is_data:
            link.frames += data
            data = b"".join(self._rewritten(*frame) for frame in rtde.take_frames(link.frames))
        if data and link.port not in UNREAD:
            link.waiting.append((monotonic(), data))
            self._release(link)

    def _rewritten(self, kind: int, payload: bytes) -> bytes:
        if kind == rtde.DATA:
            (timestamp,) = struct.unpack_from(">d", payload, 1)
            payload = payload[:1] + struct.pack(">d", self.clock(timestamp)) + payload[9:]
        return rtde.encode_frame(kind, payload)

    def _release(self, link: Link) -> None:
        late, held = (self.late, self.held) if link.is_data else (0.0, False)
        with suppress(OSError):
            if link.unsent and (link.is_data or not self.deaf):
                link.back.sendall(link.unsent)
                link.unsent = b""
            while link.waiting and not held and link.waiting[0][0] + late <= monotonic():
                link.front.sendall(link.waiting.popleft()[1])

    def _received(self, link: Link, sock: socket.socket) -> bytes:
        try:
            data = sock.recv(_CHUNK)
        except OSError:
            data = b""
        if not data:
            for end in (link.front, link.back):
                with suppress(KeyError, ValueError):
                    self._selector.unregister(end)
                end.close()
            with suppress(ValueError):
                self._links.remove(link)
        return data
