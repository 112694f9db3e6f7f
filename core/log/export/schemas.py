"""JSON Schemas of the records, one per kind, derived from the events' own types."""

from __future__ import annotations

from functools import cache

from core.events import EVENT_TYPES
from core.log.serialize import Schema, class_schema, object_schema


@cache
def record_schema(kind: str) -> Schema:
    """Return the schema of a line of `codec.write_record` with an event of this kind; classes are in
    `$defs`."""
    defs: Schema = {}
    event = class_schema(EVENT_TYPES[kind], defs, kind)
    seconds = {"type": "number", "title": "seconds"}
    place = {
        "episode": {"type": "string"},
        "number": {"type": "integer"},
        "wall": seconds,
        "monotonic": seconds,
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": kind,
        "description": " ".join((EVENT_TYPES[kind].__doc__ or "").split()),
        **object_schema({**place, "event": event}),
        "$defs": defs,
    }
