"""The binary packages of ports 30001 to 30003 as in PolyScope 5.15. Pure. Big-endian."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from robots.ur5e.emulator.controller import MAX_JOINT_SPEED_RAD_PER_S, VERSION, Controller
from robots.ur5e.emulator.messages import KeyMessage, PopupMessage, PrimaryMessage, RuntimeExceptionMessage
from robots.ur5e.emulator.snapshot import ControllerSnapshot
from robots.ur5e.kinematics import ALPHA, TWO_PI, A, D
from robots.ur5e.modes import RuntimeState, SafetyMode

STATE, MESSAGE = 16, 20  # package types
_UR5, _E_SERIES = 2, 5  # robot type, controller box
_PROTECTIVE = {SafetyMode.PROTECTIVE_STOP, SafetyMode.SAFEGUARD_STOP}
_EMERGENCY = {SafetyMode.ROBOT_EMERGENCY_STOP, SafetyMode.SYSTEM_EMERGENCY_STOP}


def robot_state_package(s: ControllerSnapshot, short: bool = False) -> bytes:
    """Pack the robot's state in its sub-packages.

    With `short`, the robot mode data lack their last, reserved byte, by which python-urx recognises a
    controller later than 3.1.
    """
    mode = _robot_mode_data(s)
    parts = (
        _part(0, mode[:-1] if short else mode),
        _part(1, _joint_data(s)),
        _part(2, _tool_data(s)),
        _part(3, _masterboard_data(s)),
        _part(4, struct.pack(">12d", *s.pose, *s.values("tcp_offset"))),
        _part(5, struct.pack(">6I24dI", *[0] * 6, *[0.0] * 6, *A, *D, *ALPHA, 0)),
        _part(6, _configuration_data(s.controller)),
        _part(7, struct.pack(">7d", *s.wrench, 1.0)),
        _part(8, struct.pack(">4B", 0, s.controller.compliant, 0, 0)),
        _part(11, struct.pack(">?3i2f", False, 115200, 0, 1, 1.5, 3.5)),
        _part(12, bytes((0, 1, 1))),
    )
    return encode_package(STATE, b"".join(parts))


def version_message(now: float) -> bytes:
    """The first message after connecting."""
    name, built = b"URControl", b"Jan 01 2024"
    major, minor, bugfix, build = VERSION
    payload = struct.pack(">b", len(name)) + name + struct.pack(">BBii", major, minor, bugfix, build) + built
    return _message(now, 3, payload)


def encode_message(now: float, m: PrimaryMessage) -> bytes:
    match m:
        case KeyMessage(title, text):
            return _message(now, 7, struct.pack(">ii", 0, 0) + _length_prefixed(title) + _bytes(text))
        case RuntimeExceptionMessage(line, column, text):
            return _message(now, 10, struct.pack(">ii", line, column) + _bytes(text))
        case PopupMessage(text, title, warning, error):
            head = struct.pack(">IBBBB", 0, 0, warning, error, False)
            return _message(now, 2, head + _length_prefixed(title) + _bytes(text))
    return _message(now, 0, _bytes(m.text))


def realtime_package(s: ControllerSnapshot) -> bytes:
    """Pack the real-time data: 1220 bytes, all doubles, as since PolyScope 5.10."""
    return struct.pack(">i152d", 1220, *_realtime_values(s))


def encode_package(kind: int, payload: bytes) -> bytes:
    return struct.pack(">iB", 5 + len(payload), kind) + payload


_part = encode_package


def _message(now: float, kind: int, payload: bytes) -> bytes:
    return encode_package(MESSAGE, struct.pack(">Qbb", int(now * 1e6), -2, kind) + payload)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _length_prefixed(text: str) -> bytes:
    data = _bytes(text)[:255]
    return bytes((len(data),)) + data


def _robot_mode_data(s: ControllerSnapshot) -> bytes:
    c = s.controller
    return struct.pack(
        ">Q7?2B3dB",
        int(c.now * 1e6),
        True,
        True,
        c.powered,
        c.safety_mode in _EMERGENCY,
        c.safety_mode in _PROTECTIVE,
        c.runtime is RuntimeState.PLAYING,
        c.runtime is RuntimeState.PAUSED,
        max(0, int(c.robot_mode)),
        c.compliant * 2,  # control mode: 0 position, 2 freedrive
        c.slider,
        c.slider,
        1.0,
        0,
    )


def _joint_data(s: ControllerSnapshot) -> bytes:
    names = "actual_q target_q actual_qd actual_current actual_joint_voltage joint_temperatures"
    columns = [s.values(name) for name in names.split()]
    modes = s.values("joint_mode")
    return b"".join(
        struct.pack(">3d4fB", *(c[i] for c in columns), columns[5][i], int(modes[i])) for i in range(6)
    )


def _tool_data(s: ControllerSnapshot) -> bytes:
    voltage = 48.0 if s.controller.powered else 0.0
    return struct.pack(">2B2dfB2fB", 0, 0, 0.0, 0.0, voltage, 0, 0.0, 30.0, int(s.values("tool_mode")[0]))


def _masterboard_data(s: ControllerSnapshot) -> bytes:
    c = s.controller
    outputs = (s.values("standard_analog_output0")[0], s.values("standard_analog_output1")[0])
    domains = (c.analog_types >> 2 & 1, c.analog_types >> 3 & 1)
    return struct.pack(
        ">2i2B2d2B2d4f3BI3B",
        *(0, c.digital_out, 0, 0, 0.0, 0.0),
        *(*domains, *outputs),
        *(35.0, 48.0, s.values("actual_robot_current")[0], 0.02),
        *(int(c.safety_mode), c.safety_mode is SafetyMode.REDUCED, 0),
        *(0, 0, 0, 0),
    )


def _configuration_data(c: Controller) -> bytes:
    limits = [v for _ in range(6) for v in (-TWO_PI, TWO_PI)]
    speeds = [v for _ in range(6) for v in (MAX_JOINT_SPEED_RAD_PER_S, 40.0)]
    defaults = (1.05, 1.4, 0.25, 1.2, 0.1)
    lengths = (*A, *D, *ALPHA, *[0.0] * 6)
    return struct.pack(">53d4i", *limits, *speeds, *defaults, *lengths, 0, _E_SERIES, _UR5, 1)


_REALTIME = (  # a dash: a number that is not used
    "timestamp target_q target_qd target_qdd target_current target_moment actual_q actual_qd "
    "actual_current joint_control_output actual_TCP_pose actual_TCP_speed actual_TCP_force "
    "target_TCP_pose target_TCP_speed actual_digital_input_bits joint_temperatures "
    "actual_execution_time - robot_mode joint_mode safety_mode ------ actual_tool_accelerometer ------ "
    "speed_scaling actual_momentum -- actual_main_voltage actual_robot_voltage actual_robot_current "
    "actual_joint_voltage actual_digital_output_bits runtime_state elbow_position elbow_velocity "
    "safety_status --- payload payload_cog payload_inertia"
)
_REALTIME_NAMES = tuple(_REALTIME.split())


def _realtime_values(s: ControllerSnapshot) -> Iterable[float]:
    """Yield the 152 numbers in order."""
    for name in _REALTIME_NAMES:
        values: Sequence[float] = [0.0] * len(name) if name[0] == "-" else s.values(name)
        yield from values
