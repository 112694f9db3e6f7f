"""Check what is read from a log or an export that somebody else may have written.

Ids must match patterns, numbers and times must be within bounds, columns must have their types: every reader
of rows and lines checks here before it uses a value. What is rejected becomes a LogError.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from dataclasses import fields
from enum import Enum
from functools import cache
from math import isfinite
from types import NoneType, UnionType
from typing import Any, NoReturn, TypeVar, get_args, get_type_hints

from core.belief import Atom
from core.errors import LogError
from core.install_paths import COMMAND
from core.text.class_words import class_words
from core.text.untrusted_text import one_line

EPISODE_PATTERN = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{8}|salvaged-[0-9]{1,18}")
DIGEST_PATTERN = re.compile(r"[0-9a-f]{64}")  # of a picture or a video: SHA-256
IMPORT_WRITER = "intake"  # of what was recorded elsewhere; never a lease, so without an end it is repaired
WRITER_PATTERN = re.compile(rf"[0-9a-f]{{16}}|{IMPORT_WRITER}")

MAX_RECORDS = 10_000_000  # in one episode
MAX_WALL_TIME = 253_402_300_799.0  # Unix time: the end of the year 9999
MAX_CLOCK = 1e10  # maximum of a recorder's clock, in seconds
MAX_NUMBER = 1e15  # of any other number; below it, integers and floats are the same
MAX_VALUE_BYTES = 16 * 2**20  # for a value in the file and a record in an export

T = TypeVar("T")


def excerpt(words: object, most: int = 80) -> str:
    """Return untrusted text in a form that may stand within a sentence."""
    return one_line(words, most)


def is_digest(value: object) -> bool:
    return isinstance(value, str) and DIGEST_PATTERN.fullmatch(value) is not None


def is_writer(value: object) -> bool:
    return isinstance(value, str) and WRITER_PATTERN.fullmatch(value) is not None


def is_episode(value: object) -> bool:
    return isinstance(value, str) and EPISODE_PATTERN.fullmatch(value) is not None


def episode_id(value: object) -> str:
    """Return the id. Raises LogError unless this program could have created it."""
    if not is_episode(value):
        _refuse(f"an episode named {excerpt(value)!r}")
    return str(value)


def header_fault(number: object, wall: object, monotonic: object) -> str:
    """Return what is wrong with a record's number and times; "" for nothing."""
    if type(number) is not int or not 1 <= number <= MAX_RECORDS:
        return f"the number {excerpt(number, 40)}"
    if type(wall) not in (int, float) or not 0 <= wall <= MAX_WALL_TIME:  # type: ignore[operator]
        return f"the time {excerpt(wall, 40)}"
    if type(monotonic) not in (int, float) or not 0 <= monotonic <= MAX_CLOCK:  # type: ignore[operator]
        return f"the clock {excerpt(monotonic, 40)}"
    return ""


def check_header(number: object, wall: object, monotonic: object) -> None:
    """Raise LogError for a number or a time that no recorder could produce."""
    if wrong := header_fault(number, wall, monotonic):
        _refuse(f"a record with {wrong}")


def parse_json(text: str) -> Any:
    """Parse JSON whose numbers are bounded. Raises ValueError."""
    try:
        return json.loads(
            text, parse_int=_bounded(int), parse_float=_bounded(float), parse_constant=_constant
        )
    except RecursionError:
        raise ValueError("it is nested too deep") from None


def parse_atom(text: str) -> Atom:
    """Parse the JSON list of a stored atom's words. Raises LogError."""
    try:
        words = parse_json(text)
    except ValueError:
        words = None
    if not isinstance(words, list) or not words or not all(isinstance(word, str) for word in words):
        _refuse(f"{excerpt(repr(text), 40)} as an atom")
    return Atom(words[0], tuple(words[1:]))


def _bounded(kind: Callable[[str], T]) -> Callable[[str], T]:
    def read(digits: str) -> T:
        if abs(float(digits)) > MAX_NUMBER:
            raise ValueError(f"the number {excerpt(digits, 20)} is too large")
        return kind(digits)

    return read


def _constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no number in JSON")


# --- rows --------------------------------------------------------------------------------------------


def parse_row(kind: type[T], values: Sequence[object]) -> T:
    """Make a dataclass from a row's columns, in the order of its fields.

    SQLite accepts any type in any column: raises LogError if a column's type differs from the field's, or a
    number is out of bounds.
    """
    readers = _readers(kind)  # type: ignore[arg-type]
    return kind(*(read(value) for read, value in zip(readers, values, strict=True)))


def parse_columns(kinds: Sequence[Any], values: Sequence[object]) -> tuple[Any, ...]:
    """Return a row's columns as these types (`int | None` and the like).

    Raises LogError as `parse_row` does.
    """
    return tuple(_reader(kind, "a row")(value) for kind, value in zip(kinds, values, strict=True))


@cache
def _readers(kind: type) -> tuple[Callable[[object], Any], ...]:
    hints = get_type_hints(kind)
    return tuple(_reader(hints[f.name], f"{class_words(kind.__name__)} {f.name}") for f in fields(kind))


@cache
def _reader(hint: Any, what: str) -> Callable[[object], Any]:
    optional = isinstance(hint, UnionType) and NoneType in get_args(hint)
    kind = next(a for a in get_args(hint) if a is not NoneType) if optional else hint
    enum = isinstance(kind, type) and issubclass(kind, Enum)
    known = {member.value for member in kind} if enum else ()
    accepted = {bool: (int,), float: (int, float)}.get(kind, (str,) if enum else (kind,))

    def read(value: object) -> Any:
        if value is None and optional:
            return None
        odd = (kind is bool and value not in (0, 1)) or (enum and value not in known)
        if type(value) not in accepted or odd:
            _refuse(f"{excerpt(repr(value), 40)} as {what}")
        if isinstance(value, int | float) and not (isfinite(value) and abs(value) <= MAX_NUMBER):
            _refuse(f"the number {excerpt(value, 40)} as {what}")
        return kind(value)

    return read


def _refuse(what: str) -> NoReturn:
    raise LogError(
        f"The log holds {what}, which this version of the program never writes: `{COMMAND} episodes verify` "
        "names what is wrong, and --salvage FILE saves the rest."
    )
