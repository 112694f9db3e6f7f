"""Functions that take time: moves, streams of speeds and joint targets, stops and pauses."""

from __future__ import annotations

import math

import numpy as np

from robots.ur5e.emulator.motion import (
    Motion,
    ServoStream,
    SpeedStream,
    blend_distance,
    blended_move,
    brake_motion,
    joint_move,
    line_move,
)
from robots.ur5e.emulator.plant import DT_S
from robots.ur5e.emulator.urscript.builtin_functions import builtin_table
from robots.ur5e.emulator.urscript.operators import format_value, require_number, require_numbers
from robots.ur5e.emulator.urscript.runtime import Cycles, ScriptRuntime
from robots.ur5e.emulator.urscript.values import PoseValue, ScriptError, ScriptValue
from robots.ur5e.kinematics import TWO_PI, Joints, forward_kinematics, nearest_solution, pose_to_matrix

_ROTATION_LENGTH_M = 0.3  # along a line that count as long as a rotation of one radian


def movej(
    m: ScriptRuntime,
    q: ScriptValue,
    a: ScriptValue = 1.4,
    v: ScriptValue = 1.05,
    t: ScriptValue = 0,
    r: ScriptValue = 0,
) -> Cycles:
    """Move to joint targets or a pose. With a blend `r` it returns near it, still moving.

    Until then it brakes as if to stop there. A joint move that follows goes on past it, without one it stops.
    """
    goal, radius = np.array(_joints(m, q)), require_number(r)
    begin = m.c.q if m.corner is None else m.corner
    length = float(np.max(np.abs(goal - begin)))
    speed, acceleration = _move_speed(length, a, v, t)
    corner = m.take_corner(length)

    def make() -> Motion:
        nonlocal corner
        if corner is None:
            return joint_move(m.c.q, goal, speed, acceleration, m.scale)
        passed, corner = corner, None
        return blended_move(m.c.q, passed, goal, speed, acceleration, m.scale, float(np.max(np.abs(m.c.qd))))

    yield from m.run_motion(make, goal, blend_distance(begin, goal, m.c.tcp, radius) if radius else 0.0)


def movel(
    m: ScriptRuntime,
    pose: ScriptValue,
    a: ScriptValue = 1.2,
    v: ScriptValue = 0.25,
    t: ScriptValue = 0,
    r: ScriptValue = 0,
) -> Cycles:
    """Move in a straight line, to a pose or to the pose of joint targets."""
    goal = (
        pose_to_matrix(require_numbers(pose, 6))
        if isinstance(pose, PoseValue)
        else forward_kinematics(_joints(m, pose), m.c.tcp)
    )
    length = float(np.linalg.norm(goal[:3, 3] - forward_kinematics(m.c.q, m.c.tcp)[:3, 3]))
    speed, acceleration = _move_speed(max(length, _ROTATION_LENGTH_M), a, v, t)
    _refuse_blend(m, r)
    yield from m.run_motion(lambda: line_move(m.c.q, goal, m.c.tcp, speed, acceleration, m.scale))


def movep(
    m: ScriptRuntime, pose: ScriptValue, a: ScriptValue = 1.2, v: ScriptValue = 0.25, r: ScriptValue = 0
) -> Cycles:
    yield from movel(m, pose, a, v, 0, r)


def _refuse_blend(m: ScriptRuntime, r: ScriptValue) -> None:
    if require_number(r):
        m.c.log_event("blends of lines are not emulated: the arm stops at this target")


def stopj(m: ScriptRuntime, a: ScriptValue) -> Cycles:
    yield from _stop(m, a)


def stopl(m: ScriptRuntime, a: ScriptValue, aRot: ScriptValue = 0) -> Cycles:
    """Brake the joints together: the tool of the emulated arm may leave its line by millimetres."""
    yield from _stop(m, a)


def _stop(m: ScriptRuntime, a: ScriptValue) -> Cycles:
    deceleration = max(require_number(a), 0.1)
    m.corner = None
    yield from m.run_motion(lambda: brake_motion(m.c.q, m.c.qd, deceleration))


def speedj(m: ScriptRuntime, qd: ScriptValue, a: ScriptValue = 1.4, t: ScriptValue = "reached") -> Cycles:
    yield from _speed(m, qd, False, a, t)


def speedl(
    m: ScriptRuntime,
    xd: ScriptValue,
    a: ScriptValue = 1.2,
    t: ScriptValue = "reached",
    aRot: ScriptValue = "a",
) -> Cycles:
    yield from _speed(m, xd, True, a, t)


def _speed(m: ScriptRuntime, wanted: ScriptValue, tool: bool, a: ScriptValue, t: ScriptValue) -> Cycles:
    """Return after `t` seconds, or once the speed is reached; the motion continues until another call."""
    goal, acceleration = np.array(require_numbers(wanted, 6)), require_number(a)
    ends = math.inf if t == "reached" else m.c.now + max(require_number(t), DT_S) - DT_S / 2
    stream = m.begin_stream(SpeedStream)
    assert isinstance(stream, SpeedStream)
    stream.target = (tool, goal, acceleration)
    while True:
        yield
        if m.stream is not stream or m.c.now >= ends or (ends == math.inf and stream.reached):
            break
    m.end_stream_call()


def servoj(
    m: ScriptRuntime,
    q: ScriptValue,
    a: ScriptValue = 0,
    v: ScriptValue = 0,
    t: ScriptValue = 0.002,
    lookahead_time: ScriptValue = 0.1,
    gain: ScriptValue = 300,
) -> Cycles:
    goal, ends = np.array(_joints(m, q)), m.c.now + max(require_number(t), DT_S) - DT_S / 2
    require_number(lookahead_time), require_number(gain)
    stream = m.begin_stream(ServoStream)
    assert isinstance(stream, ServoStream)
    stream.goal = goal
    while True:
        yield
        if m.stream is not stream or m.c.now >= ends:
            break
    m.end_stream_call()


def sleep(m: ScriptRuntime, t: ScriptValue) -> Cycles:
    m.require_time_allowed()
    ends = m.c.now + require_number(t) - DT_S / 2
    while m.c.now < ends:
        yield


def sync(m: ScriptRuntime) -> Cycles:
    m.require_time_allowed()
    yield


def protective_stop(m: ScriptRuntime) -> Cycles:
    m.c.protective_stop("triggered by the program")
    yield


def _joints(m: ScriptRuntime, target: ScriptValue) -> Joints:
    if isinstance(target, PoseValue):
        found = nearest_solution(pose_to_matrix(require_numbers(target, 6)), m.c.q, m.c.tcp)
        if found is None:
            raise ScriptError(f"no inverse kinematics solution for {format_value(target)}")
        return found
    a, b, c, d, e, f = joints = require_numbers(target, 6)
    if max(map(abs, joints)) > TWO_PI:
        raise ScriptError(f"a joint of {format_value(target)} is beyond 2 pi")
    return (a, b, c, d, e, f)


def _move_speed(length: float, a: ScriptValue, v: ScriptValue, t: ScriptValue) -> tuple[float, float]:
    """Return speed and acceleration. A time `t` takes precedence over both, as far as `a` allows."""
    acceleration, speed, seconds = require_number(a), require_number(v), require_number(t)
    if acceleration <= 0 or speed <= 0 or seconds < 0:
        raise ScriptError("a speed and an acceleration are above 0, a time is not below")
    if seconds == 0 or length == 0:
        return speed, acceleration
    root = (acceleration * seconds) ** 2 - 4 * acceleration * length
    if root < 0:
        return 2 * length / seconds, 4 * length / seconds**2
    return (acceleration * seconds - math.sqrt(root)) / 2, acceleration


MOTION = builtin_table(globals())

# Known to PolyScope 5.15, and rejected with a message when a program calls them.
_WORDS = """
conveyor_pulse_decode direct_torque enable_external_ft_sensor encoder_enable_pulse_decode
encoder_enable_set_tick_count encoder_get_tick_count force force_mode ft_rtde_input_enable get_analog_in
get_conveyor_tick_count get_flag interpreter_mode end_interpreter_mode clear_interpreter modbus_add_signal
modbus_get_signal_status movec position_deviation_warning reset_revolution_counter reset_world_model
rpc_factory screw_driving servoc set_conveyor_tick_count set_flag set_safety_mode_transition_hardness
set_tool_communication set_tool_voltage socket_close socket_get_var socket_open socket_read_ascii_float
socket_read_binary_integer socket_read_byte_list socket_read_line socket_read_string socket_send_byte
socket_send_int socket_send_line socket_send_string socket_set_var tool_contact track_conveyor_circular
track_conveyor_linear stop_conveyor_tracking
"""
NOT_EMULATED = frozenset(_WORDS.split())
