"""The binary packages of ports 30001 to 30003 as PolyScope 5.15 lays them out. Pure. Big-endian."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

from robots.ur5e.emulator.controller import MOST_JOINT, VERSION, Controller
from robots.ur5e.emulator.messages import Key, Message, Popup, RuntimeException
from robots.ur5e.emulator.snapshot import Snapshot
from robots.ur5e.kinematics import ALPHA, TURN, A, D
from robots.ur5e.modes import Runtime, SafetyMode

STATE, MESSAGE = 16, 20  # types of packages
_UR5, _E_SERIES = 2, 5  # robot type, controller box
_PROTECTIVE = {SafetyMode.PROTECTIVE_STOP, SafetyMode.SAFEGUARD_STOP}
_EMERGENCY = {SafetyMode.ROBOT_EMERGENCY_STOP, SafetyMode.SYSTEM_EMERGENCY_STOP}


def state(s: Snapshot, short: bool = False) -> bytes:
    """The robot's state in its sub-packages. `short`: robot mode data without their last, reserved byte,
    by whose absence python-urx knows a controller later than 3.1."""
    mode = _robot_mode(s)
    parts = (
        _part(0, mode[:-1] if short else mode),
        _part(1, _joints(s)),
        _part(2, _tool(s)),
        _part(3, _masterboard(s)),
        _part(4, struct.pack(">12d", *s.pose, *s.values("tcp_offset"))),
        _part(5, struct.pack(">6I24dI", *[0] * 6, *[0.0] * 6, *A, *D, *ALPHA, 0)),
        _part(6, _configuration(s.c)),
        _part(7, struct.pack(">7d", *s.wrench, 1.0)),
        _part(8, struct.pack(">4B", 0, s.c.compliant, 0, 0)),
        _part(11, struct.pack(">?3i2f", False, 115200, 0, 1, 1.5, 3.5)),
        _part(12, bytes((0, 1, 1))),
    )
    return package(STATE, b"".join(parts))


def version(now: float) -> bytes:
    """The first message after connecting."""
    name, built = b"URControl", b"Jan 01 2024"
    major, minor, bugfix, build = VERSION
    payload = struct.pack(">b", len(name)) + name + struct.pack(">BBii", major, minor, bugfix, build) + built
    return _message(now, 3, payload)


def message(now: float, m: Message) -> bytes:
    match m:
        case Key(title, text):
            return _message(now, 7, struct.pack(">ii", 0, 0) + _sized(title) + _bytes(text))
        case RuntimeException(line, column, text):
            return _message(now, 10, struct.pack(">ii", line, column) + _bytes(text))
        case Popup(text, title, warning, error):
            head = struct.pack(">IBBBB", 0, 0, warning, error, False)
            return _message(now, 2, head + _sized(title) + _bytes(text))
    return _message(now, 0, _bytes(m.text))


def realtime(s: Snapshot) -> bytes:
    """1220 bytes, all doubles, as since PolyScope 5.10."""
    return struct.pack(">i152d", 1220, *_realtime(s))


def package(kind: int, payload: bytes) -> bytes:
    return struct.pack(">iB", 5 + len(payload), kind) + payload


_part = package


def _message(now: float, kind: int, payload: bytes) -> bytes:
    return package(MESSAGE, struct.pack(">Qbb", int(now * 1e6), -2, kind) + payload)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _sized(text: str) -> bytes:
    data = _bytes(text)[:255]
    return bytes((len(data),)) + data


def _robot_mode(s: Snapshot) -> bytes:
    c = s.c
    return struct.pack(
        ">Q7?2B3dB",
        int(c.now * 1e6),
        True,
        True,
        c.powered,
        c.safety_mode in _EMERGENCY,
        c.safety_mode in _PROTECTIVE,
        c.runtime is Runtime.PLAYING,
        c.runtime is Runtime.PAUSED,
        max(0, int(c.robot_mode)),
        c.compliant * 2,  # control mode: 0 position, 2 freedrive
        c.slider,
        c.slider,
        1.0,
        0,
    )


def _joints(s: Snapshot) -> bytes:
    names = [
        "actual_q",
        "target_q",
        "actual_qd",
        "actual_current",
        "actual_joint_voltage",
        "joint_temperatures",
    ]
    columns = [s.values(name) for name in names]
    modes = s.values("joint_mode")
    return b"".join(
        struct.pack(">3d4fB", *(c[i] for c in columns), columns[5][i], int(modes[i])) for i in range(6)
    )


def _tool(s: Snapshot) -> bytes:
    voltage = 48.0 if s.c.powered else 0.0
    return struct.pack(">2B2dfB2fB", 0, 0, 0.0, 0.0, voltage, 0, 0.0, 30.0, int(s.values("tool_mode")[0]))


def _masterboard(s: Snapshot) -> bytes:
    c = s.c
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


def _configuration(c: Controller) -> bytes:
    limits = [v for _ in range(6) for v in (-TURN, TURN)]
    speeds = [v for _ in range(6) for v in (MOST_JOINT, 40.0)]
    defaults = (1.05, 1.4, 0.25, 1.2, 0.1)
    lengths = (*A, *D, *ALPHA, *[0.0] * 6)
    return struct.pack(">53d4i", *limits, *speeds, *defaults, *lengths, 0, _E_SERIES, _UR5, 1)


def _realtime(s: Snapshot) -> Iterable[float]:
    """The 152 numbers in order."""
    names = (
        "timestamp target_q target_qd target_qdd target_current target_moment actual_q actual_qd "
        "actual_current joint_control_output actual_TCP_pose actual_TCP_speed actual_TCP_force "
        "target_TCP_pose target_TCP_speed actual_digital_input_bits joint_temperatures "
        "actual_execution_time - robot_mode joint_mode safety_mode ------ actual_tool_accelerometer ------ "
        "speed_scaling actual_momentum -- actual_main_voltage actual_robot_voltage actual_robot_current "
        "actual_joint_voltage actual_digital_output_bits runtime_state elbow_position elbow_velocity "
        "safety_status --- payload payload_cog payload_inertia"
    )
    for name in names.split():
        values: Sequence[float] = [0.0] * len(name) if name[0] == "-" else s.values(name)
        yield from values
