"""A table of a TOML file, read key by key; an error is a BadFile with file, place and fault."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, TypeVar

from core.errors import BadFile

Kind = TypeVar("Kind", str, bool, int, float, list[Any], dict[str, Any])


class TomlTable:
    """One table of the file. Each key is read once; `reject_unread` complains about the others."""

    def __init__(self, path: Path, place: str, table: Mapping[str, object]) -> None:
        self.path, self.location = path, place
        self.unread = dict(table)

    def fail(self, reason: str) -> NoReturn:
        raise BadFile(self.path, f"{self.location}: {reason}" if self.location else reason)

    def read(self, key: str, kind: type[Kind], default: Kind | None = None) -> Kind:
        """Read the value of a key, checking its type. Without a default it is required."""
        value = self.unread.pop(key, default)
        if kind is float and type(value) is int:
            value = float(value)
        if value is None:
            self.fail(f"{key} is missing")
        if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
            self.fail(f"{key} must be {_KINDS[kind]}, not {value!r}")
        return value

    def text_table(self, key: str) -> dict[str, str]:
        """Read a table of strings."""
        table = TomlTable(self.path, f"[{key}]", self.read(key, dict, {}))
        return {name: table.read(name, str) for name in list(table.unread)}

    def tables(self, key: str) -> list[tuple[str, TomlTable]]:
        """Read a table of tables."""
        table = TomlTable(self.path, f"[{key}]", self.read(key, dict, {}))
        names = list(table.unread)
        return [(name, TomlTable(self.path, f"[{key}.{name}]", table.read(name, dict))) for name in names]

    def rows(self, key: str, place: str) -> list[TomlTable]:
        """Read a list of tables."""
        rows = []
        for number, row in enumerate(self.read(key, list, []), 1):
            if not isinstance(row, dict):
                self.fail(f"{key} must be a list of tables, found {row!r}")
            rows.append(TomlTable(self.path, f"{place} number {number}", row))
        return rows

    def choose(self, key: str, known: Collection[str], default: str) -> str:
        value = self.read(key, str, default)
        self.check(value, known, key)
        return value

    def check(self, name: str, known: Collection[str], kind: str) -> None:
        """Raise BadFile for an unknown name."""
        if name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(sorted(known)) or 'none'}"
            self.fail(f"there is no {kind} named {name!r} ({hint})")

    def reject_unread(self) -> None:
        for key in self.unread:
            self.fail(f"the key {key!r} is not known")


_KINDS = {str: "text", bool: "true or false", int: "a whole number", float: "a number"}
_KINDS |= {list: "a list", dict: "a table"}
