"""Receive the robot's data 125 times a second, on a connection separate from everything that commands it.

A client of our own instead of ur_rtde's: its sockets have timeouts, and it cannot end this process.
"""

from __future__ import annotations

import socket
import struct
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from core.errors import RobotError
from core.install_paths import COMMAND
from core.measured import Measured
from core.stop_token import Late
from robots.ur5e import rtde
from robots.ur5e.modes import RobotMode, RuntimeState, SafetyMode, parse_robot_mode, parse_safety_mode
from robots.ur5e.rtde_challenge import Challenge
from robots.ur5e.rtde_setup import request, set_outputs, take_inputs, take_register

if TYPE_CHECKING:  # the control process starts without numpy
    from robots.ur5e.kinematics import Joints, Pose


HERTZ = 125.0
STANDSTILL_SPEED_RAD_PER_S = 0.002  # below which an arm counts as standing still
_NAMES = (
    "timestamp actual_q actual_qd actual_TCP_pose actual_TCP_force robot_mode safety_mode runtime_state "
    "target_speed_fraction payload target_moment joint_temperatures actual_digital_output_bits "
    "actual_digital_input_bits"
)
_VARIABLES = tuple(_NAMES.split())
_SLIDER = ("speed_slider_mask", "speed_slider_fraction")
_SLIDER_STEP, _SLIDER_TIMEOUT = 0.01, 0.5  # within which, and in how many seconds, a speed counts as taken
_TIMEOUT = 1.0


@dataclass(frozen=True)
class ArmState:
    """One data package. `time` is the controller's own clock."""

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
    outputs: int = 0  # digital bits: 0 to 7 standard, 8 to 15 configurable, 16 and 17 the tool's
    inputs: int = 0

    @property
    def at_standstill(self) -> bool:
        return max(map(abs, self.qd)) < STANDSTILL_SPEED_RAD_PER_S


class RtdeReceiver:
    """Connects, and reconnects as long as it is open. All methods may be called from any thread.

    How old the data are is told by the controller's clock and its answers (`SourceClock`), never by when they
    came. With `claims` False it leaves the inputs that one client only can have to others: the speed slider,
    and a register for its questions; with `slider` False only the slider.
    """

    def __init__(
        self,
        address: str,
        on_state: Callable[[ArmState], None] = lambda state: None,
        claims: bool = True,
        slider: bool = True,
        hertz: float = HERTZ,
    ) -> None:
        self._address, self._on_state, self._hertz = address, on_state, hertz
        self._claims, self._claims_slider = claims, claims and slider
        self._changed = Condition()
        self._measured: Measured[ArmState] | None = None
        self._closing = Event()
        self._send = Lock()
        self._sock: socket.socket | None = None
        self._slider: rtde.Recipe | None = None
        self._slider_asked: tuple[float, float] | None = None  # a value, and when it was sent
        self.slider_refusal = ""  # that the controller did not take the last one
        self.version: tuple[int, ...] = ()
        self.link_error = "not connected yet"  # the reason while there is no link
        self.packages = 0
        self.link_losses = 0  # number of links that were lost
        self._thread = Thread(target=self._run, daemon=True)
        self._thread.start()

    @property
    def measured(self) -> Measured[ArmState] | None:
        """Return the newest package, however old, and when it was measured; None before the first."""
        return self._measured

    @property
    def latest(self) -> ArmState | None:
        """Return the newest package, however old; None before the first."""
        return self._measured.value if self._measured is not None else None

    @property
    def age(self) -> float:
        """Return the age of the newest package in seconds, at most; infinite while it is not proved."""
        return self._measured.age if self._measured is not None else float("inf")

    def old_data(self, limit: float) -> str:
        """Return why the data do not show the arm as it is now, within `limit` seconds; "" if they do."""
        now, measured = monotonic(), self._measured
        if measured is None:
            return self.link_error
        age, silent = measured.age_at(now), now - measured.received_at
        old = f"{age:.1f} s old" if age >= 1 else f"{age:.2f} s old"
        if age <= limit:
            return ""
        if self.link_error:
            return f"{self.link_error}; the last are {old}"
        if age == float("inf"):
            return "the controller has not proved how old the arm's data are: wait a moment"
        if silent > limit:
            return Late(f"the last data are {old}: check the cable")
        return Late(f"the arm's data are {old} though they keep coming: something on the way holds them up")

    def no_answer(self) -> RobotError:
        """Return the error of an arm that sends no data, with the way out."""
        if self._address == "localhost" or self._address.startswith("127."):
            way = f"`{COMMAND} emulate ur5e --address {self._address}` starts an emulator there."
        else:
            way = (
                "Check that it is switched on, the cable and the address, and RTDE (Settings, Security, "
                "Services)."
            )
        return RobotError(f"No UR controller answers at {self._address}: {self.link_error}. {way}")

    def wait_for_data(self, seconds: float) -> bool:
        """Wait until a package has come, however old. Return False after `seconds`."""
        with self._changed:
            return self._changed.wait_for(
                lambda: self._measured is not None or self._closing.is_set(), seconds
            )

    def wait(self, condition: Callable[[ArmState], bool], seconds: float) -> bool:
        """Wait for a package that fulfils `condition` and was surely measured after this call.

        Return False after `seconds`: whether the arm is so is not known then.
        """
        began = monotonic()

        def fulfilled() -> bool:
            measured = self._measured
            return measured is not None and measured.taken_after(began) and condition(measured.value)

        with self._changed:
            return (
                self._changed.wait_for(lambda: self._closing.is_set() or fulfilled(), seconds)
                and not self._closing.is_set()
            )

    def set_slider(self, fraction: float) -> float:
        """Set the speed slider. Return the value that was set, 0.02 to 1. Raises OSError without a link."""
        from robots.ur5e.limits import clamp_slider

        value = clamp_slider(fraction)
        with self._send:
            if self._sock is None or self._slider is None:
                raise OSError(self.link_error or "the speed slider belongs to another client")
            self._sock.sendall(rtde.encode_frame(rtde.DATA, self._slider.pack((1, value))))
            self._slider_asked, self.slider_refusal = (value, monotonic()), ""
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
        if request(sock, buffer, rtde.VERSION, struct.pack(">H", 2)) != b"\1":
            raise ValueError("the controller does not speak RTDE version 2")
        self.version = struct.unpack(">4I", request(sock, buffer, rtde.CONTROLLER))
        slider = take_inputs(sock, buffer, _SLIDER) if self._claims_slider else None
        register = take_register(sock, buffer) if self._claims else None
        recipe = set_outputs(sock, buffer, _VARIABLES, self._hertz, register)
        register = register if register is not None and register.names[0] in recipe.names else None
        challenge, clock = Challenge(register, monotonic()), SourceClock()
        if request(sock, buffer, rtde.START) != b"\1":
            raise ValueError("the controller does not start to send")
        with self._send:
            self._sock, self._slider = sock, slider
        self.link_error = ""
        while not self._closing.is_set():
            if asked := challenge.due(monotonic()):
                with self._send:
                    sock.sendall(asked)
            data = sock.recv(1 << 14)
            if not data:
                raise ValueError("the controller has closed the connection")
            buffer += data
            newest: Measured[dict[str, tuple[float, ...]]] | None = None
            for kind, payload in rtde.take_frames(buffer):
                if kind != rtde.DATA:
                    challenge.on_reply(kind, payload)
                    continue
                values, now = recipe.unpack(payload), monotonic()
                moment = clock.date(values["timestamp"][0], now, challenge.answered(values, now))
                newest = Measured(values, moment, now)
                self.packages += 1
            if newest is not None:  # packages that were waiting before it are out of date
                self._publish(newest)

    def _publish(self, newest: Measured[dict[str, tuple[float, ...]]]) -> None:
        state = _arm_state(newest.value)
        measured = Measured(state, newest.measured_at, newest.received_at)
        self._read_slider(measured)
        with self._changed:
            self._measured = measured
            self._changed.notify_all()
        self._on_state(state)

    def _read_slider(self, measured: Measured[ArmState]) -> None:
        """See whether the controller took the speed that was set last: its data are all that replies."""
        asked = self._slider_asked
        if asked is None or not measured.taken_after(asked[1]):
            return
        if abs(measured.value.slider - asked[0]) < _SLIDER_STEP:
            self._slider_asked = None
        elif measured.taken_after(asked[1] + _SLIDER_TIMEOUT):
            self._slider_asked = None
            self.slider_refusal = f"the controller keeps the speed at {measured.value.slider:.0%}"


def _arm_state(values: dict[str, tuple[float, ...]]) -> ArmState:
    return ArmState(
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
        int(values["actual_digital_output_bits"][0]),
        int(values["actual_digital_input_bits"][0]),
    )


def _six_values(values: tuple[float, ...]) -> Joints:
    a, b, c, d, e, f = values
    return (a, b, c, d, e, f)


PROOF_WINDOW_S = 0.5  # within which the best proof counts; after it, the last one
_LEAP = 0.1  # seconds between two packages by the controller's clock: only a clock that is set makes it
_DRIFT = 1e-3  # seconds a second by which the two clocks may differ, more than any two do


class SourceClock:
    """Maps the timestamps of one stream to our `time.monotonic`, never to a moment that is too late.

    A package that answers a request was made after the request was sent, so a proof is the difference of that
    moment and the package's timestamp. It dates every later package too, however late it comes: at a moment
    before the measurement, by as much as the request took on its way. Arrival dates nothing.
    """

    def __init__(self) -> None:
        self._timestamp = float("-inf")
        self._proofs: deque[tuple[float, float]] = deque()  # when it was asked; what a timestamp lacks
        self._dated: float | None = None

    def date(self, timestamp: float, received_at: float, asked_at: float | None = None) -> float | None:
        """Return when the next package was measured at the earliest; None while nothing is proved.

        `asked_at` is when the request was sent that it is the first to answer. A package whose timestamp does
        not advance is as old as the one before it; one that leaps or goes back needs a new proof.
        """
        advance, self._timestamp = timestamp - self._timestamp, timestamp
        if not 0 <= advance < _LEAP:
            self._proofs.clear()  # it was started again, or its clock was set
        if advance == 0:
            return self._dated
        if asked_at is not None:
            self._proofs.append((asked_at, asked_at - timestamp))
        while len(self._proofs) > 1 and self._proofs[0][0] < received_at - PROOF_WINDOW_S:
            self._proofs.popleft()
        for proof in tuple(self._proofs):
            moment = timestamp + proof[1] - _DRIFT * (received_at - proof[0])
            if moment > received_at:  # disproved: its clock stood still meanwhile
                self._proofs.remove(proof)
            elif self._dated is None or moment > self._dated:  # packages come in the order they were made in
                self._dated = moment
        return self._dated
