"""The Robotiq Hand-E over the socket of its URCap (port 63352)."""

from __future__ import annotations

import socket
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from threading import Lock
from time import monotonic, sleep

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
        """Return True if something is between the fingers.

        An object that stops them from opening is outside.
        """
        return self.active and self.object_detection is ObjectDetection.CONTACT_CLOSING

    @property
    def opening(self) -> float:
        """Return the distance between the pads in metres."""
        return STROKE * (1 - self.position / 255)


def never_interrupted() -> bool:
    """Return False: the default for motions that nothing interrupts."""
    return False


class RobotiqGripper:
    """Controls the gripper, one request at a time, from any thread.

    Raises RobotError if it does not answer or reports a fault.
    """

    def __init__(self, address: str) -> None:
        self._address = address
        self._lock = Lock()
        self._sock: socket.socket | None = None

    def state(self) -> RobotiqState:
        position, held, status, fault = (self._get(name) for name in ("POS", "OBJ", "STA", "FLT"))
        return RobotiqState(position, ObjectDetection(held & 3), status == 3, fault)

    def activate(self, interrupted: Callable[[], bool] = never_interrupted, seconds: float = 10.0) -> None:
        """Activate the gripper.

        A real hand opens and closes once, so this is a motion that a person must approve.

        When `interrupted` returns True the gripper is reset, which stops it where it is and leaves it
        inactive.
        """
        if self._get("STA") == 3 and not self._get("FLT"):
            return
        self._set(ACT=0, ATR=0)
        if not self._wait_until(lambda: self._get("STA") == 0, interrupted, seconds, "did not reset"):
            return
        done = False
        try:
            self._set(ACT=1, GTO=1)
            done = self._wait_until(lambda: self._get("STA") == 3, interrupted, seconds, "was not activated")
        finally:
            if not done:
                self._set(ACT=0, GTO=0)

    def move(
        self, position: int, speed: int, force: int, interrupted: Callable[[], bool], seconds: float = 4.0
    ) -> RobotiqState:
        """Move, and wait until the fingers stand still or `interrupted` returns True; the fingers then stop
        where they are.
        """
        state = self.state()
        if state.fault or not state.active:
            raise RobotError(f"The gripper cannot move: {FAULTS.get(state.fault, 'it is not activated')}.")
        self._set(POS=_clamp_byte(position), SPE=_clamp_byte(speed), FOR=_clamp_byte(force), GTO=1)
        end = monotonic() + seconds
        while True:
            state = self.state()
            if interrupted():
                self._set(GTO=0)
                return state
            if state.object_detection is not ObjectDetection.MOVING and self._get("PRE") == _clamp_byte(
                position
            ):
                return state
            if monotonic() > end:
                raise RobotError("The gripper did not come to rest: look at it, and activate it again.")
            sleep(0.01)

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _wait_until(
        self, condition: Callable[[], bool], interrupted: Callable[[], bool], seconds: float, failed: str
    ) -> bool:
        """Return True if `condition` came true before an interruption."""
        end = monotonic() + seconds
        while not interrupted():
            if condition():
                return not interrupted()  # an interruption may have come during the query
            if monotonic() > end:
                raise RobotError(f"The gripper {failed}: check its cable and its URCap.")
            sleep(0.01)
        return False

    def _get(self, name: str) -> int:
        reply = self._request(f"GET {name}\n")
        got, _, value = reply.partition(" ")
        if got != name or not value.strip().isdigit():
            raise RobotError(
                f"The gripper does not report {name} ({reply!r}): check its cable and its URCap."
            )
        return int(value)

    def _set(self, **values: int) -> None:
        reply = self._request("SET " + " ".join(f"{k} {v}" for k, v in values.items()) + "\n")
        if reply != "ack":
            raise RobotError(f"The gripper refused {values} ({reply!r}): activate it again.")

    def _request(self, line: str) -> str:
        with self._lock:
            try:
                if self._sock is None:
                    self._sock = socket.create_connection((self._address, PORT), _TIMEOUT)
                    self._sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._sock.sendall(line.encode())
                data = self._sock.recv(1024)  # a short reply arrives in one segment
                if not data:
                    raise OSError("it has closed the connection")
                return data.decode("ascii", "replace").strip()
            except OSError as error:
                self._disconnect()
                raise RobotError(
                    f"The gripper does not answer on {self._address}:{PORT} ({error}): check that its "
                    "URCap is installed and the gripper is connected."
                ) from error

    def _disconnect(self) -> None:
        if self._sock is not None:
            self._sock.close()
            self._sock = None


def _clamp_byte(value: int) -> int:
    return min(255, max(0, value))
