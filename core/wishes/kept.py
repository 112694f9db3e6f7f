"""Tests that people keep for a domain, such as "cups are put down upright": offered again for such things."""

from __future__ import annotations

import dataclasses
import re
import threading
from collections.abc import Callable
from dataclasses import asdict, field
from pathlib import Path

from pydantic.dataclasses import dataclass

from core.data_file import FILE, load_toml, write_toml
from core.scene import SceneThing

MOST = 200  # of one domain
_LOCK = threading.Lock()


@dataclass(frozen=True, config=FILE)
class KeptTest:
    """What it says in words, its Python, and the thing that it was written for, with what such are called."""

    words: str
    source: str
    thing: str
    categories: tuple[str, ...]
    by: str
    at: str = ""


@dataclasses.dataclass(frozen=True)
class Keeping:
    """A test that a person wants kept, or no longer, and what is said once it is so."""

    test: KeptTest
    words: str
    forget: bool = False


@dataclass(frozen=True, config=FILE)
class _File:
    tests: dict[str, KeptTest] = field(default_factory=dict)


class KeptTests:
    """One file per domain in a folder. Any thread."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, domain: str) -> Path:
        return self.folder / f"{re.sub(r'[^A-Za-z0-9_-]', '_', domain) or 'domain'}-tests.toml"

    def load(self, domain: str) -> tuple[KeptTest, ...]:
        """Return what was kept, the oldest first. Raises BadFile."""
        path = self.path(domain)
        return tuple(load_toml(path, _File).tests.values()) if path.exists() else ()

    def carry_out(self, domain: str, keeping: Keeping) -> str:
        """Keep or forget; return what is said. Raises BadFile."""
        (self.forget if keeping.forget else self.keep)(domain, keeping.test)
        return keeping.words

    def keep(self, domain: str, one: KeptTest) -> None:
        """Keep a test in place of one with the same words and thing. Raises BadFile."""
        self._change(domain, lambda old: [*(o for o in old if not _same(o, one)), one][-MOST:])

    def forget(self, domain: str, one: KeptTest) -> None:
        """Raises BadFile."""
        self._change(domain, lambda old: [o for o in old if not _same(o, one)])

    def _change(self, domain: str, change: Callable[[tuple[KeptTest, ...]], list[KeptTest]]) -> None:
        with _LOCK:
            tests = change(self.load(domain))
            write_toml(self.path(domain), {"tests": {str(n): asdict(one) for n, one in enumerate(tests)}})


def _same(a: KeptTest, b: KeptTest) -> bool:
    return (a.words, a.thing) == (b.words, b.thing)


def source_for(kept: KeptTest, thing: SceneThing) -> str:
    """Return a kept test's Python for this thing, under a name of its own; "" if it is of another kind."""
    if thing.name != kept.thing and not set(kept.categories) & set(thing.categories):
        return ""
    return renamed(re.sub(rf"\b{re.escape(kept.thing)}\b", thing.name, kept.source))


def renamed(source: str) -> str:
    """Return tests under the names that they have once kept, so that a refusal names one of them alone."""
    return re.sub(r"\bgoal_check(?=\d)", "test_kept", source)


def functions_of(source: str) -> frozenset[str]:
    """Return the functions of a text, whatever they are called."""
    parts = re.split(r"\n(?=def )", f"\n{source}")
    return frozenset(re.sub(r"\Adef \w+", "def", part.strip()) for part in parts if part.strip())
