"""Functions that read or set the robot's state, and need no time."""

from __future__ import annotations

import numpy as np

from robots.ur5e.emulator.controller import PAYLOAD
from robots.ur5e.emulator.plant import DT
from robots.ur5e.emulator.urscript.functions import pose, table
from robots.ur5e.emulator.urscript.machine import Machine
from robots.ur5e.emulator.urscript.nodes import PoseValue, ScriptError, Value
from robots.ur5e.emulator.urscript.operators import number, numbers, text, truth, whole
from robots.ur5e.kinematics import TURN, Matrix, flange, forward, jacobian, matrix, nearest, pose_of

_STEADY = 1e-3  # rad/s


# --- where the arm is ------------------------------------------------------------------------------------


def get_actual_joint_positions(m: Machine) -> Value:
    return m.c.plant.q.tolist()


def get_target_joint_positions(m: Machine) -> Value:
    return m.c.q.tolist()


def get_actual_joint_speeds(m: Machine) -> Value:
    return m.c.plant.qd.tolist()


def get_target_joint_speeds(m: Machine) -> Value:
    return [float(v) for v in m.c.qd]


def get_actual_joint_positions_history(m: Machine, steps: Value = 0) -> Value:
    back = whole(steps)
    if not 0 <= back < max(1, len(m.history)):
        raise ScriptError(f"Value error: {back} cycles back is further than the {len(m.history)} kept")
    joints = m.history[-1 - back] if m.history else m.c.plant.q
    return [float(v) for v in joints]


def get_actual_tcp_pose(m: Machine) -> Value:
    return PoseValue(m.c.pose)


def get_target_tcp_pose(m: Machine) -> Value:
    return PoseValue(pose_of(forward(m.c.q, m.c.tcp)))


def get_target_waypoint(m: Machine) -> Value:
    return get_target_tcp_pose(m)


def get_actual_tool_flange_pose(m: Machine) -> Value:
    return PoseValue(pose_of(flange(m.c.plant.q)))


def get_actual_tcp_speed(m: Machine) -> Value:
    return PoseValue((jacobian(m.c.plant.q, m.c.tcp) @ m.c.plant.qd).tolist())


def get_target_tcp_speed(m: Machine) -> Value:
    return PoseValue((jacobian(m.c.q, m.c.tcp) @ m.c.qd).tolist())


def get_joint_torques(m: Machine) -> Value:
    return m.c.plant.torques.tolist()


def get_tcp_force(m: Machine) -> Value:
    return PoseValue(m.c.wrench.tolist())


def is_steady(m: Machine) -> Value:
    return bool(np.max(np.abs(m.c.plant.qd)) < _STEADY)


def get_steptime(m: Machine) -> Value:
    return DT


# --- kinematics ------------------------------------------------------------------------------------------


def get_forward_kin(m: Machine, q: Value = "actual", tcp: Value = "active") -> Value:
    joints = m.c.plant.q if q == "actual" else numbers(q, 6)
    return PoseValue(pose_of(forward(joints, _tcp(m, tcp))))


def get_inverse_kin(
    m: Machine,
    x: Value,
    qnear: Value = "target",
    maxPositionError: Value = 1e-10,
    maxOrientationError: Value = 1e-10,
    tcp: Value = "active",
) -> Value:
    near = m.c.q if qnear == "target" else numbers(qnear, 6)
    found = nearest(matrix(pose(x)), near, _tcp(m, tcp))
    if found is None:
        raise ScriptError(f"get_inverse_kin: no solution for {text(x)}")
    return list(found)


def get_inverse_kin_has_solution(
    m: Machine,
    x: Value,
    qnear: Value = "target",
    maxPositionError: Value = 1e-10,
    maxOrientationError: Value = 1e-10,
    tcp: Value = "active",
) -> Value:
    return nearest(matrix(pose(x)), m.c.q, _tcp(m, tcp)) is not None


def is_within_safety_limits(m: Machine, pose: Value) -> Value:
    if isinstance(pose, PoseValue):
        return get_inverse_kin_has_solution(m, pose)
    return max(map(abs, numbers(pose, 6))) <= TURN


def _tcp(m: Machine, value: Value) -> Matrix:
    return m.c.tcp if value == "active" else matrix(pose(value))


# --- settings --------------------------------------------------------------------------------------------


def set_tcp(m: Machine, pose: Value, tcp_name: Value = "") -> Value:
    m.c.tcp = matrix(numbers(pose, 6))
    return None


def get_tcp_offset(m: Machine) -> Value:
    return PoseValue(pose_of(m.c.tcp))


def set_payload(m: Machine, m_: Value, cog: Value = "kept") -> Value:
    return set_target_payload(m, m_, cog)


def set_target_payload(
    m: Machine, m_: Value, cog: Value = "kept", inertia: Value = "", transition_time: Value = 0
) -> Value:
    mass = number(m_)
    if not 0 <= mass <= PAYLOAD:
        raise ScriptError(f"a payload of {mass:g} kg is outside 0 to {PAYLOAD:g} kg")
    if cog != "kept":
        x, y, z = numbers(cog, 3)
        m.c.cog = (x, y, z)
    if inertia != "":
        m.c.inertia = numbers(inertia, 6)
    m.c.payload = mass
    return None


def set_payload_mass(m: Machine, m_: Value) -> Value:
    return set_target_payload(m, m_)


def set_payload_cog(m: Machine, CoG: Value) -> Value:
    return set_target_payload(m, m.c.payload, CoG)


def get_target_payload(m: Machine) -> Value:
    return m.c.payload


def get_target_payload_cog(m: Machine) -> Value:
    return list(m.c.cog)


def get_target_payload_inertia(m: Machine) -> Value:
    return list(m.c.inertia)


def set_gravity(m: Machine, d: Value) -> Value:
    """The emulated arm stands upright, whatever is set."""
    numbers(d, 3)
    return None


def freedrive_mode(m: Machine, freeAxes: Value = "", feature: Value = "") -> Value:
    m.c.compliant = True
    return None


def end_freedrive_mode(m: Machine) -> Value:
    m.c.compliant = False
    return None


def teach_mode(m: Machine) -> Value:
    return freedrive_mode(m)


def end_teach_mode(m: Machine) -> Value:
    return end_freedrive_mode(m)


def get_freedrive_status(m: Machine) -> Value:
    return int(m.c.compliant)


def zero_ftsensor(m: Machine) -> Value:
    """The emulated sensor has no offset."""
    return None


def force_mode_set_damping(m: Machine, damping: Value) -> Value:
    number(damping)
    return None


def force_mode_set_gain_scaling(m: Machine, scaling: Value) -> Value:
    number(scaling)
    return None


def end_force_mode(m: Machine) -> Value:
    """Nothing to end: force mode is not emulated."""
    return None


def rtde_set_watchdog(
    m: Machine, variable_name: Value, min_frequency: Value, action: Value = "pause"
) -> Value:
    name, hertz = text(variable_name), number(min_frequency)
    if action not in ("pause", "stop", "ignore"):
        raise ScriptError(f"rtde_set_watchdog: no action is named {text(action)[:60]}")
    if hertz < 0:
        raise ScriptError("rtde_set_watchdog: the frequency is negative")
    m.c.arm_watchdog(name, 0.0 if action == "ignore" else hertz, text(action))
    return None


# --- registers, inputs and outputs -----------------------------------------------------------------------


def _place(address: Value, count: int) -> int:
    found = whole(address)
    if not 0 <= found < count:
        raise ScriptError(f"Value error: there is no register {found}")
    return found


def read_input_integer_register(m: Machine, address: Value) -> Value:
    return m.c.in_int[_place(address, 48)]


def read_input_float_register(m: Machine, address: Value) -> Value:
    return m.c.in_double[_place(address, 48)]


def read_input_boolean_register(m: Machine, address: Value) -> Value:
    return bool(m.c.in_bits >> _place(address, 128) & 1)


def read_output_integer_register(m: Machine, address: Value) -> Value:
    return m.c.out_int[_place(address, 48)]


def read_output_float_register(m: Machine, address: Value) -> Value:
    return m.c.out_double[_place(address, 48)]


def read_output_boolean_register(m: Machine, address: Value) -> Value:
    return bool(m.c.out_bits >> _place(address, 128) & 1)


def write_output_integer_register(m: Machine, address: Value, value: Value) -> Value:
    found = whole(value)
    if abs(found) >= 2**31:
        raise ScriptError(f"Value error: {found} does not fit into a register")
    m.c.out_int[_place(address, 48)] = found
    return None


def write_output_float_register(m: Machine, address: Value, value: Value) -> Value:
    m.c.out_double[_place(address, 48)] = float(number(value))
    return None


def write_output_boolean_register(m: Machine, address: Value, value: Value) -> Value:
    bit = 1 << _place(address, 128)
    m.c.out_bits = m.c.out_bits | bit if truth(value) else m.c.out_bits & ~bit
    return None


def set_digital_out(m: Machine, n: Value, b: Value) -> Value:
    """0-7 standard, 8 and 9 at the tool."""
    pin = _place(n, 10)
    return _set_pin(m, pin if pin < 8 else pin + 8, b)


def set_standard_digital_out(m: Machine, n: Value, b: Value) -> Value:
    return _set_pin(m, _place(n, 8), b)


def set_configurable_digital_out(m: Machine, n: Value, b: Value) -> Value:
    return _set_pin(m, 8 + _place(n, 8), b)


def set_tool_digital_out(m: Machine, n: Value, b: Value) -> Value:
    return _set_pin(m, 16 + _place(n, 2), b)


def _set_pin(m: Machine, pin: int, on: Value) -> Value:
    bit = 1 << pin
    m.c.digital_out = m.c.digital_out | bit if truth(on) else m.c.digital_out & ~bit
    return None


def get_digital_out(m: Machine, n: Value) -> Value:
    pin = _place(n, 10)
    return bool(m.c.digital_out >> (pin if pin < 8 else pin + 8) & 1)


def get_standard_digital_out(m: Machine, n: Value) -> Value:
    return bool(m.c.digital_out >> _place(n, 8) & 1)


def get_standard_digital_in(m: Machine, n: Value) -> Value:
    """Nothing is wired to the emulated controller."""
    _place(n, 8)
    return False


def get_digital_in(m: Machine, n: Value) -> Value:
    _place(n, 10)
    return False


def set_standard_analog_out(m: Machine, n: Value, f: Value) -> Value:
    """`f` is the part of the range, 0 to 1; 4 to 20 mA."""
    part = number(f)
    if not 0 <= part <= 1:
        raise ScriptError(f"Value error: an analog output is 0 to 1, not {part:g}")
    m.c.analog_out[_place(n, 2)] = part
    return None


def set_analog_out(m: Machine, n: Value, f: Value) -> Value:
    return set_standard_analog_out(m, n, f)


# --- words -----------------------------------------------------------------------------------------------


def textmsg(m: Machine, s1: Value, s2: Value = "") -> Value:
    m.c.tell_text((text(s1) + text(s2))[:500])
    return None


def popup(
    m: Machine,
    s: Value,
    title: Value = "Popup",
    warning: Value = False,
    error: Value = False,
    blocking: Value = False,
) -> Value:
    m.c.show_popup(text(s)[:500], text(title)[:100], truth(warning), truth(error))
    return None


ROBOT = table(
    *[
        f
        for name, f in list(globals().items())
        if getattr(f, "__module__", "") == __name__ and not name.startswith("_")
    ]
)
