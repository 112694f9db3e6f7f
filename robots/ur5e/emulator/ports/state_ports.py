"""Ports 30001 to 30003, and the read-only 30011 to 30013: they send states and accept scripts."""

from __future__ import annotations

import re
import socket
from collections.abc import Callable
from functools import partial

from robots.ur5e import rtde
from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.messages import PrimaryMessage
from robots.ur5e.emulator.ports.reactor import ClientConnection, Reactor, is_http
from robots.ur5e.emulator.ports.state_packages import (
    encode_message,
    realtime_package,
    robot_state_package,
    version_message,
)
from robots.ur5e.emulator.snapshot import ControllerSnapshot
from robots.ur5e.emulator.urscript.interpreter import Interpreter
from robots.ur5e.emulator.urscript.tokens import program_end
from robots.ur5e.emulator.urscript.values import ScriptError

PRIMARY, SECONDARY, REALTIME = 30001, 30002, 30003
READ_ONLY = 10  # added to a port number: the same without scripts
_CYCLES_PER_PACKAGE = 50  # cycles between packages of the primary and secondary ports: 10 Hz


class StateConnection(ClientConnection):
    """One client. A `read_only` connection accepts no scripts."""

    def __init__(
        self, sock: socket.socket, reactor: Reactor, c: Controller, port: int, read_only: bool = False
    ) -> None:
        super().__init__(sock, reactor)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 16)
        self.port = port
        self._scripts = None if read_only else ScriptReceiver(c, self.close)
        if port != REALTIME:
            self.send(version_message(c.now))

    @property
    def hertz(self) -> float:
        """Return 0 for a client that does not read, as ur_rtde, which opens 30003 only to send scripts."""
        if self.has_backlog:
            return 0.0
        return rtde.HERTZ / (1 if self.port == REALTIME else _CYCLES_PER_PACKAGE)

    def on_received(self, data: bytes) -> None:
        if self._scripts is not None:
            self._scripts.on_received(data)


class StatePublisher:
    """Publishes the states: packed once per cycle, and only if somebody reads them."""

    def __init__(self) -> None:
        self._count = 0

    def publish(
        self, links: list[StateConnection], s: ControllerSnapshot, messages: list[PrimaryMessage]
    ) -> None:
        self._count += 1
        now = s.controller.now
        packed = [encode_message(now, m) for m in messages]
        made: dict[int, bytes] = {}
        for link in links:
            if link.port == PRIMARY:
                for data in packed:
                    link.send_latest(data)
            if link.port != REALTIME and self._count % _CYCLES_PER_PACKAGE:
                continue
            if link.has_backlog:
                link.dropped += 1
                continue
            if link.port not in made:
                made[link.port] = _make_package(link.port, s)
            link.send_latest(made[link.port])


def _make_package(port: int, s: ControllerSnapshot) -> bytes:
    return realtime_package(s) if port == REALTIME else robot_state_package(s, short=port == SECONDARY)


MAX_PROGRAM_LENGTH = 1 << 18  # characters
_REST_TIMEOUT_S = 0.5  # to wait for the rest of a program
_PROGRAM_START = re.compile(r"\s*(?:#[^\n]*\n\s*)*(def|sec)\b")
_COLUMN_0 = re.compile(r"^end[ \t]*\r?\n", re.MULTILINE)
_BLANK = re.compile(r"\s*(?:#[^\n]*\n\s*)*")


class ScriptReceiver:
    """Splits a client's text into programs. `refuse` closes its link: too long, or a web page's."""

    def __init__(self, c: Controller, refuse: Callable[[], None]) -> None:
        self._c, self._refuse = c, refuse
        self._text = ""
        self._count = 0  # number of pieces received

    def on_received(self, data: bytes) -> None:
        self._text += data.decode("utf-8", "replace")
        self._count += 1
        self._take_programs()
        if len(self._text) > MAX_PROGRAM_LENGTH:
            self._c.log_event(f"a program of more than {MAX_PROGRAM_LENGTH} characters was refused")
            self._text = ""
            self._refuse()

    def _take_programs(self) -> None:
        while "\n" in self._text:
            if _PROGRAM_START.match(self._text):
                end = program_end(self._text)
                if end < 0:
                    if _COLUMN_0.search(self._text):
                        self._c.schedule(_REST_TIMEOUT_S, partial(self._run_incomplete, self._count))
                    return
                text, self._text = self._text[:end], self._text[end:]
                start_script(
                    self._c, _BLANK.sub("", text, count=1) if text.lstrip()[:1] == "#" else text.lstrip()
                )
            else:
                line, self._text = self._text.split("\n", 1)
                if is_http(line.encode()):
                    self._text = ""
                    self._refuse()
                    return
                start_script(self._c, line.strip() + "\n")

    def _run_incomplete(self, count: int) -> None:
        """Run what was received if nothing followed an `end` in column 0: more blocks begin than end."""
        if self._count == count and self._text:
            text, self._text = self._text, ""
            start_script(self._c, text)


def start_script(c: Controller, text: str) -> None:
    """Run a program, or report why not. One that cannot be parsed does not disturb the running one."""
    try:
        program = Interpreter(c, text)
    except ScriptError as error:
        c.refuse_program(error)
        return
    if program.empty:
        return
    if not c.remote_control:
        c.log_event(f"{program.name} was refused: not in remote control")
    elif program.secondary:
        c.begin_secondary(program)
    else:
        c.start(program)
