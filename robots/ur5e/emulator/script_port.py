"""Scripts as they come in on ports 30001 to 30003: programs, and single lines that are programs."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from robots.ur5e.emulator.controller import Controller
from robots.ur5e.emulator.reactor import is_http
from robots.ur5e.emulator.urscript.interpreter import Interpreter
from robots.ur5e.emulator.urscript.nodes import ScriptError
from robots.ur5e.emulator.urscript.tokens import program_end

LONGEST = 1 << 18  # characters of a program
_PATIENCE = 0.5  # seconds that the rest of a program may be on its way
_BEGINS = re.compile(r"\s*(?:#[^\n]*\n\s*)*(def|sec)\b")
_COLUMN_0 = re.compile(r"^end[ \t]*\r?\n", re.MULTILINE)
_BLANK = re.compile(r"\s*(?:#[^\n]*\n\s*)*")


class Scripts:
    """The text of one client, taken apart. `refuse` closes its connection: too long, or a web page's."""

    def __init__(self, c: Controller, refuse: Callable[[], None]) -> None:
        self._c, self._refuse = c, refuse
        self._text = ""
        self._count = 0  # of pieces that came

    def received(self, data: bytes) -> None:
        self._text += data.decode("utf-8", "replace")
        self._count += 1
        self._take()
        if len(self._text) > LONGEST:
            self._c.say(f"a program of more than {LONGEST} characters was refused")
            self._text = ""
            self._refuse()

    def _take(self) -> None:
        while "\n" in self._text:
            if _BEGINS.match(self._text):
                end = program_end(self._text)
                if end < 0:
                    if _COLUMN_0.search(self._text):
                        self._c.after(_PATIENCE, partial(self._give_up, self._count))
                    return
                text, self._text = self._text[:end], self._text[end:]
                start(self._c, _BLANK.sub("", text, count=1) if text.lstrip()[:1] == "#" else text.lstrip())
            else:
                line, self._text = self._text.split("\n", 1)
                if is_http(line.encode()):
                    self._text = ""
                    self._refuse()
                    return
                start(self._c, line.strip() + "\n")

    def _give_up(self, count: int) -> None:
        """Nothing more came after an `end` in column 0: more blocks begin than end."""
        if self._count == count and self._text:
            text, self._text = self._text, ""
            start(self._c, text)


def start(c: Controller, text: str) -> None:
    """Run a program, or say why not. One that cannot be read leaves alone the one that runs."""
    try:
        program = Interpreter(c, text)
    except ScriptError as error:
        c.refuse_program(error)
        return
    if program.empty:
        return
    if not c.remote:
        c.say(f"{program.name} was refused: not in remote control")
    elif program.secondary:
        c.begin_secondary(program)
    else:
        c.start(program)
