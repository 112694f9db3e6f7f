"""Put what is not symbolic in a step (a grasp, a pose, a force) into words. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress

from core.planning_model import Json

_FEW = 8  # numbers of one value that are shown


def values_in_words(values: Mapping[str, Json], words: Mapping[str, str]) -> Iterator[str]:
    """Yield each value as the domain folder words it, "turned {0:.2f} rad", else by its name."""
    for name, value in values.items():
        parts = value if isinstance(value, tuple) else (value,)
        with suppress(LookupError, ValueError, TypeError, AttributeError):  # words for other kinds of values
            yield words[name].format(*parts)
            continue
        more = "" if len(parts) <= _FEW else f" and {len(parts) - _FEW} more"
        yield f"{name.replace('_', ' ')} {', '.join(map(_plain, parts[:_FEW]))}{more}"


def _plain(value: Json) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:
        return "none"
    return f"{value:.3g}" if isinstance(value, float) else str(value)
