"""The protocols that drive a gripper: how the console reads it, and how the control process moves it.

A suction cup is a valve at one of the tool's digital outputs, and a vacuum switch at one of its inputs. A
stop leaves the valve as it is: a cup that lets go drops what it holds.
"""

from __future__ import annotations

import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from core.arm.arm_capabilities import GripperStatus
from core.errors import RobotError
from robots.remote.wire_message import WireMessage
from robots.ur5e import rtde
from robots.ur5e.gripper.motion import GripperMotion
from robots.ur5e.gripper.robotiq import RobotiqMotion, RobotiqReader
from robots.ur5e.rtde_setup import request, take_inputs

if TYPE_CHECKING:  # the control process starts without pydantic
    from robots.ur5e.gripper.model import GripperModel
    from robots.ur5e.rtde_receiver import RtdeReceiver


_VALVE = ("tool_digital_output_mask", "tool_digital_output")
_TIMEOUT_S = 1.0  # for the controller's answers
_OLD_S = 0.5  # older data do not tell what the cup holds
_VACUUM_TIMEOUT_S = 1.0  # after which a cup without a vacuum holds nothing


class VacuumReader:
    """Reads valve and switch in the arm's own data."""

    def __init__(self, address: str, model: GripperModel, receiver: RtdeReceiver) -> None:
        self._model, self._receiver = model, receiver

    def state(self) -> GripperStatus:
        state, reason = self._receiver.latest, self._receiver.old_data(_OLD_S)
        if state is None or reason:
            raise RobotError(f"What the cup holds is not known: {reason}.")
        opened = bool(state.outputs >> rtde.TOOL_BITS + self._model.valve & 1)
        holds = bool(state.inputs >> rtde.TOOL_BITS + self._model.switch & 1)
        width = self._model.finger[0]
        return GripperStatus(0.0 if opened else width, width, True, False, opened and holds)

    def close(self) -> None:
        """Close nothing: the data are the arm's."""


class VacuumMotion(GripperMotion):
    """Switches the valve by RTDE, and waits for the vacuum. There is nothing to activate."""

    def __init__(self, address: str, message: WireMessage, receiver: RtdeReceiver) -> None:
        super().__init__()
        self._address, self._message, self._receiver = address, message, receiver

    def _move(self) -> None:
        if self._message.kind == "activate":
            return
        try:
            with socket.create_connection((self._address, rtde.PORT), _TIMEOUT_S) as sock:
                self._switch(sock, self._message.number("closed") > 0.5)
        except (OSError, ValueError, struct.error) as error:
            raise RobotError(
                f"The valve cannot be switched ({error}): check cable, address and RTDE."
            ) from error

    def _switch(self, sock: socket.socket, on: bool) -> None:
        buffer = bytearray()
        request(sock, buffer, rtde.VERSION, struct.pack(">H", 2))
        inputs = take_inputs(sock, buffer, _VALVE)
        if inputs is None:
            raise RobotError(
                "The tool's outputs belong to another client: end it, or switch its fieldbus off."
            )
        valve, switch = (1 << int(self._message.number(name)) for name in ("valve", "switch"))
        self.send(sock, rtde.encode_frame(rtde.DATA, inputs.pack((valve, valve if on else 0))))
        wait = self._receiver.wait
        if not wait(lambda state: bool(state.outputs >> rtde.TOOL_BITS & valve) is on, _TIMEOUT_S):
            raise RobotError("The controller did not switch the tool's output: look at its I/O page.")
        if on:  # without a vacuum in time it holds nothing
            wait(
                lambda state: self._stopped or bool(state.inputs >> rtde.TOOL_BITS & switch),
                _VACUUM_TIMEOUT_S,
            )


class GripperReader(Protocol):
    """Reads a gripper, from any thread. Raises RobotError if it does not answer."""

    def state(self) -> GripperStatus: ...

    def close(self) -> None: ...


@dataclass(frozen=True)
class GripperProtocol:
    """`reader` and `motion` may read the arm's data too. A motion is for one message: `activate`, or `grip`,
    which says how far to close, how fast and how hard (0..1).
    """

    reader: Callable[[str, GripperModel, RtdeReceiver], GripperReader]
    motion: Callable[[str, WireMessage, RtdeReceiver], GripperMotion]


PROTOCOLS: Mapping[str, GripperProtocol] = {
    "robotiq": GripperProtocol(RobotiqReader, RobotiqMotion),
    "vacuum": GripperProtocol(VacuumReader, VacuumMotion),
}
