"""Publish the log as it grows, on the topics of the MCAP export, for Foxglove. Extra: `foxglove`.

It reads the log as any other reader does, in a program of its own, so whoever watches neither slows nor moves
anything. The server listens on this machine only, and offers clients nothing that they could set or call.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

from core.errors import BadValue, MissingPackage
from core.events import EpisodeStarted, Record
from core.log.database import as_log_error
from core.log.export.foxglove import RecordWriter
from core.log.store import Store

HOST = "127.0.0.1"
POLL = 0.1  # seconds between two looks at the log


def follow(store: Store, wait: Callable[[float], object] = time.sleep) -> Iterator[Record]:
    """Yield the records of the latest episode and all that follow it, as they come. Raises LogError."""
    episode, number = "", 0
    while True:
        latest = _latest(store)
        if latest != episode and episode:
            yield from store.records(episode, number + 1)  # its last ones
        if latest != episode:
            episode, number = latest, 0
        for record in store.records(episode, number + 1) if episode else ():
            number = record.number
            yield record
        wait(POLL)


def _latest(store: Store) -> str:
    with as_log_error(store.path):
        found = store.db.execute(
            "select id from episode where deleted is null order by nr desc limit 1"
        ).fetchone()
    return found[0] if found else ""


class _Channels:
    """What RecordWriter writes to, as the channels of a Foxglove server."""

    def __init__(self, context: Any) -> None:
        self._context = context
        self._schemas: list[Any] = []
        self._channels: list[Any] = []

    def register_schema(self, name: str, encoding: str, data: bytes) -> int:
        from foxglove import Schema

        self._schemas.append(Schema(name=name, encoding=encoding, data=data))
        return len(self._schemas) - 1

    def register_channel(self, topic: str, message_encoding: str, schema_id: int) -> int:
        from foxglove import Channel

        made = Channel(
            topic, schema=self._schemas[schema_id], message_encoding=message_encoding, context=self._context
        )
        self._channels.append(made)
        return len(self._channels) - 1

    def add_message(self, channel: int, at: int, data: bytes, published: int, number: int) -> None:
        self._channels[channel].log(data, log_time=at)


def serve(store: Store, port: int, records: Iterator[Record], ready: Callable[[int], None]) -> None:
    """Publish these records of the log until they end; `ready` gets the port as soon as clients can connect.

    Raises MissingPackage, BadValue for a port that is taken, LogError.
    """
    try:
        import foxglove
        from mcap_protobuf.schema import register_schema
    except ImportError:
        raise MissingPackage("Foxglove, live,", "foxglove") from None
    context = foxglove.Context()
    try:
        server = foxglove.start_server(name="DKPROMPT Console", host=HOST, port=port, context=context)
    except Exception as error:
        raise BadValue(f"Port {port} cannot be used ({error}): name another with --port.") from error
    try:
        ready(server.port)
        put = RecordWriter(_Channels(context), register_schema, store)
        for record in records:
            if isinstance(record.event, EpisodeStarted):
                put.begin()
            put(record)
    finally:
        server.stop()
