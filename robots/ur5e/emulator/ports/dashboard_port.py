"""Port 29999, the dashboard server: one line in, one line out, in PolyScope's words."""

from __future__ import annotations

import socket
from collections.abc import Callable, Mapping
from types import MappingProxyType

from robots.ur5e.emulator.controller import VERSION, Controller
from robots.ur5e.emulator.ports.reactor import ClientConnection, Reactor, is_http
from robots.ur5e.emulator.urscript.interpreter import Interpreter
from robots.ur5e.modes import RuntimeState, SafetyMode

# The files on the controller: programs that can be loaded, and the installation.
PROGRAMS: Mapping[str, str] = MappingProxyType(
    {
        "wait.urp": "def wait():\n  while True:\n    sync()\n  end\nend\n",
        "wave.urp": "def wave():\n"
        "  q = get_target_joint_positions()\n"
        "  side = q[5]\n"
        "  while True:\n"
        "    q[5] = side + 0.3\n"
        "    movej(q)\n"
        "    q[5] = side - 0.3\n"
        "    movej(q)\n"
        "  end\n"
        "end\n",
    }
)
INSTALLATION = "default.installation"
_MAX_LINE = 1 << 16  # bytes per line
_NOT_ALLOWED = (
    "Command is not allowed due to safety reasons, please switch robot to Remote Control mode and reconnect "
    "to port 29999"
)
_VERSION = ".".join(map(str, VERSION))
_REPORTS = ("controller", "software", "system")


class DashboardConnection(ClientConnection):
    """One client. It loses its rights, even that of stopping, when the pendant returns to remote control."""

    def __init__(self, sock: socket.socket, reactor: Reactor, c: Controller) -> None:
        super().__init__(sock, reactor)
        self._c, self._made_at = c, c.turns_to_remote
        self._buffer = b""
        self.send(b"Connected: Universal Robots Dashboard Server\n")

    def on_received(self, data: bytes) -> None:
        self._buffer += data
        while b"\n" in self._buffer and self.open:
            line, self._buffer = self._buffer.split(b"\n", 1)
            if is_http(line):
                self.close()
                return
            command = line.strip().decode("utf-8", "replace")
            if command:
                stale = self._made_at != self._c.turns_to_remote
                self.send(reply_to(self._c, command, stale).encode("utf-8", "replace") + b"\n")
            if command.lower() in ("quit", "exit"):
                self.close()
        if len(self._buffer) > _MAX_LINE:
            self.close()


def reply_to(c: Controller, line: str, stale: bool = False) -> str:
    """Return PolyScope's reply to a line. Case matters only in file names and in text to be shown.

    `stale`: on a connection from before the pendant returned to remote control.
    """
    lowered = line.lower()
    name = max((n for n in COMMANDS if lowered == n or lowered.startswith(n + " ")), key=len, default="")
    if not name:
        return f"could not understand: '{line[:200]}'"
    rest = line[len(name) :].strip()
    if (rest != "") > (name in _WITH_ARGUMENT):
        return f"could not understand: '{line[:200]}'"
    if (stale and name not in _QUERIES) or (not c.remote_control and name not in _ALLOWED_IN_LOCAL):
        return _NOT_ALLOWED
    return COMMANDS[name](c, rest)


def _does(do: Callable[[Controller], object], reply: str) -> Callable[[Controller, str], str]:
    def run(c: Controller, rest: str) -> str:
        do(c)
        return reply

    return run


# --- queries ---------------------------------------------------------------------------------------------


def _state(c: Controller, rest: str) -> str:
    name = c.runtime.name if c.runtime in (RuntimeState.PLAYING, RuntimeState.PAUSED) else "STOPPED"
    return f"{name} {c.loaded or '<unnamed>'}"


# --- power and safety ------------------------------------------------------------------------------------


def _unlock(c: Controller, rest: str) -> str:
    if c.unlock():
        return "Protective stop releasing"
    return (
        "Cannot unlock protective stop until 5s after occurrence. "
        "Always inspect cause of protective stop before unlocking"
    )


def _set_mode(c: Controller, rest: str) -> str:
    if rest.lower() not in ("manual", "automatic"):
        return f"Failed setting operational mode: '{rest[:60]}'"
    c.operational_mode = rest.upper()
    return f"Operational mode '{c.operational_mode}' is set"


def _clear_mode(c: Controller, rest: str) -> str:
    was, c.operational_mode = c.operational_mode, "NONE"
    return f"No longer controlling the operational mode. Current operational mode: '{was}'."


# --- programs --------------------------------------------------------------------------------------------


def _load(c: Controller, rest: str) -> str:
    if program_name(rest) not in PROGRAMS:
        return f"File not found: {rest[:200]}"
    if c.safety_mode is not SafetyMode.NORMAL:
        return f"Error while loading program: {rest}"
    c.end_program("another program was loaded")
    c.loaded = program_name(rest)
    return f"Loading program: {rest}"


def _load_installation(c: Controller, rest: str) -> str:
    if program_name(rest) != INSTALLATION:
        return f"File not found: {rest[:200]}"
    c.end_program("an installation was loaded")
    return f"Loading installation: {rest}"


def _play(c: Controller, rest: str) -> str:
    if c.play():
        return "Starting program"
    if c.runtime is RuntimeState.STOPPED and c.loaded and c.motion_allowed:
        c.start(Interpreter(c, PROGRAMS[c.loaded]))
        return "Starting program"
    return "Failed to execute: play"


def _stop(c: Controller, rest: str) -> str:
    """Stop the program. Never refused because it has just ended, only if the arm cannot move."""
    if not c.powered:
        return "Failed to execute: stop"
    c.end_program("dashboard stop")
    return "Stopped"


# --- messages --------------------------------------------------------------------------------------------


def _popup(c: Controller, rest: str) -> str:
    c.show_popup(rest[:500])
    return "showing popup"


def _add_to_log(c: Controller, rest: str) -> str:
    if not rest:
        return "No log message to add"
    c.log_event(rest[:500])
    return "Added log message"


def _report(c: Controller, rest: str) -> str:
    """Acknowledge a report; nothing is written."""
    if rest and rest.lower() not in _REPORTS:
        return f"Error: no flight report is named {rest[:60]}"
    return f"Flight Report generated with id: {c.serial}-{int(c.now)}"


COMMANDS: Mapping[str, Callable[[Controller, str], str]] = MappingProxyType(
    {
        "polyscopeversion": lambda c, _: f"URSoftware {_VERSION} (Jan 01 2024)",
        "version": lambda c, _: _VERSION,
        "get serial number": lambda c, _: c.serial,
        "get robot model": lambda c, _: "UR5",
        "is in remote control": lambda c, _: str(c.remote_control).lower(),
        "robotmode": lambda c, _: f"Robotmode: {c.robot_mode.name}",
        "safetymode": lambda c, _: f"Safetymode: {c.safety_mode.name}",
        "safetystatus": lambda c, _: f"Safetystatus: {c.safety_mode.name}",
        "running": lambda c, _: f"Program running: {str(c.runtime is RuntimeState.PLAYING).lower()}",
        "programstate": _state,
        "get loaded program": lambda c, _: (
            f"Loaded program: /programs/{c.loaded}" if c.loaded else "No program loaded"
        ),
        "isprogramsaved": lambda c, _: f"True {c.loaded or '<unnamed>'}",
        "get operational mode": lambda c, _: c.operational_mode,
        "set operational mode": _set_mode,
        "clear operational mode": _clear_mode,
        "power on": _does(Controller.power_on, "Powering on"),
        "power off": _does(Controller.power_off, "Powering off"),
        "brake release": _does(Controller.brake_release, "Brake releasing"),
        "unlock protective stop": _unlock,
        "restart safety": _does(Controller.restart_safety, "Restarting safety"),
        "shutdown": _does(Controller.power_off, "Shutting down"),
        "load": _load,
        "load installation": _load_installation,
        "play": _play,
        "stop": _stop,
        "pause": lambda c, _: "Pausing program" if c.pause() else "Failed to execute: pause",
        "popup": _popup,
        "close popup": _does(Controller.close_popup, "closing popup"),
        "close safety popup": _does(Controller.close_popup, "closing safety popup"),
        "addtolog": _add_to_log,
        "savelog": lambda c, _: "Log saved to disk",
        "generate flight report": _report,
        "generate support file": lambda c, _: "Error: the emulator writes no support files",
        "quit": lambda c, _: "Disconnected",
        "exit": lambda c, _: "Disconnected",
    }
)
_ARGUMENT = "load, load installation, set operational mode, popup, addtolog, generate flight report"
_WITH_ARGUMENT = frozenset([*_ARGUMENT.split(", "), "generate support file"])
_ASKED = """polyscopeversion, version, get serial number, get robot model, is in remote control, robotmode,
safetymode, safetystatus, running, programstate, get loaded program, isprogramsaved, get operational mode"""
_QUERIES = frozenset([*_ASKED.replace("\n", " ").split(", "), "quit", "exit"])
_ALLOWED_IN_LOCAL = _QUERIES | {"stop", "close popup", "addtolog"}


def program_name(path: str) -> str:
    """Return a program's name without the folder `/programs/`."""
    return path.removeprefix("/programs/")
