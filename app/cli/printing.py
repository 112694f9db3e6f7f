"""What is printed, and asked, in the terminal: the only file that does it, so that words stay words."""

from __future__ import annotations

import logging
import signal
import sys
from collections.abc import Iterable
from types import FrameType

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from core.untrusted_text import MAX_CHARS, sanitise

_asking = False  # whether the main thread waits for a line
_leaving = False  # whether the program was asked to end: a signal may come just before a question


class OperatorGone(Exception):
    """Whoever was asked has left: the terminal is closed, or the program was asked to end."""


class PlainConsole(Console):
    """A console that reads no markup, and passes on no control characters but its own."""

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(sanitise(segment.text, sys.maxsize), segment.style)


class PlainLogFormatter(logging.Formatter):
    """What is logged names errors of servers and files, too."""

    def format(self, record: logging.LogRecord) -> str:
        return sanitise(super().format(record), sys.maxsize)


def print_text(words: object, error: bool = False) -> None:
    """To stderr if it is an error, and then no more than is read of one."""
    print(
        sanitise(words, MAX_CHARS if error else sys.maxsize),
        file=sys.stderr if error else sys.stdout,
        flush=True,
    )


def ask(console: Console, question: str) -> str:
    """What a person types after this, without blanks at its ends. Raises NobodyThere. Main thread."""
    global _asking
    console.print(Text(sanitise(question)), end=": ")
    try:
        _asking = True
        if _leaving:
            raise OperatorGone
        return input().strip()
    except EOFError:
        raise OperatorGone from None
    finally:
        _asking = False


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal: a request that the program end also ends the question being asked, or the next one."""
    global _leaving
    if number == signal.SIGINT:
        return
    _leaving = True
    if _asking:
        raise EOFError
