"""MCAP for Foxglove, Lichtblick and Rerun: pictures in their own format, records as JSON.

Pictures are `foxglove.CompressedImage` in Protobuf on the topic /camera/<name>; each kind of record has its
own topic, /records/<kind>; messages for people go to /log as `foxglove.Log`. Times are the recorder's
monotonic times relative to the first record's wall time, so that a clock change does not tear an episode
apart.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from core.errors import MissingPackage
from core.events import (
    EVENT_TYPES,
    ArmHandover,
    EpisodeEnded,
    Event,
    FrameCaptured,
    Notice,
    Record,
    StopRequested,
)
from core.log.codec import write_record
from core.log.serialize import Schema, class_schema, object_schema
from core.log.store import Store
from core.state.causes import result_words


def export(store: Store, episode: str, to: Path) -> int:
    """Write an episode; return how many records. Raises MissingPackage, UnknownName, LogError, OSError."""
    try:
        from mcap.writer import Writer
        from mcap_protobuf.schema import register_schema
    except ImportError:
        raise MissingPackage("MCAP", "mcap") from None
    summary = store.summary(episode)
    count = 0
    with to.open("wb") as file:
        writer: Any = Writer(file)
        writer.start("", "dkprompt-console")
        put = RecordWriter(writer, register_schema, store)
        for record in store.records(summary.episode):
            put(record)
            count += 1
        writer.finish()
    return count


class RecordWriter:
    """Writes records to an mcap.writer.Writer or its like; a topic is created with its first message."""

    def __init__(self, writer: Any, register: Callable[[Any, Any], int], store: Store) -> None:
        self._writer, self._register, self._store = writer, register, store
        self._channels: dict[str, int] = {}
        self._origin: int | None = None

    def begin(self) -> None:
        """Begin another episode, with a clock of its own."""
        self._origin = None

    def __call__(self, record: Record) -> None:
        at, event = self._time(record), record.event
        self._record(record, at)
        if isinstance(event, FrameCaptured) and event.frame.id:
            topic = f"/camera/{event.frame.camera or 'head'}"
            self._message(topic, at, record.number, self._image(at, event))
        if said := _log_message(event):
            self._message("/log", at, record.number, _log(at, *said))

    def _time(self, record: Record) -> int:
        """Return the record's time in nanoseconds since 1970."""
        ticks = round(record.monotonic * 1e9)
        if self._origin is None:
            self._origin = round(record.wall * 1e9) - ticks
        return self._origin + ticks

    def _record(self, record: Record, at: int) -> None:
        kind = type(record.event).__name__
        topic = f"/records/{kind}"
        if topic not in self._channels:
            text = json.dumps(record_schema(kind)).encode()
            schema = self._writer.register_schema(kind, "jsonschema", text)
            self._channels[topic] = self._writer.register_channel(topic, "json", schema)
        body = write_record(record).encode()
        self._writer.add_message(self._channels[topic], at, body, at, record.number)

    def _message(self, topic: str, at: int, number: int, message: Any) -> None:
        if topic not in self._channels:
            schema = self._register(self._writer, type(message))
            self._channels[topic] = self._writer.register_channel(topic, "protobuf", schema)
        self._writer.add_message(self._channels[topic], at, message.SerializeToString(), at, number)

    def _image(self, at: int, event: FrameCaptured) -> Any:
        from foxglove_schemas_protobuf.CompressedImage_pb2 import CompressedImage

        image = CompressedImage(frame_id=event.frame.camera or "head", format="png")
        image.data = self._store.picture(event.frame.id)
        image.timestamp.FromNanoseconds(at)
        return image


def _log(at: int, level: str, text: str) -> Any:
    from foxglove_schemas_protobuf.Log_pb2 import Log

    entry = Log(level=Log.Level.Value(level), message=text, name="console")
    entry.timestamp.FromNanoseconds(at)
    return entry


_LEVELS = {"info": "INFO", "doubt": "WARNING", "fault": "ERROR"}


def _log_message(event: Event) -> tuple[str, str] | None:
    """Return the level's name and the text of a message for people, None for other events."""
    match event:
        case Notice(level, text):
            return _LEVELS.get(level, "INFO"), text
        case ArmHandover():
            return "WARNING", event.sentence
        case StopRequested(_, reason):
            return "WARNING", f"stop: {reason}"
        case EpisodeEnded(result, reason, _, true):
            return "INFO", f"{result_words(result, true)}: {reason}"
    return None


@cache
def record_schema(kind: str) -> Schema:
    """Return the schema of a line of `codec.write_record` with this kind of event; classes are in `$defs`."""
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
