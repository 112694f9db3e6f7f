"""Third-party entries, from an installed package or from a folder of Python files that the user names.

A package declares its entry as an entry point of the group `dkprompt.robots` (`dkprompt.methods`, ...). A
file in one of the folders of `DKPROMPT_PLUGINS` has a table `ENTRIES = {"robots": [RobotEntry(...)]}`. Both
run as part of the program, in its process.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

from core.errors import BadFile

PLUGINS_VARIABLE = "DKPROMPT_PLUGINS"  # folders, separated as in PATH


@dataclass(frozen=True)
class Plugin:
    """An entry as it was read, or why it could not be; `package` is "" for a file of a named folder."""

    source: str
    entry: object
    package: str = ""


def plugins(kinds: str) -> Iterator[Plugin]:
    """Yield each plug-in of this kind ("robots"). Raises BadFile for a named file that cannot be read."""
    yield from _installed(kinds)
    for file in plugin_files():
        for entry in _entries(file).get(kinds, ()):
            yield Plugin(str(file), entry)


@cache
def _all_installed() -> Any:
    """Return every installed package's entry points; to read them takes some 50 ms."""
    return entry_points()


@cache
def _installed(kinds: str) -> tuple[Plugin, ...]:
    found: list[Plugin] = []
    for point in _all_installed().select(group=f"dkprompt.{kinds}"):
        package = point.dist.name if point.dist else point.module
        source = f"The package {package}, {point.value}"
        try:
            entry = _with_source(point.load(), source)
        except Exception as error:
            entry = _unreadable(source, error)
        found.append(Plugin(source, entry, package))
    return tuple(found)


def plugin_files() -> tuple[Path, ...]:
    """Return the plug-in files of all named folders. Raises BadFile for a folder that does not exist."""
    found: list[Path] = []
    for name in filter(None, os.environ.get(PLUGINS_VARIABLE, "").split(os.pathsep)):
        folder = Path(name).expanduser()
        if not folder.is_dir():
            raise BadFile(folder, "is no folder of plug-ins", remedy=f"Mend {PLUGINS_VARIABLE} or --plugins")
        found += sorted(p for p in folder.resolve().glob("*.py") if not p.name.startswith("_"))
    return tuple(dict.fromkeys(found))  # a folder may be named twice


@cache
def _entries(file: Path) -> Mapping[str, Sequence[Any]]:
    """Return `ENTRIES` of a file, which is executed once, as a module."""
    name = f"dkprompt_plugin_{file.stem}"
    spec = spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[name] = module  # so that what it defines can be looked up by name
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        del sys.modules[name]
        raise _unreadable(str(file), error) from error
    entries = getattr(module, "ENTRIES", {})
    if not isinstance(entries, Mapping):
        raise BadFile(file, "ENTRIES is no table such as {'robots': [RobotEntry(...)]}")
    return {kinds: [_with_source(entry, str(file)) for entry in found] for kinds, found in entries.items()}


def _with_source(entry: Any, source: str) -> Any:
    """Return the entry with its source, if it is one at all: the registry refuses what is none."""
    return replace(entry, source=source) if hasattr(entry, "source") else entry


def _unreadable(source: str, error: Exception) -> BadFile:
    return BadFile(source, f"is no plug-in that can be read ({type(error).__name__}: {error})")
