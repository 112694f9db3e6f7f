"""The controller's values in one cycle, by RTDE's names. Each is computed when first needed.

What the emulated arm lacks (temperatures, voltages, a second encoder) is a constant.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property, lru_cache
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from robots.ur5e import rtde
from robots.ur5e.emulator.controller import MAX_DEVIATION_RAD, Controller
from robots.ur5e.emulator.plant import DT_S
from robots.ur5e.kinematics import (
    Pose,
    Transform,
    VectorLike,
    forward_kinematics,
    jacobian_at,
    link_frames,
    matrix_to_pose,
)
from robots.ur5e.modes import STATUS_BITS, RobotMode, RuntimeState

_JOINT_RUNNING, _JOINT_IDLE, _JOINT_BOOTING, _JOINT_OFF = 253, 255, 247, 239
_JOINT_MODES = {
    RobotMode.RUNNING: _JOINT_RUNNING,
    RobotMode.IDLE: _JOINT_IDLE,
    RobotMode.POWER_ON: _JOINT_BOOTING,
}
_TORQUE_PER_AMPERE = 10.0  # N m per ampere, roughly the scale of the joint currents


class ControllerSnapshot:
    """The values of one cycle, or of all while the arm rests. Belongs to the emulator's thread."""

    def __init__(self, c: Controller) -> None:
        self.controller = c
        self._targets = c.q, c.tcp, c.plant.at_rest

    @property
    def holds(self) -> bool:
        """Return True if what it has computed is still so, one tick later."""
        q, tcp, rest = self._targets
        return (
            rest and self.controller.plant.at_rest and q is self.controller.q and tcp is self.controller.tcp
        )

    @cached_property
    def frames(self) -> NDArray[np.float64]:
        return link_frames(self.controller.plant.q)

    @cached_property
    def tool(self) -> Transform:
        return np.asarray(self.frames[6] @ self.controller.tcp)

    @cached_property
    def jacobian(self) -> NDArray[np.float64]:
        return jacobian_at(self.frames, self.tool)

    @cached_property
    def pose(self) -> Pose:
        return matrix_to_pose(self.tool)

    @cached_property
    def target_pose(self) -> Pose:
        return matrix_to_pose(forward_kinematics(self.controller.q, self.controller.tcp))

    @cached_property
    def wrench(self) -> NDArray[np.float64]:
        return self.controller.wrench_at(self.jacobian)

    @cached_property
    def elbow(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return the elbow's position, and its velocity due to the two joints before it."""
        q, qd = self.controller.plant.q, self.controller.plant.qd
        points = self.frames[:, :3, 3]
        s, c = math.sin(q[0]), math.cos(q[0])  # the first axis is (0, 0, 1), the second (s, -c, 0)
        (x, y, _), (a, b, height) = points[2] - points[0], points[2] - points[1]
        speed = qd[0] * np.array((-y, x, 0.0)) + qd[1] * np.array((-c * height, -s * height, s * b + c * a))
        return points[2], speed

    def values(self, name: str) -> Sequence[float]:
        """Return a variable as one number, three or six. Raises KeyError for one that RTDE does not have."""
        return _reader(name)(self)

    def flat_values(self, recipe: rtde.Recipe) -> list[float]:
        out: list[float] = []
        for read in _readers(recipe.names):
            out += read(self)
        return out


_Reader = Callable[[ControllerSnapshot], Sequence[float]]


@lru_cache(maxsize=64)
def _readers(names: tuple[str, ...]) -> tuple[_Reader, ...]:
    return tuple(map(_reader, names))


@cache
def _reader(name: str) -> _Reader:
    """Return what reads a variable: found once, not in each of the 500 ticks a second."""
    make = _VECTORS.get(name)
    if make is not None:
        return lambda s: _numbers(make(s))
    single = _SINGLES.get(name)
    if single is not None:
        return lambda s: (single(s.controller),)
    if name in _CONSTANTS:
        constant = (_CONSTANTS[name],)
        return lambda s: constant
    if name == "joint_mode":
        return lambda s: [_JOINT_MODES.get(s.controller.robot_mode, _JOINT_OFF)] * 6
    if name == "tcp_force_scalar":
        return lambda s: (float(np.linalg.norm(s.wrench[:3])),)
    register = _register(name)
    return lambda s: (register(s.controller),)


def _numbers(values: VectorLike) -> Sequence[float]:
    found: Sequence[float] = values.tolist() if isinstance(values, np.ndarray) else values
    return found


def _register(name: str) -> Callable[[Controller], float]:
    direction, kind, *rest = name.split("_")
    ours = direction == "output"
    if kind in ("int", "double"):
        attribute, number = f"{'out' if ours else 'in'}_{kind}", int(rest[-1])
        return lambda c: getattr(c, attribute)[number]
    bits, shift, mask = f"{'out' if ours else 'in'}_bits", 0, 0xFFFFFFFF
    if rest[0] == "register":
        shift, mask = int(rest[-1]), 1
    elif rest[0] == "registers32":
        shift = 32
    return lambda c: getattr(c, bits) >> shift & mask


def _analog(c: Controller, n: int) -> float:
    """Return an analog value in volts or amperes."""
    part = c.analog_out[n]
    return 10 * part if c.analog_types >> 2 + n & 1 else 0.004 + 0.016 * part


def _powered(c: Controller, value: float) -> float:
    return value if c.powered else 0.0


_VECTORS: Mapping[str, Callable[[ControllerSnapshot], VectorLike]] = MappingProxyType(
    {
        "target_q": lambda s: s.controller.q,
        "target_qd": lambda s: s.controller.qd,
        "target_qdd": lambda s: s.controller.qdd,
        "target_current": lambda s: s.controller.plant.torques / _TORQUE_PER_AMPERE,
        "target_moment": lambda s: s.controller.plant.torques,
        "actual_q": lambda s: s.controller.plant.q,
        "actual_qd": lambda s: s.controller.plant.qd,
        "actual_current": lambda s: s.controller.plant.torques / _TORQUE_PER_AMPERE,
        "actual_current_window": lambda s: [1.0] * 6,
        "actual_current_as_torque": lambda s: s.controller.plant.torques,
        "joint_control_output": lambda s: s.controller.plant.torques / _TORQUE_PER_AMPERE,
        "actual_TCP_pose": lambda s: s.pose,
        "actual_TCP_speed": lambda s: s.jacobian @ s.controller.plant.qd,
        "actual_TCP_acceleration": lambda s: s.jacobian @ s.controller.qdd,
        "actual_TCP_force": lambda s: s.wrench,
        "target_TCP_pose": lambda s: s.target_pose,
        "target_TCP_speed": lambda s: s.jacobian @ s.controller.qd,
        "target_TCP_acceleration": lambda s: s.jacobian @ s.controller.qdd,
        "tcp_offset": lambda s: matrix_to_pose(s.controller.tcp),
        "joint_temperatures": lambda s: [31.0] * 6,
        "actual_joint_voltage": lambda s: [_powered(s.controller, 48.0)] * 6,
        "actual_tool_accelerometer": lambda s: (0.0, 0.0, 9.81),
        "elbow_position": lambda s: s.elbow[0],
        "elbow_velocity": lambda s: s.elbow[1],
        "ft_raw_wrench": lambda s: s.wrench,
        "wrench_calc_from_currents": lambda s: s.wrench,
        "payload_cog": lambda s: s.controller.cog,
        "payload_inertia": lambda s: s.controller.inertia,
        "target_gravity": lambda s: (0.0, 0.0, 9.81),
        "target_base_acceleration": lambda s: [0.0] * 6,
        "target_base_wrench": lambda s: [0.0] * 6,
    }
)
_SINGLES: Mapping[str, Callable[[Controller], float]] = MappingProxyType(
    {
        "timestamp": lambda c: c.now,
        "control_step": lambda c: round(c.now / DT_S),
        "target_execution_time": lambda c: 1000 * DT_S,
        "robot_mode": lambda c: int(c.robot_mode),
        "safety_mode": lambda c: int(c.safety_mode),
        "safety_status": lambda c: int(c.safety_mode),
        "runtime_state": lambda c: int(c.runtime),
        "safety_status_bits": lambda c: STATUS_BITS[c.safety_mode],
        "robot_status_bits": lambda c: (
            c.powered | (c.runtime is RuntimeState.PLAYING) << 1 | c.compliant << 2
        ),
        "script_control_line": lambda c: c.script_line,
        "speed_scaling": lambda c: c.slider,
        "target_speed_fraction": lambda c: c.slider,
        "actual_robot_voltage": lambda c: _powered(c, 48.0),
        "actual_robot_current": lambda c: _powered(c, 0.4),
        "actual_digital_input_bits": lambda c: c.digital_in,
        "actual_digital_output_bits": lambda c: c.digital_out,
        "actual_configurable_digital_output_bits": lambda c: c.digital_out >> 8 & 0xFF,
        "analog_io_types": lambda c: c.analog_types,
        "standard_analog_output0": lambda c: _analog(c, 0),
        "standard_analog_output1": lambda c: _analog(c, 1),
        "tool_mode": lambda c: _JOINT_MODES.get(c.robot_mode, _JOINT_OFF),
        "joint_position_deviation_ratio": lambda c: min(
            1.0, float(np.max(np.abs(c.q - c.plant.q))) / MAX_DEVIATION_RAD
        ),
        "payload": lambda c: c.payload,
    }
)
# What the emulated arm lacks.
_ZEROS = """
time_scale_source actual_momentum actual_robot_energy_consumed actual_robot_braking_energy_dissipated
actual_configurable_digital_input_bits standard_analog_input0
standard_analog_input1 euromap67_input_bits euromap67_output_bits euromap67_24V_voltage
euromap67_24V_current tool_analog_input_types tool_analog_input0 tool_analog_input1 tool_output_voltage
tool_output_current tool_output_mode encoder0_raw encoder1_raw collision_detection_ratio
"""
_CONSTANTS: Mapping[str, float] = MappingProxyType(
    {
        **dict.fromkeys(_ZEROS.split(), 0),
        "actual_execution_time": 0.4,
        "actual_main_voltage": 48.0,
        "io_current": 0.02,
        "tool_temperature": 30.0,
        "tool_digital_output0_mode": 1,
        "tool_digital_output1_mode": 1,
    }
)
