"""Ports 30001 to 30003 take scripts and send nothing: RTDE tells states, and the log errors."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from functools import partial
from threading import Thread

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.plant import DT_S
from robots.ur5e.emulator.ports.reactor import ClientConnection, Reactor, is_http
from robots.ur5e.emulator.urscript.interpreter import Interpreter, compile_program
from robots.ur5e.emulator.urscript.tokens import program_end
from robots.ur5e.emulator.urscript.values import ScriptError

SCRIPT_PORTS = (30001, 30002, 30003)
MAX_PROGRAM_LENGTH = 1 << 18  # characters
_LONG_PROGRAM = 10_000  # characters; to compile one takes longer than a cycle
_REST_TIMEOUT_S = 0.5  # to wait for the rest of a program
_PROGRAM_START = re.compile(r"\s*(?:#[^\n]*\n\s*)*(def|sec)\b")
_COLUMN_0 = re.compile(r"^end[ \t]*\r?\n", re.MULTILINE)
_BLANK = re.compile(r"\s*(?:#[^\n]*\n\s*)*")


class ScriptConnection(ClientConnection):
    """Splits a client's text into programs. Closes a link with too long a one, or a web page's."""

    def __init__(self, sock: socket.socket, reactor: Reactor, c: Controller) -> None:
        super().__init__(sock, reactor)
        self._c = c
        self._text = ""
        self._count = 0  # number of pieces received

    def on_received(self, data: bytes) -> None:
        self._text += data.decode("utf-8", "replace")
        self._count += 1
        self._take_programs()
        if len(self._text) > MAX_PROGRAM_LENGTH:
            self._c.log_event(f"a program of more than {MAX_PROGRAM_LENGTH} characters was refused")
            self._text = ""
            self.close()

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
                    self.close()
                    return
                start_script(self._c, line.strip() + "\n")

    def _run_incomplete(self, count: int) -> None:
        """Run what was received if nothing followed an `end` in column 0: more blocks begin than end."""
        if self._count == count and self._text:
            text, self._text = self._text, ""
            start_script(self._c, text)


def start_script(c: Controller, text: str) -> None:
    """Run a program, or report why not. One that cannot be parsed does not disturb the running one.

    A long one is compiled beside the cycles, which go on.
    """
    if len(text) < _LONG_PROGRAM:
        return _start(c, text)
    compiling = Thread(target=_compile, args=(text,), daemon=True)
    compiling.start()

    def look() -> None:
        if compiling.is_alive():
            c.schedule(DT_S, look)
        else:
            _start(c, text)

    look()


def _compile(text: str) -> None:
    """Compile a program, for whoever asks for it next."""
    with suppress(ScriptError):  # which that one meets again
        compile_program(text)


def _start(c: Controller, text: str) -> None:
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
