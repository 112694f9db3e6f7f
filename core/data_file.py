"""Settings and data from TOML files, as checked values; what is wrong with a file is one BadFile sentence.

A kind of file is a dataclass of pydantic's with the configuration FILE: unknown keys, values of another type
and infinite numbers are rejected, and its fields' annotations give the ranges.
"""

from __future__ import annotations

import json
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from enum import Enum
from functools import cache
from pathlib import Path
from secrets import token_hex
from typing import IO, Annotated, Any, TypeVar

from annotated_types import Interval
from pydantic import ConfigDict, TypeAdapter, ValidationError

from core.errors import BadFile
from core.text.untrusted_text import one_line

FILE = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, defer_build=True)
UnitInterval = Annotated[float, Interval(ge=0, le=1)]
MAX_CHARS = 4_000_000
_ENDLESS_KEY = re.compile(r"""(?<![\w.-])(?:(?:[\w-]+|"[^"\n]*"|'[^'\n]*')[ \t]*\.[ \t]*){64}""")

T = TypeVar("T")


# --- reading ------------------------------------------------------------------------------------------


def read_text(path: Path, remedy: str = "", missing: str = "there is no such file") -> str:
    """Read a regular file of at most MAX_CHARS as UTF-8, with or without a mark. Raises BadFile."""
    with _opened(path, remedy, missing, "r", encoding="utf-8-sig") as file:
        text: str = file.read(MAX_CHARS + 1)
    if len(text) > MAX_CHARS:
        raise BadFile(path, f"it is longer than {MAX_CHARS:,} characters", remedy=remedy)
    return text


def read_bytes(path: Path, most: int, remedy: str = "") -> bytes:
    """Read a regular file of at most so many bytes. Raises BadFile."""
    with _opened(path, remedy, "there is no such file", "rb") as file:
        data: bytes = file.read(most + 1)
    if len(data) > most:
        raise BadFile(path, f"it is longer than {most:,} bytes", remedy=remedy)
    return data


@contextmanager
def _opened(
    path: Path, remedy: str, missing: str, mode: str, encoding: str | None = None
) -> Iterator[IO[Any]]:
    """Open a regular file; whatever is wrong while it is read becomes a BadFile."""
    try:
        with open(path, mode, encoding=encoding, opener=_without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise BadFile(path, "it is no regular file", remedy=remedy)
            yield file
    except FileNotFoundError:
        raise BadFile(path, missing, remedy=remedy) from None
    except IsADirectoryError:
        raise BadFile(path, "it is a folder, but a file was expected", remedy=remedy) from None
    except UnicodeDecodeError:
        raise BadFile(path, "it is not UTF-8 text", remedy=remedy) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadFile(path, f"it cannot be read ({reason})", remedy=remedy) from None


def _without_waiting(path: str, flags: int) -> int:
    """Open a pipe at once, instead of waiting for its writer."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def read_toml(path: Path, remedy: str = "", missing: str = "there is no such file") -> dict[str, Any]:
    """Read a TOML file. Raises BadFile."""
    return parse_toml(path, read_text(path, remedy, missing), remedy)


def parse_toml(path: Path, text: str, remedy: str = "") -> dict[str, Any]:
    """Parse the text of a TOML file. Raises BadFile."""
    try:
        if _ENDLESS_KEY.search(text):  # tomllib would take hours, and what it reads is as deep
            raise RecursionError
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = re.search(r"line (\d+)", str(error))
        backslash = place is not None and "\\" in text.splitlines()[int(place[1]) - 1]
        hint = "; a path with backslashes goes in single quotes" if backslash else ""
        raise BadFile(path, f"it is not TOML ({error}){hint}", remedy=remedy) from None
    except ValueError:  # Python's own limit
        raise BadFile(path, "it has a number with thousands of digits", remedy=remedy) from None
    except RecursionError:
        raise BadFile(path, "it is nested too deep", remedy=remedy) from None


def load_toml(path: Path, kind: type[T], remedy: str = "", missing: str = "there is no such file") -> T:
    """Read a TOML file as a value of this kind. Raises BadFile."""
    return check(kind, read_toml(path, remedy, missing), path, remedy)


def load_json(path: Path, kind: type[T], remedy: str = "") -> T:
    """Read a JSON file as a value of this kind. Raises BadFile."""
    return _check(kind, read_text(path, remedy), path, remedy)


def check(kind: type[T], data: object, path: Path, remedy: str = "", context: object = None) -> T:
    """Return what was read from a file as a value of this kind. Raises BadFile with the first fault."""
    # Only from JSON does the strict mode take an array for a tuple, and text for an enum.
    return _check(kind, json.dumps(data, default=str), path, remedy, context)


def _check(kind: type[T], text: str, path: Path, remedy: str, context: object = None) -> T:
    try:
        hint: Any = kind
        value: T = _adapter(hint).validate_json(text, strict=True, context=context)
        return value
    except ValidationError as error:
        raise BadFile(path, fault_of(error), remedy=remedy) from None


@cache
def _adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)


# --- what is wrong --------------------------------------------------------------------------------------

_UNKNOWN_KEY = ("extra_forbidden", "unexpected_keyword_argument")
_FAULTS = {
    **dict.fromkeys(_UNKNOWN_KEY, "is not a known key"),
    "missing": "is missing",
    "too_long": "must have at most {max_length} values, not {actual_length}",
    "too_short": "must have at least {min_length} values, not {actual_length}",
}
_REQUIREMENTS = {
    "string_type": "text",
    **dict.fromkeys(("bool_type", "bool_parsing"), "true or false"),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "a whole number"),
    **dict.fromkeys(("float_type", "float_parsing"), "a number"),
    "finite_number": "a finite number",
    **dict.fromkeys(("dict_type", "mapping_type", "dataclass_type", "model_type"), "a table"),
    **dict.fromkeys(("list_type", "tuple_type"), "a list"),
    **dict.fromkeys(("enum", "literal_error"), "{expected}"),
    "greater_than": "above {gt:g}",
    "greater_than_equal": "at least {ge:g}",
    "less_than": "below {lt:g}",
    "less_than_equal": "at most {le:g}",
}


def fault_of(error: ValidationError) -> str:
    """Return the first fault with its place, an unknown key before others: "limits.fresh must be ..."."""
    faults = error.errors(include_url=False)
    first = min(faults, key=lambda fault: fault["type"] not in _UNKNOWN_KEY)
    place, kind, details = _place(first["loc"]), first["type"], first.get("ctx", {})
    if kind in _FAULTS:
        return f"{place} {_FAULTS[kind].format(**details)}".lstrip()
    if kind in _REQUIREMENTS:
        given = one_line(repr(first["input"]), 80)
        return f"{place} must be {_REQUIREMENTS[kind].format(**details)}, not {given}".lstrip()
    message = first["msg"].removeprefix("Value error, ")
    return f"{place}: {message}" if place else message


def _place(keys: Sequence[int | str]) -> str:
    """Return a path such as "rules number 2, then number 1"."""
    place = ""
    for key in keys:
        if isinstance(key, int):
            place += f" number {key + 1}"
        elif key != "[key]":
            place += f"{'' if not place else ', ' if place[-1].isdigit() else '.'}{key}"
    return place.lstrip()


def known_name(kind: str, name: str, known: Iterable[str]) -> str:
    """Return the name. Raises ValueError, with the closest or all known names, for one that is not known."""
    names = sorted(known)
    if name in names:
        return name
    near = get_close_matches(name, names, 1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(names) or 'none'}"
    raise ValueError(f"there is no {kind} named {name!r} ({hint})")


# --- writing --------------------------------------------------------------------------------------------


@contextmanager
def replacing(path: Path, remedy: str = "Choose another file", private: bool = False) -> Iterator[Path]:
    """Yield where to write a file that takes this place once all of it is written, and is gone if not.

    So the file is the old one or the new one, whoever reads or writes it meanwhile. It keeps the mode of the
    old one; a new one that is `private` is its owner's alone. What is no regular file, such as /dev/stdout,
    is written itself. Raises BadFile for an OSError, also of the block.
    """
    try:
        place = Path(os.path.realpath(path))
        if path.exists() and not path.is_file():
            yield path
            return
        part = place.with_name(f".{place.stem[:80]}.{token_hex(4)}{place.suffix}")
        os.close(os.open(part, os.O_CREAT | os.O_EXCL, 0o600 if private else 0o666))
        try:
            if place.exists():
                part.chmod(place.stat().st_mode & 0o777)
            yield part
            part.replace(place)
        except BaseException:
            with suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        raise BadFile(path, f"it cannot be written ({error.strerror})", remedy=remedy) from error


def write_text(path: Path, text: str, remedy: str = "Choose another file") -> None:
    """Write all of the file, as UTF-8, or nothing of it. Raises BadFile."""
    with replacing(path, remedy) as part:
        part.write_bytes(text.encode("utf-8", "replace"))


def write_toml(path: Path, data: Mapping[str, Any], comment: str = "") -> None:
    """Write text, numbers, truth values, lists and tables of them; None is left out. Raises BadFile."""
    make_folder(path.parent)
    write_text(path, toml_text(data, comment), remedy="")


def toml_text(data: Mapping[str, Any], comment: str = "") -> str:
    """Return what `write_toml` writes."""
    return "".join(f"# {line}\n" for line in comment.splitlines()) + "\n".join(_table("", data)) + "\n"


def make_folder(path: Path, remedy: str = "") -> None:
    """Make the folder and those above it, unless they are there. Raises BadFile."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(path, f"the folder cannot be made ({error.strerror})", remedy=remedy) from error


def _table(name: str, data: Mapping[str, Any]) -> Iterable[str]:
    own = [f"{_key(key)} = {_value(v)}" for key, v in data.items() if not isinstance(v, Mapping | None)]
    if name and own:
        yield f"\n[{name}]"
    yield from own
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield from _table(f"{name}.{_key(key)}".lstrip("."), value)


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else _value(key)


def _value(value: object) -> str:
    value = value.value if isinstance(value, Enum) else value
    if isinstance(value, str | bool):  # as in JSON, but DEL must be escaped too
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return f"[{', '.join(map(_value, value))}]" if isinstance(value, list | tuple) else repr(value)
