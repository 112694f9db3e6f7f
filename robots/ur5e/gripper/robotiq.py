"""Robotiq's fingers over the socket of their URCap (port 63352): a register each for state and command."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from enum import IntEnum
from threading import Lock
from time import monotonic, sleep
from typing import TYPE_CHECKING

from core.arm.arm_capabilities import GripperStatus
from core.errors import RobotError
from robots.remote.wire_message import WireMessage
from robots.ur5e.gripper.motion import GripperMotion

if TYPE_CHECKING:
    from robots.ur5e.gripper.model import GripperModel
    from robots.ur5e.rtde_receiver import RtdeReceiver

PORT = 63352
CLOSED = 255  # the position of closed fingers; 0 is open
_TIMEOUT = 2.0
_POLL_PERIOD_S = 0.01  # between two looks at the registers
_END_MOVE, _END_ACTIVATION = {"GTO": 0}, {"ACT": 0, "GTO": 0}


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


class RobotiqRegisters:
    """Reads and sets registers, one request at a time, from any thread. `send` sends each request.

    Raises RobotError if the gripper does not answer or refuses.
    """

    def __init__(
        self,
        address: str,
        port: int = PORT,
        send: Callable[[socket.socket, bytes], object] = socket.socket.sendall,
    ) -> None:
        self._address, self._port, self._send = address, port, send
        self._lock = Lock()  # held while a reply is awaited
        self.sock: socket.socket | None = None

    def status(self, stroke: float = 0.0) -> GripperStatus:
        """Return the gripper's state, given the distance between its open pads in metres."""
        position, detected, status, fault = (self.get(name) for name in ("POS", "OBJ", "STA", "FLT"))
        detection, active = ObjectDetection(detected & 3), status == 3
        return GripperStatus(
            stroke * (1 - position / CLOSED),
            stroke,
            active,
            detection is ObjectDetection.MOVING,
            # what stops the fingers from opening is outside
            active and detection is ObjectDetection.CONTACT_CLOSING,
            FAULTS.get(fault, f"fault {fault}") if fault else "" if active else "it is not activated",
        )

    def get(self, name: str) -> int:
        reply = self._request(f"GET {name}\n".encode())
        got, _, value = reply.partition(" ")
        if got != name or not value.strip().isdigit():
            raise RobotError(
                f"The gripper does not report {name} ({reply!r}): check its cable and its URCap."
            )
        return int(value)

    def set(self, **values: int) -> None:
        reply = self._request(set_line(values))
        if reply != "ack":
            raise RobotError(f"The gripper refused {values} ({reply!r}): activate it again.")

    def close(self) -> None:
        with self._lock:
            self._disconnect()

    def _request(self, line: bytes) -> str:
        with self._lock:
            try:
                if self.sock is None:
                    self.sock = socket.create_connection((self._address, self._port), _TIMEOUT)
                    self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._send(self.sock, line)
                data = self.sock.recv(1024)  # a short reply arrives in one segment
                if not data:
                    raise OSError("it has closed the connection")
                return data.decode("ascii", "replace").strip()
            except OSError as error:
                self._disconnect()
                raise RobotError(
                    f"The gripper does not answer on {self._address}:{self._port} ({error}): check that its "
                    "URCap is installed and the gripper is connected."
                ) from error

    def _disconnect(self) -> None:
        if self.sock is not None:
            self.sock.close()
            self.sock = None


def set_line(values: Mapping[str, int]) -> bytes:
    """Return the request that sets these registers."""
    return ("SET " + " ".join(f"{k} {v}" for k, v in values.items()) + "\n").encode()


class RobotiqReader(RobotiqRegisters):
    """Reads the gripper for the console."""

    def __init__(self, address: str, model: GripperModel, receiver: RtdeReceiver) -> None:
        super().__init__(address)
        self._stroke = model.stroke

    def state(self) -> GripperStatus:
        return self.status(self._stroke)


class RobotiqMotion(GripperMotion):
    """Activates the gripper or moves its fingers, on a connection of its own."""

    def __init__(
        self, address: str, message: WireMessage, receiver: RtdeReceiver | None = None, port: int = PORT
    ) -> None:
        super().__init__()
        self._registers = RobotiqRegisters(address, port, self.send)
        self._address, self._port, self._message = address, port, message
        self._ending: Mapping[str, int] = {}  # ends the motion under way; empty: none was begun

    def _send_end(self) -> None:
        if self._ending and (sock := self._registers.sock) is not None:
            sock.send(set_line(self._ending), socket.MSG_DONTWAIT)

    def _confirm_end(self) -> None:
        self._registers.close()
        if self._ending:
            own = RobotiqRegisters(self._address, self._port)
            try:
                own.set(**self._ending)
            finally:
                own.close()

    def _move(self) -> None:
        self._activate() if self._message.kind == "activate" else self._grip()

    def _activate(self) -> None:
        registers, seconds = self._registers, self._message.number("seconds")
        if registers.get("STA") == 3 and not registers.get("FLT"):
            return
        registers.set(ACT=0, ATR=0)
        self._wait_for_status(0, seconds, "did not reset")
        self._ending = _END_ACTIVATION
        registers.set(ACT=1, GTO=1)
        self._wait_for_status(3, seconds, "was not activated")
        self._ending = {}

    def _wait_for_status(self, status: int, seconds: float, failed: str) -> None:
        end = monotonic() + seconds
        while self._registers.get("STA") != status:
            if monotonic() > end:
                raise RobotError(f"The gripper {failed}: check its cable and its URCap.")
            sleep(_POLL_PERIOD_S)

    def _grip(self) -> None:
        registers = self._registers
        goal, speed, force = (self._byte(name) for name in ("closed", "speed", "force"))
        if fault := registers.status().fault:
            raise RobotError(f"The gripper cannot move: {fault}.")
        end = monotonic() + self._message.number("seconds")
        self._ending = _END_MOVE
        registers.set(POS=goal, SPE=speed, FOR=force, GTO=1)
        while registers.get("OBJ") & 3 == ObjectDetection.MOVING or registers.get("PRE") != goal:
            if monotonic() > end:
                raise RobotError("The gripper did not come to rest: look at it, and activate it again.")
            sleep(_POLL_PERIOD_S)
        self._ending = {}

    def _byte(self, name: str) -> int:
        return min(255, max(0, round(255 * self._message.number(name))))
