"""Plain sockets that speak the controller's protocols."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator


def connect(address: str, port: int) -> socket.socket:
    return socket.create_connection((address, port), 10)


def exactly(sock: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = sock.recv(count - len(data))
        assert more, "closed"
        data += more
    return data


class Rtde:
    """Port 30004. `version` None: nothing is negotiated."""

    def __init__(self, address: str, version: int | None = 2) -> None:
        self.sock = connect(address, 30004)
        if version is not None:
            assert self.ask(b"V", struct.pack(">H", version)) == b"\1"

    def send(self, kind: bytes, payload: bytes = b"") -> None:
        self.sock.sendall(struct.pack(">Hc", 3 + len(payload), kind) + payload)

    def frame(self) -> tuple[bytes, bytes]:
        size, kind = struct.unpack(">Hc", exactly(self.sock, 3))
        return kind, exactly(self.sock, size - 3)

    def ask(self, kind: bytes, payload: bytes = b"") -> bytes:
        self.send(kind, payload)
        while True:
            answered, reply = self.frame()
            if answered == kind:
                return reply

    def outputs(self, names: str, hertz: float = 500.0) -> bytes:
        return self.ask(b"O", struct.pack(">d", hertz) + names.encode())

    def packages(self) -> Iterator[bytes]:
        while True:
            kind, payload = self.frame()
            if kind == b"U":
                yield payload

    def __enter__(self) -> Rtde:
        return self

    def __exit__(self, *_: object) -> None:
        self.sock.close()
