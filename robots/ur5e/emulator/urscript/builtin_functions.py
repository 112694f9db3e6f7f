"""The registration of the functions that a script may call."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any


@dataclass(frozen=True)
class Builtin:
    """`run(runtime, *arguments)`; if it `suspends`, a generator that yields once per cycle."""

    parameters: tuple[str, ...]
    required: int
    run: Callable[..., Any]
    suspends: bool
    variadic: bool  # takes any number of arguments


def builtin(run: Callable[..., Any]) -> Builtin:
    """Describe a function by its own signature, of which the first parameter is the runtime."""
    parameters = tuple(inspect.signature(run).parameters.values())[1:]
    many = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    named = () if many else tuple(p.name for p in parameters)
    required = sum(p.default is p.empty and p.kind is not p.VAR_POSITIONAL for p in parameters)
    return Builtin(named, required, run, inspect.isgeneratorfunction(run), many)


def builtin_table(
    members: Mapping[str, Any], short: Mapping[str, Callable[..., Any]] = MappingProxyType({})
) -> Mapping[str, Builtin]:
    """Return the public functions among a module's own members, and some short ones, by their names."""
    own = {
        name.rstrip("_"): f
        for name, f in members.items()
        if inspect.isfunction(f) and f.__module__ == members["__name__"] and not name.startswith("_")
    }
    return MappingProxyType({name: builtin(f) for name, f in (own | dict(short)).items()})
