"""The Robotiq Hand-E's registers over the socket of its URCap (port 63352)."""

from __future__ import annotations

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from threading import Lock

from core.errors import RobotError

PORT = 63352
OPEN, CLOSED = 0, 255
STROKE = 0.05  # metres
_TIMEOUT = 2.0


class ObjectDetection(IntEnum):
    """The gripper's object bits: what the fingers met."""

    MOVING = 0
    CONTACT_OPENING = 1  # something stopped the fingers while they opened
    CONTACT_CLOSING = 2  # something is between the fingers
    AT_POSITION = 3  # nothing; the fingers are where they should be


FAULTS = {
    0x05: "it waits for its activation",
    0x07: "it must be activated first",
    0x08: "it is too hot",
    0x09: "it has no communication",
    0x0A: "its voltage is too low",
    0x0B: "an automatic release is under way",
    0x0C: "it has an internal fault",
    0x0D: "its activation failed",
    0x0E: "its current is too high",
    0x0F: "an automatic release is done: activate it again",
}


@dataclass(frozen=True)
class RobotiqState:
    """The state that the gripper reports. `position` runs from 0 (open) to 255 (closed)."""

    position: int
    object_detection: ObjectDetection
    active: bool
    fault: int

    @property
    def holding(self) -> bool:
        """Return True if something is between the fingers. What stops them from opening is outside."""
        return self.active and self.object_detection is ObjectDetection.CONTACT_CLOSING

    @property
    def opening(self) -> float:
        """Return the distance between the pads in metres."""
        return STROKE * (1 - self.position / 255)


class GripperSocket:
    """Reads and sets registers, one request at a time, from any thread.

    Raises RobotError if the gripper does not answer or refuses.
    """

    def __init__(self, address: str, port: int = PORT) -> None:
        self._address, self._port = address, port
        self._lock = Lock()  # held while a reply is awaited
        self._sock: socket.socket | None = None

    def state(self) -> RobotiqState:
        position, held, status, fault = (self.get(name) for name in ("POS", "OBJ", "STA", "FLT"))
        return RobotiqState(position, ObjectDetection(held & 3), status == 3, fault)

    def get(self, name: str) -> int:
        reply = self._request(f"GET {name}\n")
        got, _, value = reply.partition(" ")
        if got != name or not value.strip().isdigit():
            raise RobotError(
                f"The gripper does not report {name} ({reply!r}): check its cable and its URCap."
            )
        return int(value)

    def set(self, **values: int) -> None:
        reply = self._request(set_line(values).decode())
        if reply != "ack":
            raise RobotError(f"The gripper refused {values} ({reply!r}): activate it again.")

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _request(self, line: str) -> str:
        with self._lock:
            try:
                if self._sock is None:
                    self._sock = socket.create_connection((self._address, self._port), _TIMEOUT)
                    self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._send(self._sock, line.encode())
                data = self._sock.recv(1024)  # a short reply arrives in one segment
                if not data:
                    raise OSError("it has closed the connection")
                return data.decode("ascii", "replace").strip()
            except OSError as error:
                self._disconnect()
                raise RobotError(
                    f"The gripper does not answer on {self._address}:{self._port} ({error}): check that its "
                    "URCap is installed and the gripper is connected."
                ) from error

    def _send(self, sock: socket.socket, line: bytes) -> None:
        sock.sendall(line)

    def _disconnect(self) -> None:
        if self._sock is not None:
            self._sock.close()
            self._sock = None


def set_line(values: Mapping[str, int]) -> bytes:
    """Return the request that sets these registers."""
    return ("SET " + " ".join(f"{k} {v}" for k, v in values.items()) + "\n").encode()
