"""Names in the log: what classes and fields are called in its JSON and its SQL.

They were written by earlier versions, are named in people's queries, and so stay when the code's own
names change. Classes that are not listed go by their own name, and so do fields.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

_KINDS: Mapping[str, str] = MappingProxyType({})
_FIELDS: Mapping[str, Mapping[str, str]] = MappingProxyType({})


def kind_of(cls: type) -> str:
    """Return the name of an event's class, or of one among several classes, in the log."""
    return _KINDS.get(cls.__name__, cls.__name__)


def field_of(cls: type, name: str) -> str:
    """Return the key of a class's field in the log."""
    return _FIELDS.get(cls.__name__, {}).get(name, name)
