"""Functions that read or set the robot's state, and take no time."""

from __future__ import annotations

import numpy as np

from robots.ur5e.emulator.controller import MAX_PAYLOAD
from robots.ur5e.emulator.plant import DT
from robots.ur5e.emulator.urscript.functions import builtin_table, require_pose
from robots.ur5e.emulator.urscript.nodes import PoseValue, ScriptError, ScriptValue
from robots.ur5e.emulator.urscript.operators import (
    format_value,
    require_boolean,
    require_integer,
    require_number,
    require_numbers,
)
from robots.ur5e.emulator.urscript.runtime import ScriptRuntime
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

_STEADY_SPEED = 1e-3  # rad/s


# --- the arm's pose --------------------------------------------------------------------------------------


def get_actual_joint_positions(m: ScriptRuntime) -> ScriptValue:
    return [float(x) for x in m.c.plant.q]


def get_target_joint_positions(m: ScriptRuntime) -> ScriptValue:
    return [float(x) for x in m.c.q]


def get_actual_joint_speeds(m: ScriptRuntime) -> ScriptValue:
    return [float(x) for x in m.c.plant.qd]


def get_target_joint_speeds(m: ScriptRuntime) -> ScriptValue:
    return [float(v) for v in m.c.qd]


def get_actual_joint_positions_history(m: ScriptRuntime, steps: ScriptValue = 0) -> ScriptValue:
    back = require_integer(steps)
    if not 0 <= back < max(1, len(m.history)):
        raise ScriptError(f"Value error: {back} cycles back is further than the {len(m.history)} kept")
    joints = m.history[-1 - back] if m.history else m.c.plant.q
    return [float(v) for v in joints]


def get_actual_tcp_pose(m: ScriptRuntime) -> ScriptValue:
    return PoseValue(m.c.pose)


def get_target_tcp_pose(m: ScriptRuntime) -> ScriptValue:
    return PoseValue(matrix_to_pose(forward_kinematics(m.c.q, m.c.tcp)))


def get_target_waypoint(m: ScriptRuntime) -> ScriptValue:
    return get_target_tcp_pose(m)


def get_actual_tool_flange_pose(m: ScriptRuntime) -> ScriptValue:
    return PoseValue(matrix_to_pose(flange_pose(m.c.plant.q)))


def get_actual_tcp_speed(m: ScriptRuntime) -> ScriptValue:
    return PoseValue((jacobian(m.c.plant.q, m.c.tcp) @ m.c.plant.qd).tolist())


def get_target_tcp_speed(m: ScriptRuntime) -> ScriptValue:
    return PoseValue((jacobian(m.c.q, m.c.tcp) @ m.c.qd).tolist())


def get_joint_torques(m: ScriptRuntime) -> ScriptValue:
    return [float(x) for x in m.c.plant.torques]


def get_tcp_force(m: ScriptRuntime) -> ScriptValue:
    return PoseValue(m.c.wrench.tolist())


def is_steady(m: ScriptRuntime) -> ScriptValue:
    return bool(np.max(np.abs(m.c.plant.qd)) < _STEADY_SPEED)


def get_steptime(m: ScriptRuntime) -> ScriptValue:
    return DT


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


def set_tcp(m: ScriptRuntime, pose: ScriptValue, tcp_name: ScriptValue = "") -> ScriptValue:
    m.c.tcp = pose_to_matrix(require_numbers(pose, 6))
    return None


def get_tcp_offset(m: ScriptRuntime) -> ScriptValue:
    return PoseValue(matrix_to_pose(m.c.tcp))


def set_payload(m: ScriptRuntime, m_: ScriptValue, cog: ScriptValue = "kept") -> ScriptValue:
    return set_target_payload(m, m_, cog)


def set_target_payload(
    m: ScriptRuntime,
    m_: ScriptValue,
    cog: ScriptValue = "kept",
    inertia: ScriptValue = "",
    transition_time: ScriptValue = 0,
) -> ScriptValue:
    mass = require_number(m_)
    if not 0 <= mass <= MAX_PAYLOAD:
        raise ScriptError(f"a payload of {mass:g} kg is outside 0 to {MAX_PAYLOAD:g} kg")
    if cog != "kept":
        x, y, z = require_numbers(cog, 3)
        m.c.cog = (x, y, z)
    if inertia != "":
        m.c.inertia = require_numbers(inertia, 6)
    m.c.payload = mass
    return None


def set_payload_mass(m: ScriptRuntime, m_: ScriptValue) -> ScriptValue:
    return set_target_payload(m, m_)


def set_payload_cog(m: ScriptRuntime, CoG: ScriptValue) -> ScriptValue:
    return set_target_payload(m, m.c.payload, CoG)


def get_target_payload(m: ScriptRuntime) -> ScriptValue:
    return m.c.payload


def get_target_payload_cog(m: ScriptRuntime) -> ScriptValue:
    return list(m.c.cog)


def get_target_payload_inertia(m: ScriptRuntime) -> ScriptValue:
    return list(m.c.inertia)


def set_gravity(m: ScriptRuntime, d: ScriptValue) -> ScriptValue:
    """Do nothing: the emulated arm stands upright, whatever is set."""
    require_numbers(d, 3)
    return None


def freedrive_mode(m: ScriptRuntime, freeAxes: ScriptValue = "", feature: ScriptValue = "") -> ScriptValue:
    m.c.compliant = True
    return None


def end_freedrive_mode(m: ScriptRuntime) -> ScriptValue:
    m.c.compliant = False
    return None


def teach_mode(m: ScriptRuntime) -> ScriptValue:
    return freedrive_mode(m)


def end_teach_mode(m: ScriptRuntime) -> ScriptValue:
    return end_freedrive_mode(m)


def get_freedrive_status(m: ScriptRuntime) -> ScriptValue:
    return int(m.c.compliant)


def zero_ftsensor(m: ScriptRuntime) -> ScriptValue:
    """Do nothing: the emulated sensor has no offset."""
    return None


def force_mode_set_damping(m: ScriptRuntime, damping: ScriptValue) -> ScriptValue:
    require_number(damping)
    return None


def force_mode_set_gain_scaling(m: ScriptRuntime, scaling: ScriptValue) -> ScriptValue:
    require_number(scaling)
    return None


def end_force_mode(m: ScriptRuntime) -> ScriptValue:
    """Do nothing: force mode is not emulated."""
    return None


def rtde_set_watchdog(
    m: ScriptRuntime, variable_name: ScriptValue, min_frequency: ScriptValue, action: ScriptValue = "pause"
) -> ScriptValue:
    name, hertz = format_value(variable_name), require_number(min_frequency)
    if action not in ("pause", "stop", "ignore"):
        raise ScriptError(f"rtde_set_watchdog: no action is named {format_value(action)[:60]}")
    if hertz < 0:
        raise ScriptError("rtde_set_watchdog: the frequency is negative")
    m.c.set_watchdog(name, 0.0 if action == "ignore" else hertz, format_value(action))
    return None


# --- registers, inputs and outputs -----------------------------------------------------------------------


def _register_address(address: ScriptValue, count: int) -> int:
    found = require_integer(address)
    if not 0 <= found < count:
        raise ScriptError(f"Value error: there is no register {found}")
    return found


def read_input_integer_register(m: ScriptRuntime, address: ScriptValue) -> ScriptValue:
    return m.c.in_int[_register_address(address, 48)]


def read_input_float_register(m: ScriptRuntime, address: ScriptValue) -> ScriptValue:
    return m.c.in_double[_register_address(address, 48)]


def read_input_boolean_register(m: ScriptRuntime, address: ScriptValue) -> ScriptValue:
    return bool(m.c.in_bits >> _register_address(address, 128) & 1)


def read_output_integer_register(m: ScriptRuntime, address: ScriptValue) -> ScriptValue:
    return m.c.out_int[_register_address(address, 48)]


def read_output_float_register(m: ScriptRuntime, address: ScriptValue) -> ScriptValue:
    return m.c.out_double[_register_address(address, 48)]


def read_output_boolean_register(m: ScriptRuntime, address: ScriptValue) -> ScriptValue:
    return bool(m.c.out_bits >> _register_address(address, 128) & 1)


def write_output_integer_register(m: ScriptRuntime, address: ScriptValue, value: ScriptValue) -> ScriptValue:
    found = require_integer(value)
    if abs(found) >= 2**31:
        raise ScriptError(f"Value error: {found} does not fit into a register")
    m.c.out_int[_register_address(address, 48)] = found
    return None


def write_output_float_register(m: ScriptRuntime, address: ScriptValue, value: ScriptValue) -> ScriptValue:
    m.c.out_double[_register_address(address, 48)] = float(require_number(value))
    return None


def write_output_boolean_register(m: ScriptRuntime, address: ScriptValue, value: ScriptValue) -> ScriptValue:
    bit = 1 << _register_address(address, 128)
    m.c.out_bits = m.c.out_bits | bit if require_boolean(value) else m.c.out_bits & ~bit
    return None


def set_digital_out(m: ScriptRuntime, n: ScriptValue, b: ScriptValue) -> ScriptValue:
    """Set an output: 0-7 standard, 8 and 9 at the tool."""
    pin = _register_address(n, 10)
    return _set_pin(m, pin if pin < 8 else pin + 8, b)


def set_standard_digital_out(m: ScriptRuntime, n: ScriptValue, b: ScriptValue) -> ScriptValue:
    return _set_pin(m, _register_address(n, 8), b)


def set_configurable_digital_out(m: ScriptRuntime, n: ScriptValue, b: ScriptValue) -> ScriptValue:
    return _set_pin(m, 8 + _register_address(n, 8), b)


def set_tool_digital_out(m: ScriptRuntime, n: ScriptValue, b: ScriptValue) -> ScriptValue:
    return _set_pin(m, 16 + _register_address(n, 2), b)


def _set_pin(m: ScriptRuntime, pin: int, on: ScriptValue) -> ScriptValue:
    bit = 1 << pin
    m.c.digital_out = m.c.digital_out | bit if require_boolean(on) else m.c.digital_out & ~bit
    return None


def get_digital_out(m: ScriptRuntime, n: ScriptValue) -> ScriptValue:
    pin = _register_address(n, 10)
    return bool(m.c.digital_out >> (pin if pin < 8 else pin + 8) & 1)


def get_standard_digital_out(m: ScriptRuntime, n: ScriptValue) -> ScriptValue:
    return bool(m.c.digital_out >> _register_address(n, 8) & 1)


def get_standard_digital_in(m: ScriptRuntime, n: ScriptValue) -> ScriptValue:
    """Return False: nothing is wired to the emulated controller."""
    _register_address(n, 8)
    return False


def get_digital_in(m: ScriptRuntime, n: ScriptValue) -> ScriptValue:
    _register_address(n, 10)
    return False


def set_standard_analog_out(m: ScriptRuntime, n: ScriptValue, f: ScriptValue) -> ScriptValue:
    """Set an analog output. `f` is the fraction, 0 to 1, of the range 4 to 20 mA."""
    part = require_number(f)
    if not 0 <= part <= 1:
        raise ScriptError(f"Value error: an analog output is 0 to 1, not {part:g}")
    m.c.analog_out[_register_address(n, 2)] = part
    return None


def set_analog_out(m: ScriptRuntime, n: ScriptValue, f: ScriptValue) -> ScriptValue:
    return set_standard_analog_out(m, n, f)


# --- messages --------------------------------------------------------------------------------------------


def textmsg(m: ScriptRuntime, s1: ScriptValue, s2: ScriptValue = "") -> ScriptValue:
    m.c.send_text((format_value(s1) + format_value(s2))[:500])
    return None


def popup(
    m: ScriptRuntime,
    s: ScriptValue,
    title: ScriptValue = "Popup",
    warning: ScriptValue = False,
    error: ScriptValue = False,
    blocking: ScriptValue = False,
) -> ScriptValue:
    m.c.show_popup(
        format_value(s)[:500], format_value(title)[:100], require_boolean(warning), require_boolean(error)
    )
    return None


ROBOT = builtin_table(
    *[
        f
        for name, f in list(globals().items())
        if getattr(f, "__module__", "") == __name__ and not name.startswith("_")
    ]
)
