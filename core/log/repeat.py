"""The settings and the domain folder that a logged episode was run with."""

from __future__ import annotations

from dataclasses import fields
from types import UnionType
from typing import Any, get_args, get_type_hints

from core.config import Settings
from core.domains import Folder
from core.errors import ConsoleError, LogError
from core.events import Started
from core.problem import Domain


def settings_of(started: Started) -> Settings:
    """Those that an episode can be repeated by. Words that this version does not know are left out.

    Raises LogError for a value that cannot be read.
    """
    hints = get_type_hints(Settings)
    values: dict[str, Any] = {}
    for name in (f.name for f in fields(Settings)):
        if name in started.settings:
            try:
                values[name] = _read(hints[name], started.settings[name])
            except ValueError:
                word = started.settings[name]
                raise LogError(f"The episode's setting {name} is {word!r}: set it up anew.") from None
    return Settings(**{**values, "task": started.task or values.get("task", "")})


def _read(hint: Any, word: str) -> object:
    kind = get_args(hint)[0] if isinstance(hint, UnionType) else hint
    if isinstance(hint, UnionType) and word == "None":
        return None
    if kind is bool:
        return {"True": True, "False": False}[word] if word in ("True", "False") else _no(word)
    return kind(word)


def _no(word: str) -> bool:
    raise ValueError(word)


def folder_of(started: Started) -> Folder:
    """The domain folder, with its words; where it is gone, one without words."""
    from core.planning import shelf

    try:
        s = settings_of(started)
        if s.domain_file and s.problem_file:
            return shelf.pair(s.domain_file, s.problem_file)
        if s.domain:
            return shelf.folder(s.domain, s.variant or None)
        return shelf.task(s.task, s.variant or None)[0]
    except ConsoleError:
        name = started.domain or "domain"
        return Folder(name, None, "", Domain(name, (), (), ()), "", (), {})
