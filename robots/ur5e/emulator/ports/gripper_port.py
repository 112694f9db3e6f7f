"""Port 63352: Robotiq's fingers as presented by their URCap. And a cup, which has no port."""

from __future__ import annotations

import socket

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.plant import DT_S, Plant
from robots.ur5e.emulator.ports.reactor import ClientConnection, Reactor, is_http
from robots.ur5e.rtde import TOOL_BITS

RESET, ACTIVATING, ACTIVE = 0, 1, 3
MOVING, CONTACT_OPENING, CONTACT_CLOSING, AT_POSITION = 0, 1, 2, 3
_SETTABLE = frozenset({"ACT", "GTO", "ATR", "ARD", "FOR", "SPE", "MOD"})
_ACTIVATION = 0.05, 40.0  # m/s of the stroke and N: 2 s in both directions; no manual states the time
_REST_TOLERANCE_M = 0.0004  # by which fingers at rest may tremble
_CONTACT_TIME_S = 0.08  # after which fingers that should move but do not are blocked by something


class EmulatedGripper:
    """The registers of the hand and their effect on the fingers. Belongs to the emulator's thread."""

    def __init__(self, plant: Plant) -> None:
        self._plant, self._model = plant, plant.scene.gripper
        self._closed = self._model.stroke / 2  # metres that each finger can close
        self.registers = dict.fromkeys(
            ["ACT", "GTO", "ATR", "ARD", "FOR", "SPE", "PRE", "STA", "OBJ", "FLT", "MOD"], 0
        )
        self.registers.update(FOR=255, SPE=255, OBJ=AT_POSITION)
        self._activation_goals: list[float] = []  # remaining targets of an activation for each finger, metres
        self._rest_time = 0.0  # seconds for which the fingers have not moved
        self._rested_at = 0.0
        self.silent = False  # as a fault: it neither obeys nor answers

    @property
    def position(self) -> int:
        """Return the position, 0 open to 255 closed; like a real one, it reads a little less when closed."""
        return min(252, max(3, round(self._plant.finger_position / self._closed * 255)))

    def get(self, name: str) -> str:
        value = self.position if name == "POS" else self.registers.get(name)
        return f"{name} {'?' if value is None else value}"

    def set(self, name: str, value: int) -> bool:
        """Set a register, which is a byte. Return False for one that only the hand itself sets."""
        value = min(255, max(0, value))
        if name == "POS":
            self.registers.update(PRE=value, OBJ=MOVING)
            self._rest_time = 0.0
        elif name in _SETTABLE:
            self.registers[name] = value
            if name == "ACT":
                self._activate(bool(value))
        else:
            return False
        return True

    def _activate(self, on: bool) -> None:
        r = self.registers
        if not on:
            self._activation_goals.clear()
            r.update(STA=RESET, GTO=0, PRE=0, OBJ=AT_POSITION)
        elif r["STA"] == RESET:
            self._activation_goals, self._rest_time = [self._closed, 0.0], 0.0
            r.update(STA=ACTIVATING, OBJ=MOVING)

    def switch_on(self) -> None:
        """Be active, as after an activation; without its motion."""
        if self.registers["STA"] == RESET:
            self.registers.update(ACT=1, GTO=1, STA=ACTIVE)

    def tick(self) -> None:
        r, plant = self.registers, self._plant
        if r["STA"] == ACTIVATING:
            self._step_activation()
            return
        goal = r["PRE"] / 255 * self._closed
        if r["STA"] != ACTIVE or not r["GTO"] or r["FLT"]:
            plant.drive_fingers(plant.finger_position, 0.0, 20.0)
            return
        speed, force = self._model.speed, self._model.force
        plant.drive_fingers(goal, _between(speed, r["SPE"]), _between(force, r["FOR"]))
        r["OBJ"] = self._object_status(goal)

    def _step_activation(self) -> None:
        """Step the activation: the fingers close, or as far as they can, then open, and are then active."""
        self._plant.drive_fingers(self._activation_goals[0], *_ACTIVATION)
        if self._object_status(self._activation_goals[0]) != MOVING:
            self._rest_time = 0.0
            self._activation_goals.pop(0)
        if not self._activation_goals:
            self.registers.update(STA=ACTIVE, OBJ=AT_POSITION)

    def _object_status(self, goal: float) -> int:
        """Return the object bits for fingers on their way to this goal."""
        finger = self._plant.finger_position
        if abs(finger - self._rested_at) > _REST_TOLERANCE_M:
            self._rested_at, self._rest_time = finger, 0.0
        else:
            self._rest_time += DT_S
        if abs(goal - finger) <= self._closed / 255 * 4:
            return AT_POSITION
        if self._rest_time > _CONTACT_TIME_S:
            return CONTACT_CLOSING if goal > finger else CONTACT_OPENING
        return MOVING


class EmulatedCup:
    """A valve and a vacuum switch: sucks while its output is on. Belongs to the emulator's thread."""

    def __init__(self, c: Controller) -> None:
        self._c, model = c, c.plant.scene.gripper
        self._valve, self._switch = (1 << TOOL_BITS + pin for pin in (model.valve, model.switch))
        self.silent = False  # as a fault: the switch tells nothing

    def switch_on(self) -> None:
        """Do nothing: a cup needs no activation."""

    def tick(self) -> None:
        c = self._c
        holds = c.plant.suck(bool(c.digital_out & self._valve)) and not self.silent
        c.digital_in = c.digital_in & ~self._switch | self._switch * holds


def _between(range_: tuple[float, float], byte: int) -> float:
    return range_[0] + (range_[1] - range_[0]) * byte / 255


class GripperConnection(ClientConnection):
    """One client: `SET POS 255 SPE 100` -> `ack` without a newline; `GET POS` -> `POS 180` with one."""

    def __init__(self, sock: socket.socket, reactor: Reactor, gripper: EmulatedGripper) -> None:
        super().__init__(sock, reactor)
        self._gripper = gripper
        self._buffer = b""

    def on_received(self, data: bytes) -> None:
        if self._gripper.silent:
            return
        self._buffer += data
        if len(self._buffer) > 1 << 14:
            self.close()
        while b"\n" in self._buffer:
            line, self._buffer = self._buffer.split(b"\n", 1)
            if is_http(line):
                self.close()
                return
            words = line.decode("ascii", "replace").split()
            match words:
                case ["GET", name]:
                    self.send(self._gripper.get(name).encode() + b"\n")
                case ["SET", *pairs] if len(pairs) % 2 == 0 and self._set(pairs):
                    self.send(b"ack")
                case _:
                    self.send(b"?")

    def _set(self, pairs: list[str]) -> bool:
        try:
            values = [int(float(value)) for value in pairs[1::2]]
        except (ValueError, OverflowError):
            return False
        return all(self._gripper.set(name, v) for name, v in zip(pairs[::2], values, strict=True))
