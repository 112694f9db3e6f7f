"""Functions that read or set the robot's state, and take no time."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

from robots.ur5e.emulator.controller import MAX_PAYLOAD_KG
from robots.ur5e.emulator.plant import DT_S
from robots.ur5e.emulator.urscript.builtin_functions import builtin_table
from robots.ur5e.emulator.urscript.operators import (
    format_value,
    require_boolean,
    require_integer,
    require_number,
    require_numbers,
    require_pose,
)
from robots.ur5e.emulator.urscript.runtime import ScriptRuntime
from robots.ur5e.emulator.urscript.values import PoseValue, ScriptError, ScriptValue
from robots.ur5e.kinematics import (
    TWO_PI,
    Transform,
    flange_pose,
    forward_kinematics,
    jacobian,
    matrix_to_pose,
    nearest_solution,
    pose_to_matrix,
)

_STEADY_SPEED_RAD_PER_S = 1e-3


# --- the arm's pose --------------------------------------------------------------------------------------


def get_actual_joint_positions_history(m: ScriptRuntime, steps: ScriptValue = 0) -> list[float]:
    back = require_integer(steps)
    if not 0 <= back < max(1, len(m.history)):
        raise ScriptError(f"Value error: {back} cycles back is further than the {len(m.history)} kept")
    return _floats(m.history[-1 - back] if m.history else m.c.plant.q)


# --- kinematics ------------------------------------------------------------------------------------------


def get_forward_kin(m: ScriptRuntime, q: ScriptValue = "actual", tcp: ScriptValue = "active") -> ScriptValue:
    joints = m.c.plant.q if q == "actual" else require_numbers(q, 6)
    return PoseValue(matrix_to_pose(forward_kinematics(joints, _tcp(m, tcp))))


def get_inverse_kin(
    m: ScriptRuntime,
    x: ScriptValue,
    qnear: ScriptValue = "target",
    maxPositionError: ScriptValue = 1e-10,
    maxOrientationError: ScriptValue = 1e-10,
    tcp: ScriptValue = "active",
) -> ScriptValue:
    near = m.c.q if qnear == "target" else require_numbers(qnear, 6)
    found = nearest_solution(pose_to_matrix(require_pose(x)), near, _tcp(m, tcp))
    if found is None:
        raise ScriptError(f"get_inverse_kin: no solution for {format_value(x)}")
    return list(found)


def get_inverse_kin_has_solution(
    m: ScriptRuntime,
    x: ScriptValue,
    qnear: ScriptValue = "target",
    maxPositionError: ScriptValue = 1e-10,
    maxOrientationError: ScriptValue = 1e-10,
    tcp: ScriptValue = "active",
) -> ScriptValue:
    return nearest_solution(pose_to_matrix(require_pose(x)), m.c.q, _tcp(m, tcp)) is not None


def is_within_safety_limits(m: ScriptRuntime, pose: ScriptValue) -> ScriptValue:
    if isinstance(pose, PoseValue):
        return get_inverse_kin_has_solution(m, pose)
    return max(map(abs, require_numbers(pose, 6))) <= TWO_PI


def _tcp(m: ScriptRuntime, value: ScriptValue) -> Transform:
    return m.c.tcp if value == "active" else pose_to_matrix(require_pose(value))


# --- settings --------------------------------------------------------------------------------------------


def set_tcp(m: ScriptRuntime, pose: ScriptValue, tcp_name: ScriptValue = "") -> None:
    m.c.tcp = pose_to_matrix(require_numbers(pose, 6))


def set_target_payload(
    m: ScriptRuntime,
    m_: ScriptValue,
    cog: ScriptValue = "kept",
    inertia: ScriptValue = "",
    transition_time: ScriptValue = 0,
) -> None:
    mass = require_number(m_)
    if not 0 <= mass <= MAX_PAYLOAD_KG:
        raise ScriptError(f"a payload of {mass:g} kg is outside 0 to {MAX_PAYLOAD_KG:g} kg")
    if cog != "kept":
        x, y, z = require_numbers(cog, 3)
        m.c.cog = (x, y, z)
    if inertia != "":
        m.c.inertia = require_numbers(inertia, 6)
    m.c.payload = mass


def rtde_set_watchdog(
    m: ScriptRuntime, variable_name: ScriptValue, min_frequency: ScriptValue, action: ScriptValue = "pause"
) -> None:
    name, hertz = format_value(variable_name), require_number(min_frequency)
    if action not in ("pause", "stop", "ignore"):
        raise ScriptError(f"rtde_set_watchdog: no action is named {format_value(action)[:60]}")
    if hertz < 0:
        raise ScriptError("rtde_set_watchdog: the frequency is negative")
    m.c.set_watchdog(name, 0.0 if action == "ignore" else hertz, format_value(action))


# --- registers, inputs and outputs -----------------------------------------------------------------------


def _register_address(address: ScriptValue, count: int) -> int:
    found = require_integer(address)
    if not 0 <= found < count:
        raise ScriptError(f"Value error: there is no register {found}")
    return found


def write_output_integer_register(m: ScriptRuntime, address: ScriptValue, value: ScriptValue) -> None:
    found = require_integer(value)
    if abs(found) >= 2**31:
        raise ScriptError(f"Value error: {found} does not fit into a register")
    m.c.out_int[_register_address(address, 48)] = found


def write_output_float_register(m: ScriptRuntime, address: ScriptValue, value: ScriptValue) -> None:
    m.c.out_double[_register_address(address, 48)] = float(require_number(value))


def write_output_boolean_register(m: ScriptRuntime, address: ScriptValue, value: ScriptValue) -> None:
    bit = 1 << _register_address(address, 128)
    m.c.out_bits = m.c.out_bits | bit if require_boolean(value) else m.c.out_bits & ~bit


def _set_pin(m: ScriptRuntime, pin: int, on: ScriptValue) -> None:
    bit = 1 << pin
    m.c.digital_out = m.c.digital_out | bit if require_boolean(on) else m.c.digital_out & ~bit


def set_standard_analog_out(m: ScriptRuntime, n: ScriptValue, f: ScriptValue) -> None:
    """Set an analog output. `f` is the fraction, 0 to 1, of the range 4 to 20 mA."""
    part = require_number(f)
    if not 0 <= part <= 1:
        raise ScriptError(f"Value error: an analog output is 0 to 1, not {part:g}")
    m.c.analog_out[_register_address(n, 2)] = part


# --- messages --------------------------------------------------------------------------------------------


def textmsg(m: ScriptRuntime, s1: ScriptValue, s2: ScriptValue = "") -> None:
    m.c.log_event((format_value(s1) + format_value(s2))[:500])


def popup(
    m: ScriptRuntime,
    s: ScriptValue,
    title: ScriptValue = "Popup",
    warning: ScriptValue = False,
    error: ScriptValue = False,
    blocking: ScriptValue = False,
) -> None:
    _ignore((require_boolean(warning), require_boolean(error)))
    m.c.show_popup(format_value(s)[:500])


def _bit(bits: int, number: ScriptValue, count: int) -> bool:
    return bool(bits >> _register_address(number, count) & 1)


def _ignore(checked: object) -> None:
    """Do nothing with an argument but check it."""


def _floats(values: Iterable[float]) -> list[float]:
    return [float(v) for v in values]


def _pose(matrix: Transform) -> PoseValue:
    return PoseValue(matrix_to_pose(matrix))


def _pin(n: ScriptValue) -> int:
    """Return the bit of an output: 0-7 standard, 8 and 9 at the tool."""
    pin = _register_address(n, 10)
    return pin if pin < 8 else pin + 8


def _set_compliant(m: ScriptRuntime, on: bool) -> None:
    m.c.compliant = on


_SHORT: dict[str, Callable[..., ScriptValue | list[float]]] = {
    "get_actual_joint_positions": lambda m: _floats(m.c.plant.q),
    "get_target_joint_positions": lambda m: _floats(m.c.q),
    "get_actual_joint_speeds": lambda m: _floats(m.c.plant.qd),
    "get_target_joint_speeds": lambda m: _floats(m.c.qd),
    "get_joint_torques": lambda m: _floats(m.c.plant.torques),
    "get_actual_tcp_pose": lambda m: PoseValue(m.c.pose),
    "get_target_tcp_pose": lambda m: _pose(forward_kinematics(m.c.q, m.c.tcp)),
    "get_target_waypoint": lambda m: _pose(forward_kinematics(m.c.q, m.c.tcp)),
    "get_actual_tool_flange_pose": lambda m: _pose(flange_pose(m.c.plant.q)),
    "get_actual_tcp_speed": lambda m: PoseValue(_floats(jacobian(m.c.plant.q, m.c.tcp) @ m.c.plant.qd)),
    "get_target_tcp_speed": lambda m: PoseValue(_floats(jacobian(m.c.q, m.c.tcp) @ m.c.qd)),
    "get_tcp_force": lambda m: PoseValue(_floats(m.c.wrench)),
    "get_tcp_offset": lambda m: _pose(m.c.tcp),
    "is_steady": lambda m: bool(np.max(np.abs(m.c.plant.qd)) < _STEADY_SPEED_RAD_PER_S),
    "get_steptime": lambda m: DT_S,
    "set_payload": lambda m, m_, cog="kept": set_target_payload(m, m_, cog),
    "set_payload_mass": lambda m, m_: set_target_payload(m, m_),
    "set_payload_cog": lambda m, CoG: set_target_payload(m, m.c.payload, CoG),
    "get_target_payload": lambda m: m.c.payload,
    "get_target_payload_cog": lambda m: list(m.c.cog),
    "get_target_payload_inertia": lambda m: list(m.c.inertia),
    "set_gravity": lambda m, d: _ignore(require_numbers(d, 3)),  # the emulated arm stands upright
    "freedrive_mode": lambda m, freeAxes="", feature="": _set_compliant(m, True),
    "end_freedrive_mode": lambda m: _set_compliant(m, False),
    "teach_mode": lambda m: _set_compliant(m, True),
    "end_teach_mode": lambda m: _set_compliant(m, False),
    "get_freedrive_status": lambda m: int(m.c.compliant),
    "zero_ftsensor": lambda m: None,  # the emulated sensor has no offset
    "force_mode_set_damping": lambda m, damping: _ignore(require_number(damping)),
    "force_mode_set_gain_scaling": lambda m, scaling: _ignore(require_number(scaling)),
    "end_force_mode": lambda m: None,  # force mode is not emulated
    "read_input_integer_register": lambda m, address: m.c.in_int[_register_address(address, 48)],
    "read_input_float_register": lambda m, address: m.c.in_double[_register_address(address, 48)],
    "read_input_boolean_register": lambda m, address: _bit(m.c.in_bits, address, 128),
    "read_output_integer_register": lambda m, address: m.c.out_int[_register_address(address, 48)],
    "read_output_float_register": lambda m, address: m.c.out_double[_register_address(address, 48)],
    "read_output_boolean_register": lambda m, address: _bit(m.c.out_bits, address, 128),
    "set_digital_out": lambda m, n, b: _set_pin(m, _pin(n), b),
    "set_standard_digital_out": lambda m, n, b: _set_pin(m, _register_address(n, 8), b),
    "set_configurable_digital_out": lambda m, n, b: _set_pin(m, 8 + _register_address(n, 8), b),
    "set_tool_digital_out": lambda m, n, b: _set_pin(m, 16 + _register_address(n, 2), b),
    "get_digital_out": lambda m, n: bool(m.c.digital_out >> _pin(n) & 1),
    "get_standard_digital_out": lambda m, n: _bit(m.c.digital_out, n, 8),
    "get_digital_in": lambda m, n: _register_address(n, 10) < 0,  # nothing is wired to it
    "get_standard_digital_in": lambda m, n: _register_address(n, 8) < 0,
    "set_analog_out": set_standard_analog_out,
}
ROBOT = builtin_table(globals(), _SHORT)
