"""Receive the robot's data 125 times a second, on a connection separate from everything that commands it.

A client of our own instead of ur_rtde's: its sockets have timeouts, and it cannot end this process.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from robots.ur5e import rtde
from robots.ur5e.modes import RobotMode, RuntimeState, SafetyMode, parse_robot_mode, parse_safety_mode

if TYPE_CHECKING:  # the control process starts without numpy
    from robots.ur5e.kinematics import Joints, Pose

HERTZ = 125.0
STANDSTILL_SPEED = 0.002  # rad/s below which an arm counts as standing still
_NAMES = (
    "timestamp actual_q actual_qd actual_TCP_pose actual_TCP_force robot_mode safety_mode runtime_state "
    "target_speed_fraction payload target_moment joint_temperatures"
)
_VARIABLES = tuple(_NAMES.split())
_SLIDER = ("speed_slider_mask", "speed_slider_fraction")
_TIMEOUT = 1.0


@dataclass(frozen=True)
class ArmState:
    """One data package. `received_at` is our monotonic clock, `time` the controller's."""

    received_at: float
    time: float
    q: Joints
    qd: Joints
    tool: Pose
    force: Pose
    robot: RobotMode
    safety: SafetyMode
    runtime: RuntimeState
    slider: float
    payload: float
    torque: Joints  # Nm
    celsius: Joints

    @property
    def at_standstill(self) -> bool:
        return max(map(abs, self.qd)) < STANDSTILL_SPEED


class RtdeReceiver:
    """Connects, and reconnects as long as it is open. All methods may be called from any thread.

    With `claims_slider` False it leaves the speed slider, which one client only can have, to others.
    """

    def __init__(
        self,
        address: str,
        on_state: Callable[[ArmState], None] = lambda state: None,
        claims_slider: bool = True,
    ) -> None:
        self._address, self._on_state, self._claims_slider = address, on_state, claims_slider
        self._changed = Condition()
        self._latest: ArmState | None = None
        self._closing = Event()
        self._send = Lock()
        self._sock: socket.socket | None = None
        self._slider: rtde.Recipe | None = None
        self.version: tuple[int, ...] = ()
        self.link_error = "not connected yet"  # the reason while there is no link
        self.packages = 0
        self.link_losses = 0  # number of links that were lost
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def latest(self) -> ArmState | None:
        """Return the newest package, however old; None before the first."""
        return self._latest

    @property
    def age(self) -> float:
        """Return the age of the newest package in seconds; infinite before the first."""
        latest = self._latest
        return monotonic() - latest.received_at if latest else float("inf")

    def wait(self, condition: Callable[[ArmState], bool], seconds: float) -> bool:
        """Wait for a new package that fulfils `condition`. Return False after `seconds`."""
        end, seen = monotonic() + seconds, self.packages
        with self._changed:
            while not self._closing.is_set():
                if self.packages > seen and self._latest is not None and condition(self._latest):
                    return True
                left = end - monotonic()
                if left <= 0:
                    return False
                self._changed.wait(left)
        return False

    def set_slider(self, fraction: float) -> float:
        """Set the speed slider. Return the value that was set, 0.02 to 1. Raises OSError without a link."""
        from robots.ur5e.limits import clamp_slider

        value = clamp_slider(fraction)
        with self._send:
            if self._sock is None or self._slider is None:
                raise OSError(self.link_error or "the speed slider belongs to another client")
            self._sock.sendall(rtde.encode_frame(rtde.DATA, self._slider.pack((1, value))))
        return value

    def close(self) -> None:
        self._closing.set()
        with self._changed:
            self._changed.notify_all()
        sock = self._sock
        if sock is not None:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
        self._thread.join(3)

    # --- the receiving thread ------------------------------------------------------------------------------

    def _run(self) -> None:
        while not self._closing.is_set():
            try:
                with socket.create_connection((self._address, rtde.PORT), _TIMEOUT) as sock:
                    self._serve(sock)
            except (OSError, ValueError, struct.error) as error:
                self.link_error = f"no data from {self._address}:{rtde.PORT} ({error})"
            finally:
                with self._send:
                    self.link_losses += self._sock is not None
                    self._sock = self._slider = None
            self._closing.wait(0.2)

    def _serve(self, sock: socket.socket) -> None:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        buffer = bytearray()
        if _request(sock, buffer, rtde.VERSION, struct.pack(">H", 2)) != b"\1":
            raise ValueError("the controller does not speak RTDE version 2")
        self.version = struct.unpack(">4I", _request(sock, buffer, rtde.CONTROLLER))
        names = ",".join(_VARIABLES).encode()
        types = _request(sock, buffer, rtde.OUTPUTS, struct.pack(">d", HERTZ) + names)
        recipe = rtde.Recipe(types[0], _VARIABLES, rtde.split_names(types[1:]))
        if not recipe.id or "NOT_FOUND" in recipe.types:
            raise ValueError(f"the controller does not know one of {names.decode()}")
        slider = _claim_slider(sock, buffer) if self._claims_slider else None
        if _request(sock, buffer, rtde.START) != b"\1":
            raise ValueError("the controller does not start to send")
        with self._send:
            self._sock, self._slider = sock, slider
        self.link_error = ""
        while not self._closing.is_set():
            data = sock.recv(1 << 14)
            if not data:
                raise ValueError("the controller has closed the connection")
            buffer += data
            packages = [p for kind, p in rtde.take_frames(buffer) if kind == rtde.DATA]
            for package in packages[-1:]:  # packages that were waiting are out of date
                self._publish(recipe.unpack(package), len(packages))

    def _publish(self, values: dict[str, tuple[float, ...]], count: int) -> None:
        state = ArmState(
            monotonic(),
            values["timestamp"][0],
            _six_values(values["actual_q"]),
            _six_values(values["actual_qd"]),
            _six_values(values["actual_TCP_pose"]),
            _six_values(values["actual_TCP_force"]),
            parse_robot_mode(values["robot_mode"][0]),
            parse_safety_mode(values["safety_mode"][0]),
            RuntimeState(min(5, max(0, int(values["runtime_state"][0])))),
            values["target_speed_fraction"][0],
            values["payload"][0],
            _six_values(values["target_moment"]),
            _six_values(values["joint_temperatures"]),
        )
        with self._changed:
            old, self._latest = self._latest, state
            self.packages += count
            self._changed.notify_all()
        if old is None or state.time != old.time:
            self._on_state(state)


def _claim_slider(sock: socket.socket, buffer: bytearray) -> rtde.Recipe | None:
    """Claim the speed slider. Return None if it belongs to another client."""
    taken = _request(sock, buffer, rtde.INPUTS, ",".join(_SLIDER).encode())
    return rtde.Recipe(taken[0], _SLIDER, rtde.split_names(taken[1:])) if taken[0] else None


def _six_values(values: tuple[float, ...]) -> Joints:
    a, b, c, d, e, f = values
    return (a, b, c, d, e, f)


def _request(sock: socket.socket, buffer: bytearray, kind: int, payload: bytes = b"") -> bytes:
    """Send a set-up request and return the reply, past text messages. Raises OSError after a second."""
    sock.sendall(rtde.encode_frame(kind, payload))
    while True:
        for got, reply in rtde.take_frames(buffer):
            if got == kind:
                return reply
        data = sock.recv(1 << 14)
        if not data:
            raise ValueError("the controller has closed the connection")
        buffer += data
