"""Ports 30003 (scripts) and 29999 (the dashboard): lines of text."""

from __future__ import annotations

import re
import socket

from robots.ur5e.emulator.controller import VERSION, Controller
from robots.ur5e.emulator.program import Resident, Script
from robots.ur5e.emulator.reactor import Link, Reactor
from robots.ur5e.modes import Runtime, SafetyMode

_END = re.compile(rb"^end[ \t]*\r?\n", re.MULTILINE)
_LONGEST = 1 << 20  # bytes of a script
_NOT_ALLOWED = "Command is not allowed due to safety reasons"
_LOCAL = frozenset({"quit", "stop", "close popup", "running", "robotmode", "safetymode", "safetystatus"})


class ScriptLink(Link):
    """Programs in, nothing out. A program ends with `end` in column 0 and starts some 100 ms later."""

    def __init__(self, sock: socket.socket, reactor: Reactor, c: Controller) -> None:
        super().__init__(sock, reactor)
        self._c = c
        self._buffer = b""

    def received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > _LONGEST:
            self.close()
            return
        while b"\n" in self._buffer:
            if self._buffer.startswith((b"def ", b"sec ")):
                found = _END.search(self._buffer)
                if not found:
                    return
                text, self._buffer = self._buffer[: found.end()], self._buffer[found.end() :]
                if text.startswith(b"def "):
                    self._start(text.decode("utf-8", "replace"))
            else:
                line, self._buffer = self._buffer.split(b"\n", 1)
                self._line(line.strip().decode("utf-8", "replace"))

    def _start(self, text: str) -> None:
        c = self._c
        if not c.remote:
            c.say("a program was refused: not in remote control")
            return
        name = text[4 : text.index("(")].strip() if "(" in text else "program"
        c.start(Resident(c, text) if name == "rtde_control" else Script(c, name, text))

    def _line(self, line: str) -> None:
        """A single line is a program of its own, and ends the one that runs."""
        c = self._c
        if not line or not c.remote:
            return
        if line.startswith(("stopj", "stopl", "halt")):
            c.end_program(line)
        elif line.startswith("move"):
            c.start(Script(c, "line", line))


class DashboardLink(Link):
    """One question a line, one answer a line."""

    def __init__(self, sock: socket.socket, reactor: Reactor, c: Controller) -> None:
        super().__init__(sock, reactor)
        self._c = c
        self._buffer = b""
        self.send(b"Connected: Universal Robots Dashboard Server\n")

    def received(self, data: bytes) -> None:
        self._buffer += data
        if len(self._buffer) > 1 << 16:
            self.close()
        while b"\n" in self._buffer and self.open:
            line, self._buffer = self._buffer.split(b"\n", 1)
            command = line.strip().decode("utf-8", "replace")
            self.send(dashboard(self._c, command).encode() + b"\n")
            if command.lower() in ("quit", "exit"):
                self.close()


def dashboard(c: Controller, line: str) -> str:
    """What PolyScope replies to a line."""
    command = line.lower()
    told = _telling(c, command)
    if told is not None:
        return told
    if not c.remote and command not in _LOCAL:
        return _NOT_ALLOWED
    return _doing(c, command, line)


def _telling(c: Controller, command: str) -> str | None:
    match command:
        case "polyscopeversion":
            return "URSoftware {}.{}.{}.{} (Jan 01 2024)".format(*VERSION)
        case "get serial number":
            return c.serial
        case "get robot model":
            return "UR5"
        case "is in remote control":
            return str(c.remote).lower()
        case "robotmode":
            return f"Robotmode: {c.robot_mode.name}"
        case "safetymode":
            return f"Safetymode: {c.safety_mode.name}"
        case "safetystatus":
            return f"Safetystatus: {c.safety_mode.name}"
        case "running":
            return f"Program running: {str(c.runtime is Runtime.PLAYING).lower()}"
        case "programstate":
            name = c.runtime.name if c.runtime in (Runtime.PLAYING, Runtime.PAUSED) else "STOPPED"
            return f"{name} {c.loaded or '<unnamed>'}"
        case "get loaded program":
            return f"Loaded program: {c.loaded}" if c.loaded else "No program loaded"
        case "isprogramsaved":
            return f"True {c.loaded or '<unnamed>'}"
    return None


def _doing(c: Controller, command: str, line: str) -> str:
    match command:
        case "power on":
            c.power_on()
            return "Powering on"
        case "power off":
            c.power_off()
            return "Powering off"
        case "brake release":
            c.brake_release()
            return "Brake releasing"
        case "stop":
            c.end_program("dashboard stop")
            return "Stopped"
        case "play":
            return "Starting program" if c.play() else "Failed to execute: play"
        case "pause":
            return "Pausing program" if c.pause() else "Failed to execute: pause"
        case "unlock protective stop":
            if c.unlock():
                return "Protective stop releasing"
            return (
                "Cannot unlock protective stop until 5s after occurrence. "
                "Always inspect cause of protective stop before unlocking"
            )
        case "close popup" | "close safety popup":
            c.popup = ""
            return f"closing {command[6:]}"
        case "restart safety":
            c.restart_safety()
            return "Restarting safety"
        case "shutdown":
            c.power_off()
            return "Shutting down"
        case "quit" | "exit":
            return "Disconnected"
    if command.startswith("load "):
        if c.safety_mode is not SafetyMode.NORMAL:
            return f"Error while loading program: {line[5:]}"
        c.end_program("another program was loaded")
        c.loaded = line[5:]
        return f"Loading program: {line[5:]}"
    if command.startswith("popup"):
        c.popup = line[5:].strip()
        return "showing popup"
    if command.startswith("addtolog"):
        c.say(line[8:].strip())
        return "Added log message"
    return f"could not understand: '{line}'"
