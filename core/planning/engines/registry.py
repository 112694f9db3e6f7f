"""Engines by name. An engine's `make` takes only `options`, and runs in any process."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from core.errors import MissingPackage
from core.install_paths import install_extra
from core.planning.engines.engine import Engine
from core.registry import Entry, MissingRequirement, Options, Registry, late


class EngineOptions(Options):
    seconds: float = Field(60.0, gt=0, description="Seconds after which there is no plan; bounds a bench.")


class FastDownwardOptions(EngineOptions):
    costs: bool = Field(False, description="Look for cheap plans instead of short ones.")


def _no_fast_downward() -> MissingRequirement | None:
    from core.planning.engines.downward import binary_folder

    try:
        binary_folder()
    except MissingPackage:
        return MissingRequirement("Fast Downward is not installed", install_extra("fast-downward"))
    return None


ENGINES: Registry[Engine] = Registry(
    "engine",
    (
        Entry(
            "pyperplan",
            "pyperplan",
            "Greedy search with the FF heuristic, in Python; what is too hard goes on to Fast Downward.",
            lambda options: late("core.planning.engines.pyperplan:Pyperplan")(),
            EngineOptions,
        ),
        Entry(
            "fast-downward",
            "Fast Downward",
            "The field's standard planner, much faster on large problems.",
            lambda options: late("core.planning.engines.fast_downward:FastDownward")(),
            FastDownwardOptions,
            missing=_no_fast_downward,
        ),
    ),
)


def make_engine(name: str, options: Mapping[str, str] | None = None) -> Engine:
    """Return a new engine. Raises UnknownName, BadValue, MissingPackage."""
    entry = ENGINES[name]
    return entry.build(options=entry.read_options(options or {}))
