"""Print and ask in the terminal; no other file does, so that text from outside stays text."""

from __future__ import annotations

import logging
import re
import select
import signal
import sys
import termios
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType
from rich.containers import Lines
from rich.segment import Segment
from rich.table import Column
from rich.text import Text

from core.text.untrusted_text import MAX_CHARS, sanitise

_asking = False  # whether the main thread waits for a line
_leaving = False  # whether the program was asked to end: a signal may come just before a question
_why = ""  # it was, "" where nobody said
_stopped = False  # whether Ctrl+C came while a question waits
STOPPED = "\n  ■ Ctrl+C stopped the motion, once more ends the episode; or answer as before.\n"
LOOK_PERIOD = 0.2  # seconds between two looks whether the program was asked to end


class OperatorGone(Exception):
    """The person has left: the terminal is closed, or the program was asked to end."""


class PlainConsole(Console):
    """A console that interprets no markup and passes on only its own control characters."""

    def __init__(self, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, emoji=False, highlight=False)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            if segment.control:
                yield segment
            else:
                yield Segment(sanitise(segment.text, sys.maxsize), segment.style)


class PlainLogFormatter(logging.Formatter):
    """Sanitises log messages, which may quote servers and files."""

    def format(self, record: logging.LogRecord) -> str:
        return sanitise(super().format(record), sys.maxsize)


_START = re.compile(r" *(?:\d+ +)?(?:[^\w\s(\[\"'“`-] +)?")  # of a line: blanks, a number, a glyph
INDENT = 2  # of the further lines, if the first begins at the edge


SLOW = 5.0  # seconds after which it is told how far something is


@contextmanager
def progress(console: Console, words: str) -> Iterator[Callable[[int, int], None]]:
    """Yield what shows how much of how much is done: in place, or else, of what takes longer than some
    seconds, a line each fifth."""
    told, began = 0, time.monotonic()
    with console.status(words) as status:

        def report(done: int, of: int) -> None:
            nonlocal told
            status.update(f"{words}: {100 * done // max(1, of)} %")
            slow = not console.is_terminal and time.monotonic() - began > SLOW
            if slow and (fifths := 5 * done // max(1, of)) > told:
                told = fifths
                print_line(console, f"  {words}: {20 * fifths} %", "dim")

        yield report


def print_line(console: Console, words: str | Text, style: str = "") -> None:
    """Print a text, wrapped at blanks to the terminal's width; further lines are indented.

    A word that is too long, such as a path, stays whole.
    """
    text = words if isinstance(words, Text) else Text(sanitise(words, sys.maxsize), style)
    for line in text.split(allow_blank=True):
        start = _START.match(line.plain)
        at = min(start.end() if start else 0, console.width // 2)
        first, rest = line[:at], line[at:]
        rows = _rows(rest, console.width - (at or INDENT))
        hanging = Text("\n" + " " * (at or INDENT)).join(rows)
        console.print(Text.assemble(first, hanging), soft_wrap=True)


def print_in_one_piece(console: Console, words: str) -> None:
    """Print a line that somebody may copy or a script may read: no break is put into it."""
    console.print(Text(sanitise(words, sys.maxsize)), soft_wrap=True)


def print_page(console: Console, markdown: str) -> None:
    """Print one of our own pages as it is meant to look."""
    from rich.markdown import Markdown  # with its parser, which few commands need

    console.print(Markdown(sanitise(markdown, sys.maxsize), hyperlinks=False))


def _rows(text: Text, width: int) -> Lines:
    """Return the text in rows of at most `width` cells, unless a single word is longer."""
    begins, start = list[int](), 0
    for word in re.finditer(r"\S+", text.plain):
        if word.start() > start and cell_len(text.plain[start : word.end()]) > width:
            start = word.start()
            begins.append(start)
    rows = text.divide(begins)
    for row in rows:
        row.rstrip()
    return rows


def right_column(head: str) -> Column:
    """Return a table's column of figures."""
    return Column(head, justify="right")


def print_text(words: object, error: bool = False) -> None:
    """Print a text, wrapped in a terminal; an error goes to stderr and is cut to a readable length."""
    file = sys.stderr if error else sys.stdout
    text = sanitise(words, MAX_CHARS if error else sys.maxsize)
    if file.isatty():
        print_line(PlainConsole(stderr=error), text)
    else:
        print(text, file=file, flush=True)


def ask(console: Console, question: str) -> str:
    """Return what the person types, without surrounding blanks. Main thread only. Raises OperatorGone."""
    global _asking, _stopped
    _stopped = False  # what came before the question is told by what is asked
    console.print(Text(sanitise(question)), end=": ")
    try:
        _asking = True
        _await_line(console, question)
        return input().strip()
    except EOFError:
        raise OperatorGone from None
    finally:
        _asking = False


def forget_typed() -> bool:
    """Discard the lines that were typed before a question; return True if there were any."""
    if not sys.stdin.isatty() or not select.select([sys.stdin], [], [], 0)[0]:
        return False
    termios.tcflush(sys.stdin, termios.TCIFLUSH)
    return True


def _await_line(console: Console, question: str) -> None:
    """Return when a line was typed at a terminal. Raises OperatorGone.

    A signal just before `input` begins to read would not end it, so the terminal is looked at in turns.
    """
    told = False
    while not _leaving:
        if _stopped and not told:
            told = True
            console.print(Text(STOPPED + sanitise(question)), end=": ")
        if not sys.stdin.isatty() or select.select([sys.stdin], [], [], LOOK_PERIOD)[0]:
            return
    raise OperatorGone(_why)


def leave(why: str) -> None:
    """End the current or the next question, and every later one. Any thread."""
    global _leaving, _why
    _leaving, _why = True, why


def interrupt(number: int, frame: FrameType | None) -> None:
    """Handle a signal: a request to end the program also ends the current or the next question."""
    global _leaving, _stopped
    if number == signal.SIGINT:
        _stopped = True
        return
    _leaving = True
    if _asking:
        raise EOFError
