"""JSON Schemas of the records, one per kind, derived from the events' own types.

They match what `core/log/serialize.py` writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from core.belief import Atom
from core.events import EVENT_TYPES
from core.planning_model import Step

Schema = dict[str, Any]
_PLAIN: Mapping[Any, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    bool: {"type": "boolean"},
    # JSON has no infinity, so it is written as a string.
    float: {"anyOf": [{"type": "number"}, {"type": "string", "enum": ["inf", "-inf", "nan"]}]},
    NoneType: {"type": "null"},
    Atom: {"type": "array", "items": {"type": "string"}, "minItems": 1, "title": "predicate and objects"},
}


@cache
def record_schema(kind: str) -> Schema:
    """Return the schema of a line of `codec.write_record` with an event of this kind; classes are in
    `$defs`."""
    defs: Schema = {}
    event = _class(EVENT_TYPES[kind], defs, kind)
    seconds = {"type": "number", "title": "seconds"}
    place = {"episode": _PLAIN[str], "number": _PLAIN[int], "wall": seconds, "monotonic": seconds}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": kind,
        "description": " ".join((EVENT_TYPES[kind].__doc__ or "").split()),
        **_object(place | {"event": event}),
        "$defs": defs,
    }


def _object(properties: Schema, required: list[str] | None = None) -> Schema:
    required = list(properties) if required is None else required
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def _schema(hint: Any, defs: Schema) -> Schema:
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _choice(args, defs)
    if origin is tuple and args[-1] is Ellipsis:
        return {"type": "array", "items": _schema(args[0], defs)}
    if origin is tuple:
        return {"type": "array", "prefixItems": [_schema(a, defs) for a in args]}
    if origin is Mapping:
        return {"type": "object", "additionalProperties": _schema(args[1], defs)}
    if isinstance(hint, type) and issubclass(hint, Enum):
        return {"type": "string", "enum": [member.value for member in hint]}
    if not isinstance(hint, type):
        raise TypeError(f"no JSON Schema for {hint}")
    return _ref(hint, defs)


def _choice(kinds: tuple[Any, ...], defs: Schema) -> Schema:
    """Return the schema of a union; of several classes each names itself in `kind`."""
    classes = [kind for kind in kinds if kind is not NoneType]
    tagged = len(classes) > 1
    parts = [_ref(k, defs, k.__name__) if tagged and k not in _PLAIN else _schema(k, defs) for k in classes]
    return {"anyOf": parts + [_PLAIN[NoneType]] * (NoneType in kinds)}


def _ref(kind: type, defs: Schema, tag: str = "") -> Schema:
    name = kind.__name__
    if name not in defs:
        defs[name] = {}  # it may be recursive
        defs[name] = _class(kind, defs, tag)
    return {"$ref": f"#/$defs/{name}"}


def _class(kind: type, defs: Schema, tag: str = "") -> Schema:
    hints = get_type_hints(kind)
    names = [f.name for f in fields(kind) if f.compare or (kind is Step and f.name == "values")]
    properties: Schema = {"kind": {"type": "string", "const": tag}} if tag else {}
    for name in names:
        free = kind is Step and name == "values"
        properties[name] = {"type": "object"} if free else _schema(hints[name], defs)
    return _object(properties, list(properties))
