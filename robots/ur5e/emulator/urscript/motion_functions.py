"""Functions that take time: moves, streams of speeds and joints, stops and pauses."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from robots.ur5e.emulator.motion import Servo, Speed, braking, joint_move, line_move
from robots.ur5e.emulator.plant import DT
from robots.ur5e.emulator.urscript.functions import table
from robots.ur5e.emulator.urscript.machine import Machine, Wait
from robots.ur5e.emulator.urscript.nodes import PoseValue, ScriptError, Value
from robots.ur5e.emulator.urscript.operators import number, numbers, text
from robots.ur5e.kinematics import TURN, Joints, forward, matrix, nearest

_ROTATION = 0.3  # metres that a turn of one radian counts as along a line


def movej(m: Machine, q: Value, a: Value = 1.4, v: Value = 1.05, t: Value = 0, r: Value = 0) -> Wait:
    """To joints or a pose. Blends (`r`) are not emulated: the arm stops at each target."""
    goal = _joints(m, q)
    length = float(np.max(np.abs(np.subtract(goal, m.c.q))))
    speed, acceleration = _pace(length, a, v, t)
    number(r)
    yield from m.follow(lambda: joint_move(m.c.q, goal, speed, acceleration, m.scale))


def movel(m: Machine, pose: Value, a: Value = 1.2, v: Value = 0.25, t: Value = 0, r: Value = 0) -> Wait:
    """Straight, to a pose or to where joints would be."""
    goal = matrix(numbers(pose, 6)) if isinstance(pose, PoseValue) else forward(_joints(m, pose), m.c.tcp)
    length = float(np.linalg.norm(goal[:3, 3] - forward(m.c.q, m.c.tcp)[:3, 3]))
    speed, acceleration = _pace(max(length, _ROTATION), a, v, t)
    number(r)
    yield from m.follow(lambda: line_move(m.c.q, goal, m.c.tcp, speed, acceleration, m.scale))


def movep(m: Machine, pose: Value, a: Value = 1.2, v: Value = 0.25, r: Value = 0) -> Wait:
    yield from movel(m, pose, a, v, 0, r)


def stopj(m: Machine, a: Value) -> Wait:
    yield from _stop(m, a)


def stopl(m: Machine, a: Value, aRot: Value = 0) -> Wait:
    """Brakes the joints together: on the emulated arm the tool may leave its line by millimetres."""
    yield from _stop(m, a)


def _stop(m: Machine, a: Value) -> Wait:
    deceleration = max(number(a), 0.1)
    yield from m.follow(lambda: braking(m.c.q, m.c.qd, deceleration))


def speedj(m: Machine, qd: Value, a: Value = 1.4, t: Value = "reached") -> Wait:
    yield from _speed(m, qd, False, a, t)


def speedl(m: Machine, xd: Value, a: Value = 1.2, t: Value = "reached", aRot: Value = "a") -> Wait:
    yield from _speed(m, xd, True, a, t)


def _speed(m: Machine, wanted: Value, tool: bool, a: Value, t: Value) -> Wait:
    """Returns after `t` seconds, or at the speed; the motion goes on until another call."""
    goal, acceleration = np.array(numbers(wanted, 6)), number(a)
    ends = math.inf if t == "reached" else m.c.now + max(number(t), DT) - DT / 2
    stream = m.begin_stream(Speed)
    assert isinstance(stream, Speed)
    stream.wanted = (tool, goal, acceleration)
    while True:
        yield
        if m.stream is not stream or m.c.now >= ends or (ends == math.inf and stream.reached):
            break
    m.end_stream_call()


def servoj(
    m: Machine,
    q: Value,
    a: Value = 0,
    v: Value = 0,
    t: Value = 0.002,
    lookahead_time: Value = 0.1,
    gain: Value = 300,
) -> Wait:
    goal, ends = np.array(_joints(m, q)), m.c.now + max(number(t), DT) - DT / 2
    number(lookahead_time), number(gain)
    stream = m.begin_stream(Servo)
    assert isinstance(stream, Servo)
    stream.goal = goal
    while True:
        yield
        if m.stream is not stream or m.c.now >= ends:
            break
    m.end_stream_call()


def sleep(m: Machine, t: Value) -> Wait:
    m.take_time()
    ends = m.c.now + number(t) - DT / 2
    while m.c.now < ends:
        yield


def sync(m: Machine) -> Wait:
    m.take_time()
    yield


def protective_stop(m: Machine) -> Wait:
    m.c.protective_stop("triggered by the program")
    yield


def _joints(m: Machine, target: Value) -> Joints:
    if isinstance(target, PoseValue):
        found = nearest(matrix(numbers(target, 6)), m.c.q, m.c.tcp)
        if found is None:
            raise ScriptError(f"no inverse kinematics solution for {text(target)}")
        return found
    a, b, c, d, e, f = joints = numbers(target, 6)
    if max(map(abs, joints)) > TURN:
        raise ScriptError(f"a joint of {text(target)} is beyond 2 pi")
    return (a, b, c, d, e, f)


def _pace(length: float, a: Value, v: Value, t: Value) -> tuple[float, float]:
    """Speed and acceleration. A time `t` takes precedence over both, as far as `a` allows."""
    acceleration, speed, seconds = number(a), number(v), number(t)
    if acceleration <= 0 or speed <= 0 or seconds < 0:
        raise ScriptError("a speed and an acceleration are above 0, a time is not below")
    if seconds == 0 or length == 0:
        return speed, acceleration
    root = (acceleration * seconds) ** 2 - 4 * acceleration * length
    if root < 0:
        return 2 * length / seconds, 4 * length / seconds**2
    return (acceleration * seconds - math.sqrt(root)) / 2, acceleration


MOTION = table(movej, movel, movep, stopj, stopl, speedj, speedl, servoj, sleep, sync, protective_stop)

# Known to PolyScope 5.15, and refused in words when a program calls them.
NOT_EMULATED = frozenset(
    [
        "conveyor_pulse_decode",
        "direct_torque",
        "enable_external_ft_sensor",
        "encoder_enable_pulse_decode",
        "encoder_enable_set_tick_count",
        "encoder_get_tick_count",
        "force",
        "force_mode",
        "ft_rtde_input_enable",
        "get_analog_in",
        "get_conveyor_tick_count",
        "get_flag",
        "interpreter_mode",
        "end_interpreter_mode",
        "clear_interpreter",
        "modbus_add_signal",
        "modbus_get_signal_status",
        "movec",
        "position_deviation_warning",
        "reset_revolution_counter",
        "reset_world_model",
        "rpc_factory",
        "screw_driving",
        "servoc",
        "set_conveyor_tick_count",
        "set_flag",
        "set_safety_mode_transition_hardness",
        "set_tool_communication",
        "set_tool_voltage",
        "socket_close",
        "socket_get_var",
        "socket_open",
        "socket_read_ascii_float",
        "socket_read_binary_integer",
        "socket_read_byte_list",
        "socket_read_line",
        "socket_read_string",
        "socket_send_byte",
        "socket_send_int",
        "socket_send_line",
        "socket_send_string",
        "socket_set_var",
        "tool_contact",
        "track_conveyor_circular",
        "track_conveyor_linear",
        "stop_conveyor_tracking",
    ]
)


def refusing(name: str) -> Callable:
    def run(m: Machine, *arguments: Value, **named: Value) -> Value:
        raise ScriptError(f"{name} is not emulated")

    run.__name__ = name
    return run
