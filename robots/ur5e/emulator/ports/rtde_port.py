"""Port 30004, RTDE: the controller's outputs, and the inputs that clients set."""

from __future__ import annotations

import math
import socket
import struct
from collections.abc import Mapping

from robots.ur5e import rtde
from robots.ur5e.emulator.controller import VERSION, Controller
from robots.ur5e.emulator.ports.reactor import ClientConnection, Reactor
from robots.ur5e.emulator.snapshot import ControllerSnapshot

_MAX_PAYLOAD = 0xFFFF - 3  # bytes
_VERSION_1_HERTZ = 125.0  # of protocol version 1


class RtdeConnection(ClientConnection):
    """One client. It speaks version 1 until it requests version 2, as with the real controller."""

    owners: dict[str, RtdeConnection]

    def __init__(
        self, sock: socket.socket, reactor: Reactor, c: Controller, owners: dict[str, RtdeConnection]
    ) -> None:
        super().__init__(sock, reactor, max_backlog=1 << 16)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)  # a larger buffer would only delay
        self._c, self.owners = c, owners
        self._buffer = bytearray()
        self._version = 1
        self._outputs: rtde.Recipe | None = None
        self._inputs: list[rtde.Recipe] = []
        self._running = False
        self._packages_per_cycle, self._due = 1.0, 0.0  # and the fraction carried over

    @property
    def hertz(self) -> float:
        return self._packages_per_cycle * rtde.HERTZ if self._running else 0.0

    def publish(self, snapshot: ControllerSnapshot) -> None:
        """Send the data package of this tick, if one is due for this client."""
        if not self._running or self._outputs is None:
            return
        self._due += self._packages_per_cycle
        if self._due >= 1 - 1e-9:
            self._due -= 1
            payload = self._outputs.pack(snapshot.flat_values(self._outputs))
            self.send_latest(rtde.encode_frame(rtde.DATA, payload if self._version > 1 else payload[1:]))

    def on_closed(self) -> None:
        for name in [n for n, owner in self.owners.items() if owner is self]:
            del self.owners[name]

    def on_received(self, data: bytes) -> None:
        self._buffer += data
        try:
            for kind, payload in rtde.take_frames(self._buffer):
                self._handle(kind, payload)
        except (ValueError, struct.error):
            self.close()  # the client speaks another protocol

    def _handle(self, kind: int, payload: bytes) -> None:
        match kind:
            case rtde.VERSION:
                asked = struct.unpack(">H", payload)[0]
                if asked in (1, 2):
                    self._version = asked
                self.send(rtde.encode_frame(kind, bytes([asked in (1, 2)])))
            case rtde.CONTROLLER:
                self.send(rtde.encode_frame(kind, struct.pack(">4I", *VERSION)))
            case rtde.OUTPUTS:
                self._set_outputs(payload)
            case rtde.INPUTS:
                self._add_inputs(payload)
            case rtde.START:
                self._running = self._outputs is not None
                self.send(rtde.encode_frame(kind, bytes([self._running or bool(self._inputs)])))
            case rtde.PAUSE:
                self._running = False
                self.send(rtde.encode_frame(kind, b"\1"))
            case rtde.DATA:
                self._apply_inputs(payload)

    def _set_outputs(self, payload: bytes) -> None:
        """Set up the outputs. A later recipe replaces an earlier one; the frequency may be 0 to 500 Hz."""
        hertz, names = _VERSION_1_HERTZ, payload
        if self._version > 1:
            (hertz,), names = struct.unpack_from(">d", payload), payload[8:]
        wanted = rtde.split_names(names)
        types = tuple(rtde.OUTPUT.get(name, "NOT_FOUND") for name in wanted)
        good = bool(wanted) and "NOT_FOUND" not in types and 0 < hertz <= rtde.HERTZ
        if good:
            recipe = rtde.Recipe(1, wanted, types)
            good = recipe.layout.size <= _MAX_PAYLOAD
        if good:
            self._outputs, self._packages_per_cycle, self._due = recipe, hertz / rtde.HERTZ, 0.0
        reply = ",".join(types).encode()
        self.send(rtde.encode_frame(rtde.OUTPUTS, bytes([good]) + reply if self._version > 1 else reply))

    def _add_inputs(self, payload: bytes) -> None:
        names = rtde.split_names(payload)
        types = tuple(
            "IN_USE" if self.owners.get(n, self) is not self else rtde.INPUT.get(n, "NOT_FOUND")
            for n in names
        )
        good = bool(names) and not {"IN_USE", "NOT_FOUND"} & set(types) and len(self._inputs) < 255
        if good:
            self._inputs.append(rtde.Recipe(len(self._inputs) + 1, names, types))
            self.owners.update(dict.fromkeys(names, self))
        number = len(self._inputs) if good else 0
        self.send(rtde.encode_frame(rtde.INPUTS, bytes([number]) + ",".join(types).encode()))

    def _apply_inputs(self, payload: bytes) -> None:
        if payload and 1 <= payload[0] <= len(self._inputs):
            apply_inputs(self._c, self._inputs[payload[0] - 1].unpack(payload))


def apply_inputs(c: Controller, inputs: Mapping[str, tuple[float, ...]]) -> None:
    """Apply what a client has sent. A value without its mask changes nothing."""
    values = {name: v[0] for name, v in inputs.items()}
    for name, value in values.items():
        c.feed_watchdog(name)
        if name.startswith("input_int_register_"):
            c.in_int[int(name[19:])] = int(value)
        elif name.startswith("input_double_register_"):
            c.in_double[int(name[22:])] = value
        elif name.startswith("input_bit_register"):
            _set_bits(c, name, int(value))
    fraction = values.get("speed_slider_fraction", math.nan)
    if values.get("speed_slider_mask") and math.isfinite(fraction):
        c.slider = min(1.0, max(0.0, fraction))
    for base, name in ((0, "standard"), (8, "configurable"), (16, "tool")):
        mask = int(values.get(f"{name}_digital_output_mask", 0)) << base
        wanted = int(values.get(f"{name}_digital_output", 0)) << base
        c.digital_out = c.digital_out & ~mask | wanted & mask
    _set_analog(c, values)


def _set_bits(c: Controller, name: str, value: int) -> None:
    if name.startswith("input_bit_registers"):
        at, width = (32 if name.endswith("63") else 0), 32
    else:
        at, width = int(name.rsplit("_", 1)[1]), 1
    c.in_bits = c.in_bits & ~(((1 << width) - 1) << at) | value << at


def _set_analog(c: Controller, values: Mapping[str, float]) -> None:
    mask = int(values.get("standard_analog_output_mask", 0))
    for n in (0, 1):
        part = values.get(f"standard_analog_output_{n}", math.nan)
        if not mask >> n & 1 or not math.isfinite(part):
            continue
        c.analog_out[n] = min(1.0, max(0.0, part))
        voltage = int(values.get("standard_analog_output_type", 0)) >> n & 1
        c.analog_types = c.analog_types & ~(4 << n) | voltage << 2 + n
