"""A suction cup: a valve at one of the tool's digital outputs, and a vacuum switch at one of its inputs.

A stop leaves the valve as it is: a cup that lets go drops what it holds.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from time import monotonic
from typing import TYPE_CHECKING

from core.arm.arm_capabilities import GripperStatus
from core.errors import RobotError
from robots.remote.wire_message import WireMessage
from robots.ur5e import rtde
from robots.ur5e.gripper.motion import GripperMotion
from robots.ur5e.rtde_setup import request, set_outputs, take_inputs

if TYPE_CHECKING:
    from robots.ur5e.gripper.model import GripperModel
    from robots.ur5e.rtde_receiver import RtdeReceiver

TOOL_BITS = 16  # where the tool's own begin among the digital bits
_VALVE = ("tool_digital_output_mask", "tool_digital_output")
_BITS = ("actual_digital_output_bits", "actual_digital_input_bits")
_HERTZ = 50.0
_TIMEOUT = 1.0  # seconds for the controller's answers
_OLD = 0.5  # seconds; older data do not tell what the cup holds
_VACUUM_TIMEOUT = 1.0  # seconds after which a cup without a vacuum holds nothing


class VacuumReader:
    """Reads valve and switch in the arm's own data."""

    def __init__(self, address: str, model: GripperModel, receiver: RtdeReceiver) -> None:
        self._model, self._receiver = model, receiver

    def state(self) -> GripperStatus:
        state, reason = self._receiver.latest, self._receiver.old_data(_OLD)
        if state is None or reason:
            raise RobotError(f"What the cup holds is not known: {reason}.")
        opened = bool(state.outputs >> TOOL_BITS + self._model.valve & 1)
        holds = bool(state.inputs >> TOOL_BITS + self._model.switch & 1)
        width = self._model.finger[0]
        return GripperStatus(0.0 if opened else width, width, True, False, opened and holds)

    def close(self) -> None:
        """Close nothing: the data are the arm's."""


class VacuumMotion(GripperMotion):
    """Switches the valve by RTDE, on a connection of its own, and waits for the vacuum."""

    def __init__(self, address: str, message: WireMessage) -> None:
        super().__init__()
        self._address, self._message = address, message

    def _send_end(self) -> None:
        """Send nothing: what is held stays held, and nothing else moves."""

    def _confirm_end(self) -> None:
        """Confirm nothing, for the same reason."""

    def _move(self) -> None:
        if self._message.kind == "activate":  # there is nothing to activate
            return
        try:
            with socket.create_connection((self._address, rtde.PORT), _TIMEOUT) as sock:
                self._switch(sock, self._message.number("closed") > 0.5)
        except (OSError, ValueError, struct.error) as error:
            raise RobotError(
                f"The valve cannot be switched ({error}): check cable, address and RTDE."
            ) from error

    def _switch(self, sock: socket.socket, on: bool) -> None:
        buffer = bytearray()
        if request(sock, buffer, rtde.VERSION, struct.pack(">H", 2)) != b"\1":
            raise ValueError("the controller does not speak RTDE version 2")
        inputs = take_inputs(sock, buffer, _VALVE)
        if inputs is None:
            raise RobotError(
                "The tool's outputs belong to another client: end it, or switch its fieldbus off."
            )
        outputs = set_outputs(sock, buffer, _BITS, _HERTZ, None)
        if request(sock, buffer, rtde.START) != b"\1":
            raise ValueError("the controller does not start to send")
        valve, switch = (1 << int(self._message.number(name)) for name in ("valve", "switch"))
        self.send(sock, rtde.encode_frame(rtde.DATA, inputs.pack((valve, valve if on else 0))))
        end, opened = monotonic() + _VACUUM_TIMEOUT, not on
        for out, in_ in self._bits(sock, buffer, outputs):
            opened = bool(out >> TOOL_BITS & valve)
            if self._stopped or (opened == on and (not on or in_ >> TOOL_BITS & switch)):
                return
            if monotonic() > end:
                break
        if opened != on:
            raise RobotError("The controller did not switch the tool's output: look at its I/O page.")

    def _bits(self, sock: socket.socket, buffer: bytearray, recipe: rtde.Recipe) -> Iterator[tuple[int, int]]:
        """Yield the digital outputs and inputs of each package."""
        while True:
            for kind, payload in rtde.take_frames(buffer):
                if kind == rtde.DATA:
                    values = recipe.unpack(payload)
                    yield int(values[_BITS[0]][0]), int(values[_BITS[1]][0])
            data = sock.recv(1 << 12)
            if not data:
                raise ValueError("the controller has closed the connection")
            buffer += data
