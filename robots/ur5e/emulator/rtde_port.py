"""Port 30004: what the controller tells, and the registers it is told."""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from robots.ur5e import rtde
from robots.ur5e.emulator.controller import VERSION, Controller
from robots.ur5e.emulator.reactor import Link, Reactor
from robots.ur5e.kinematics import Pose, Row, forward, jacobian, pose_of
from robots.ur5e.modes import STATUS_BITS, RobotMode, Runtime

_RUNNING, _OFF = 253, 239  # joint_mode


class Snapshot:
    """The variables of one tick, each computed when a recipe first asks for it."""

    def __init__(self, c: Controller) -> None:
        self.c = c
        self._known: dict[str, Sequence[float]] = {}

    @cached_property
    def jacobian(self) -> NDArray[np.float64]:
        return jacobian(self.c.plant.q, self.c.tcp)

    @cached_property
    def pose(self) -> Pose:
        return self.c.pose

    @cached_property
    def target_pose(self) -> Pose:
        return pose_of(forward(self.c.q, self.c.tcp))

    @cached_property
    def wrench(self) -> NDArray[np.float64]:
        """Force and torque at the tool of what touches the arm; damped, as the arm may be stretched."""
        j = self.jacobian
        return np.asarray(-np.linalg.solve(j @ j.T + 1e-6 * np.eye(6), j @ self.c.plant.external))

    def flat(self, recipe: rtde.Recipe) -> list[float]:
        out: list[float] = []
        for name, kind in zip(recipe.names, recipe.types, strict=True):
            values = self._known.get(name)
            if values is None:
                values = self._known[name] = self._value(name, rtde.FORMATS[kind][1])
            out += values
        return out

    def _value(self, name: str, count: int) -> Sequence[float]:
        c = self.c
        if name.startswith("output_int_register_"):
            return [c.out_int[int(name[20:])]]
        if name.startswith("output_double_register_"):
            return [c.out_double[int(name[23:])]]
        make = _VALUES.get(name)
        return np.asarray(make(self), float).tolist() if make and count > 1 else _single(c, name, count)


def _single(c: Controller, name: str, count: int) -> Sequence[float]:
    if count > 1:
        return [253] * 6 if name == "joint_mode" else [0.0] * count
    make = _SINGLES.get(name)
    return [make(c)] if make else [0]


_VALUES: dict[str, Callable[[Snapshot], Row]] = {
    "target_q": lambda s: s.c.q,
    "target_qd": lambda s: s.c.qd,
    "target_qdd": lambda s: s.c.qdd,
    "actual_q": lambda s: s.c.plant.q,
    "actual_qd": lambda s: s.c.plant.qd,
    "actual_current": lambda s: s.c.plant.torques / 10,
    "target_current": lambda s: s.c.plant.torques / 10,
    "target_moment": lambda s: s.c.plant.torques,
    "joint_control_output": lambda s: s.c.plant.torques / 10,
    "actual_TCP_pose": lambda s: s.pose,
    "target_TCP_pose": lambda s: s.target_pose,
    "actual_TCP_speed": lambda s: s.jacobian @ s.c.plant.qd,
    "target_TCP_speed": lambda s: s.jacobian @ s.c.qd,
    "actual_TCP_force": lambda s: s.wrench,
    "ft_raw_wrench": lambda s: s.wrench,
    "payload_cog": lambda s: s.c.cog,
    "actual_tool_accelerometer": lambda s: (0, 0, 9.81),
    "joint_temperatures": lambda s: [31.0] * 6,
    "actual_joint_voltage": lambda s: [48.0] * 6,
}
_SINGLES: dict[str, Callable[[Controller], float]] = {
    "timestamp": lambda c: c.now,
    "actual_execution_time": lambda c: 0.4,
    "robot_mode": lambda c: int(c.robot_mode),
    "safety_mode": lambda c: int(c.safety_mode),
    "runtime_state": lambda c: int(c.runtime),
    "safety_status_bits": lambda c: STATUS_BITS[c.safety_mode],
    "robot_status_bits": lambda c: (
        (c.robot_mode >= RobotMode.IDLE) | (c.runtime is Runtime.PLAYING) << 1 | c.compliant << 2
    ),
    "speed_scaling": lambda c: c.slider,
    "target_speed_fraction": lambda c: c.slider,
    "actual_main_voltage": lambda c: 48.0,
    "actual_robot_voltage": lambda c: 48.0 if c.robot_mode >= RobotMode.IDLE else 0.0,
    "actual_digital_output_bits": lambda c: c.digital_out,
    "payload": lambda c: c.payload,
}


class RtdeLink(Link):
    """One client."""

    owners: dict[str, RtdeLink]

    def __init__(
        self, sock: socket.socket, reactor: Reactor, c: Controller, owners: dict[str, RtdeLink]
    ) -> None:
        super().__init__(sock, reactor, bound=1 << 16)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)  # what waits is soon too old
        self._c, self.owners = c, owners
        self._buffer = bytearray()
        self._outputs: rtde.Recipe | None = None
        self._inputs: list[rtde.Recipe] = []
        self._every, self._count, self._on = 1, 0, False

    def publish(self, snapshot: Snapshot) -> None:
        """The data package of this tick, if it is this client's turn."""
        self._count += 1
        if self._on and self._outputs is not None and self._count % self._every == 0:
            self.offer(rtde.packet(rtde.DATA, self._outputs.pack(snapshot.flat(self._outputs))))

    def closed(self) -> None:
        for name in [n for n, owner in self.owners.items() if owner is self]:
            del self.owners[name]

    def received(self, data: bytes) -> None:
        self._buffer += data
        try:
            for kind, payload in rtde.split(self._buffer):
                self._handle(kind, payload)
        except (ValueError, struct.error):
            self.close()  # it speaks another protocol

    def _handle(self, kind: int, payload: bytes) -> None:
        match kind:
            case rtde.VERSION:
                asked = struct.unpack(">H", payload)[0]
                self.send(rtde.packet(kind, bytes([asked in (1, 2)])))
            case rtde.CONTROLLER:
                self.send(rtde.packet(kind, struct.pack(">4I", *VERSION)))
            case rtde.OUTPUTS:
                self._set_outputs(payload)
            case rtde.INPUTS:
                self._add_inputs(payload)
            case rtde.START:
                self.send(rtde.packet(kind, b"\1"))
                self._on = self._outputs is not None
            case rtde.PAUSE:
                self._on = False
                self.send(rtde.packet(kind, b"\1"))
            case rtde.DATA:
                self._take(payload)

    def _set_outputs(self, payload: bytes) -> None:
        (hertz,) = struct.unpack_from(">d", payload)
        names = rtde.listed(payload[8:])
        types = tuple(rtde.OUTPUT.get(name, "NOT_FOUND") for name in names)
        known = "NOT_FOUND" not in types
        if known:
            self._outputs = rtde.Recipe(1, names, types)
            self._every = max(1, round(rtde.HERTZ / hertz)) if hertz > 0 else 1
        self.send(rtde.packet(rtde.OUTPUTS, bytes([known]) + ",".join(types).encode()))

    def _add_inputs(self, payload: bytes) -> None:
        names = rtde.listed(payload)
        types = tuple(
            "IN_USE" if self.owners.get(n, self) is not self else rtde.INPUT.get(n, "NOT_FOUND")
            for n in names
        )
        good = not {"IN_USE", "NOT_FOUND"} & set(types)
        if good:
            self._inputs.append(rtde.Recipe(len(self._inputs) + 1, names, types))
            self.owners.update(dict.fromkeys(names, self))
        number = len(self._inputs) if good else 0
        self.send(rtde.packet(rtde.INPUTS, bytes([number]) + ",".join(types).encode()))

    def _take(self, payload: bytes) -> None:
        c = self._c
        if not payload or not 1 <= payload[0] <= len(self._inputs):
            return
        values = {n: v[0] for n, v in self._inputs[payload[0] - 1].unpack(payload).items()}
        for name, value in values.items():
            if name.startswith("input_int_register_"):
                c.in_int[int(name[19:])] = int(value)
                c.feed()
            elif name.startswith("input_double_register_"):
                c.in_double[int(name[22:])] = value
        if values.get("speed_slider_mask"):
            c.slider = min(1.0, max(0.0, values["speed_slider_fraction"]))
        for base, name in ((0, "standard"), (8, "configurable"), (16, "tool")):
            mask = int(values.get(f"{name}_digital_output_mask", 0)) << base
            if mask:
                wanted = int(values.get(f"{name}_digital_output", 0)) << base
                c.digital_out = c.digital_out & ~mask | wanted & mask
