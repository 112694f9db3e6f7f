"""Engines by name. An engine's `make` takes `options` and nothing else, and runs in any process."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from core.errors import MissingPackage
from core.place import install_extra
from core.planning.engines.engine import Engine
from core.registry import Entry, Missing, Options, Registry


def _pyperplan(options: Options) -> Engine:
    from core.planning.engines.pyperplan import Pyperplan

    return Pyperplan()


class Aim(Options):
    costs: bool = Field(False, description="Look for cheap plans instead of short ones.")


def _fast_downward(options: Aim) -> Engine:
    from core.planning.engines.fast_downward import FastDownward

    return FastDownward(options.costs)


def _no_fast_downward() -> Missing | None:
    from core.planning.engines.downward import package

    try:
        package()
    except MissingPackage:
        return Missing("Fast Downward is not installed", install_extra("fast-downward"))
    return None


ENGINES: Registry[Engine] = Registry(
    "engine",
    (
        Entry(
            "pyperplan",
            "pyperplan",
            "Greedy search with the FF heuristic, in Python; what is too hard goes on to Fast Downward.",
            _pyperplan,
        ),
        Entry(
            "fast-downward",
            "Fast Downward",
            "The field's standard planner, much faster on large problems.",
            _fast_downward,
            Aim,
            missing=_no_fast_downward,
        ),
    ),
)


def make_engine(name: str, options: Mapping[str, str] | None = None) -> Engine:
    """Raises UnknownName, BadValue, MissingPackage."""
    entry = ENGINES[name]
    return entry.make(options=entry.read_options(options or {}))
