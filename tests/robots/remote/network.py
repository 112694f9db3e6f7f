"""A network between console and robot, which can be slow, stand still, break, or say what nobody said."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from time import sleep


class Network:
    """Carries every connection on, with `delay` seconds for each piece, and nothing while not `open`."""

    def __init__(self, address: tuple[str, int]) -> None:
        self._to, self.delay, self.open = address, 0.0, Event()
        self.open.set()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.host, self.port = self._listener.getsockname()[:2]
        self.pairs: list[tuple[socket.socket, socket.socket]] = []  # console's end, robot's end
        Thread(target=self._accept, daemon=True).start()

    def cut(self) -> None:
        """Break every connection."""
        for pair in self.pairs:
            for sock in pair:
                with suppress(OSError):
                    sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut()
        self.open.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                console, _ = self._listener.accept()
                robot = socket.create_connection(self._to)
                self.pairs.append((console, robot))
                for source, sink in ((console, robot), (robot, console)):
                    sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                    Thread(target=self._carry, args=(source, sink), daemon=True).start()

    def _carry(self, source: socket.socket, sink: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(1 << 16):
                sleep(self.delay)
                self.open.wait()
                sink.sendall(data)
        with suppress(OSError):
            sink.shutdown(socket.SHUT_RDWR)


@contextmanager
def network_to(host: str, port: int) -> Iterator[Network]:
    network = Network((host, port))
    try:
        yield network
    finally:
        network.close()
