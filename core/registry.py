"""A typed entry for each component that can be chosen: robot, answerer, method, engine, exporter, panel.

An entry says what the component is, which options it has, what it requires, and how it is made. The command
line, the setup dialog, `doctor`, the conformance suite, the logged settings and `docs/reference.md` are all
generated from these tables. Built-in entries are literals; third-party ones come from `core/plugins.py`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib import import_module
from importlib.util import find_spec
from traceback import extract_tb
from typing import Any, ClassVar, Generic, TypeVar, get_args, get_origin

from pydantic import BaseModel, ConfigDict, ValidationError, model_validator

from core.data_file import fault_of
from core.domains import DomainSpec, Task
from core.errors import BadFile, BadValue, Cancelled, ConsoleError, UnknownName
from core.install_paths import install_extra, uninstall
from core.plugins import plugins
from core.text.numbers import read_number

Part = TypeVar("Part", covariant=True)
log = logging.getLogger(__name__)


class Options(BaseModel):
    """The options of an entry; subclass it to add some. Unknown options are rejected.

    Text for a list, tuple or set is split at commas. `where_others_go` is a sentence for somebody who gives
    an unknown one.
    """

    where_others_go: ClassVar[str] = ""
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    @model_validator(mode="before")
    @classmethod
    def _split_lists(cls, values: object) -> object:
        if not isinstance(values, dict):
            return values
        many = {n for n, f in cls.model_fields.items() if get_origin(f.annotation) in (tuple, set, frozenset)}
        return {n: _words(v) if n in many and isinstance(v, str) else v for n, v in values.items()}


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


@dataclass(frozen=True)
class MissingRequirement:
    """What an entry lacks on this machine, in one sentence, and how to fix it."""

    problem: str
    remedy: str


def requires_package(module: str, extra: str) -> Callable[[], MissingRequirement | None]:
    """Return a check that a package is installed; `extra` is its optional group in `pyproject.toml`."""

    def missing() -> MissingRequirement | None:
        if find_spec(module) is not None:
            return None
        return MissingRequirement(f"The package {module} is not installed", install_extra(extra))

    return missing


def late(place: str) -> Callable[..., Any]:
    """Return a function that imports "module:name" only when it is called. It can be pickled."""
    return partial(_call, place)


def _call(place: str, *given: Any, **needs: Any) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)(*given, **needs)


@dataclass(frozen=True)
class Entry(Generic[Part]):
    """`make` receives as keyword arguments its `options` and what its kind provides:

    robots `domain_spec, task, seed, openness, rates, pictures, pace`; answerers `truth, problem, seed,
    asking, meter`; methods `domain_spec, problem, planner, model, answerer, supervision`; engines, exporters
    and panels nothing. One that needs less takes the rest as `**_`.
    """

    name: str
    title: str
    summary: str  # one line
    make: Callable[..., Part]
    options: type[Options] = Options
    missing: Callable[[], MissingRequirement | None] = lambda: None
    # Why it cannot be used with that task; (): it can.
    incompatibilities: Callable[[DomainSpec, Task], tuple[str, ...]] = lambda domain_spec, task: ()
    # What will probably go wrong with a task that it can do.
    doubts: Callable[[DomainSpec, Task], tuple[str, ...]] = field(
        default=lambda domain_spec, task: (), kw_only=True
    )
    source: str = field(default="", kw_only=True, repr=False)  # a plug-in's file, set where it is read

    def build(self, **needs: Any) -> Part:
        """Make the component. Raises BadFile for a plug-in's `make` that breaks, with its line."""
        try:
            return self.make(**needs)
        except (ConsoleError, Cancelled):
            raise
        except Exception as error:
            if not self.source:
                raise
            lines = [f.lineno for f in extract_tb(error.__traceback__) if f.filename == self.source]
            raise BadFile(
                self.source,
                f"{self.name!r} cannot be made ({type(error).__name__}: {error})",
                lines[-1] if lines else None,
                "Mend the file, or choose another component",
            ) from error

    def read_options(self, values: Mapping[str, Any]) -> Options:
        """Check values (text or typed) against the entry's options. Raises BadValue with the first error."""
        try:
            return self.options.model_validate(self._with_numbers(values))
        except ValidationError as error:
            unknown = values.keys() - self.options.model_fields.keys()
            if unknown:
                known = ", ".join(self.options.model_fields) or "none"
                words = f"{self.title} has no option {min(unknown)!r}: its options are: {known}."
                raise BadValue(f"{words} {self.options.where_others_go}".strip()) from None
            raise BadValue(f"{self.title}: the option {fault_of(error)}.") from None

    def _with_numbers(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values with each number as it is written here, with a point. Raises BadValue."""
        read = dict(values)
        for name, field_ in self.options.model_fields.items():
            kind, text = field_.annotation, read.get(name)
            if isinstance(text, str) and text and float in (kind, *get_args(kind)):
                try:
                    read_number(text)
                    read[name] = text.strip().replace(",", ".")
                except BadValue as error:
                    raise BadValue(f"{self.title}: the option {name} is {error}") from None
        return read


@dataclass(frozen=True)
class Registry(Generic[Part]):
    """The entries of one kind, by name. `kind` is its name for people, "robot"."""

    kind: str
    builtin: Sequence[Entry[Part]]
    entry_type: type[Entry[Any]] = field(default=Entry, repr=False)  # class of its entries

    @property
    def entries(self) -> Mapping[str, Entry[Part]]:
        """Return the built-in entries and those of plug-ins; an installed package's that cannot be used is
        left out, with a warning. Raises BadFile for such a file of a folder that somebody named.
        """
        found, faults = self._read()
        for package, fault in faults.items():
            _warn(f"{fault} It is left out. Mend it, or: {uninstall(package)}")
        return found

    def faults(self) -> Mapping[str, BadFile]:
        """Return why entries are left out, by installed package."""
        return self._read()[1]

    def _read(self) -> tuple[Mapping[str, Entry[Part]], Mapping[str, BadFile]]:
        found, faults = {entry.name: entry for entry in self.builtin}, dict[str, BadFile]()
        for plugin in plugins(f"{self.kind}s"):
            entry, fault = plugin.entry, None
            if isinstance(entry, BadFile):
                fault = entry
            elif not isinstance(entry, self.entry_type):
                fault = BadFile(plugin.source, self._other_type(entry))
            elif entry.name in found:
                fault = BadFile(
                    plugin.source, f"names its {self.kind} {entry.name!r}, and there is one already"
                )
            else:
                found[entry.name] = entry
            if fault and not plugin.package:
                raise fault
            if fault:
                faults[plugin.package] = fault
        return found, faults

    def _other_type(self, entry: object) -> str:
        needed = f"{self.entry_type.__module__}.{self.entry_type.__name__}"
        given = f"of class {type(entry).__name__}" if isinstance(entry, Entry) else repr(entry)
        return f"gives an entry {given} where a {needed} is needed"

    def __getitem__(self, name: str) -> Entry[Part]:
        """Return the entry of this name. Raises UnknownName."""
        if name not in self.entries:
            raise UnknownName(self.kind, name, self.entries)
        return self.entries[name]

    def __iter__(self) -> Iterator[Entry[Part]]:
        return iter(self.entries.values())

    def __contains__(self, name: object) -> bool:
        return name in self.entries

    def names(self) -> tuple[str, ...]:
        return tuple(self.entries)


@cache
def _warn(words: str) -> None:
    """Say it once in the life of the program."""
    log.warning(words)


Registries = Mapping[str, Registry[Any]]  # by kind: "robots"
