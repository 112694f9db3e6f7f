"""Convert events and records to JSON text and back. `serialize.py` defines the format."""

from __future__ import annotations

import json
from operator import index
from typing import Any

from core.errors import ConsoleError, LogError
from core.events import EVENT_TYPES, Event, Record
from core.log.integrity.validation import excerpt, parse_json
from core.log.serialize import Codec, DecodeError, codec_for
from core.log.upgrades import current_name

_dump = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


def write_event(event: Event) -> str:
    """Return the event, without its kind, as one JSON object."""
    return _text(_codec_of(event).encode(event))


def read_event(kind: str, text: str) -> Event:
    """Parse an event. Raises LogError, also for what a newer version wrote."""
    return _event(kind, _parsed(text))


def write_record(record: Record) -> str:
    """Return a record as one line of JSON: number, time and event."""
    event = {"kind": type(record.event).__name__, **_codec_of(record.event).encode(record.event)}
    form = {"episode": record.episode, "number": record.number, "wall": record.wall}
    return _text(form | {"monotonic": record.monotonic, "event": event})


def read_record(text: str) -> Record:
    """Parse a record. Raises LogError."""
    form = _parsed(text)
    try:
        event = dict(form["event"])
        kind = str(event.pop("kind"))
        place = str(form["episode"]), index(form["number"]), float(form["wall"]), float(form["monotonic"])
    except (KeyError, TypeError, ValueError) as error:
        raise LogError("This is no record of an episode: export it again from its log.") from error
    return Record(*place, _event(kind, event))


def _event(kind: str, form: Any) -> Event:
    kind = current_name(kind)
    if kind not in EVENT_TYPES:
        raise LogError(f"A record has the unknown kind {excerpt(kind)!r}: {_NEWER}")
    try:
        event: Event = codec_for(EVENT_TYPES[kind]).decode(form)
    except DecodeError as odd:
        raise LogError(f"A record of kind {kind} has {excerpt(odd)}: {_NEWER}") from None
    except (RecursionError, ConsoleError) as error:
        raise LogError(f"A record of kind {kind} has what cannot be ({excerpt(error)}): {_NEWER}") from None
    return event


_NEWER = "a newer version of this program wrote it, or it is damaged; update the program or verify the log."


def _text(form: Any) -> str:
    text = _dump(form)
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair in a model's reply, which must be escaped
        return json.dumps(form, separators=(",", ":"), allow_nan=False)
    return text


def _parsed(text: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise LogError(f"A record is no JSON ({error}): verify the log to see what is damaged.") from None


def _codec_of(event: Event) -> Codec:
    kind: Any = type(event)
    return codec_for(kind)
