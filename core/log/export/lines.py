"""JSON Lines, record for record, pictures among them; and back."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.errors import BadFile, LogError
from core.events import Observed, Record
from core.log.codec import read_record, write_record
from core.log.intake import take_in
from core.log.store import Store
from core.pictures import identity


def lines(store: Store, episode: str, pictures: bool = True) -> Iterator[str]:
    """One line a record, as `codec.write_record` has it; before the first record that shows a picture, a
    line `{"picture": id, "png": base64}`. Raises UnknownName, LogError."""
    written: set[str] = set()
    for record in store.records(episode):
        event = record.event
        if pictures and isinstance(event, Observed) and event.frame.id and event.frame.id not in written:
            written.add(event.frame.id)
            png = base64.b64encode(store.picture(event.frame.id)).decode()
            yield json.dumps({"picture": event.frame.id, "png": png})
        yield write_record(record)


def export(store: Store, episodes: Iterable[str], to: Path, pictures: bool = True) -> int:
    """Write them into one file; returns the number of records. Raises BadFile, UnknownName, LogError."""
    count = 0
    try:
        with to.open("w", encoding="utf-8") as file:
            for episode in episodes:
                for line in lines(store, episode, pictures):
                    file.write(line + "\n")
                    count += not line.startswith('{"picture"')
    except OSError as error:
        raise BadFile(to, f"cannot be written ({error.strerror})", way_out="Choose another file") from error
    return count


def take(store: Store, source: Path) -> tuple[str, ...]:
    """Import an export; returns the ids of the episodes that are new. One that is there already, just so, is
    left. All of an episode comes in or nothing. Raises BadFile with the line, LogError."""
    new: list[str] = []
    try:
        with source.open(encoding="utf-8") as file:
            for records, pictures in _episodes(source, file):
                if take_in(store, records, pictures):
                    new.append(records[0].episode)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise BadFile(source, f"cannot be read ({why})", way_out="Choose another file") from error
    return tuple(new)


def _episodes(source: Path, file: Iterable[str]) -> Iterator[tuple[list[Record], dict[str, bytes]]]:
    """The records of one episode after the other; those of one stand together."""
    records: list[Record] = []
    pictures: dict[str, bytes] = {}
    coming: dict[str, bytes] = {}  # pictures stand before the record that shows them
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            if line.startswith('{"picture"'):
                coming.update([_picture(line)])
                continue
            record = read_record(line)
        except (LogError, ValueError, KeyError) as error:
            why = str(error).rstrip(".") or "is no record"
            raise BadFile(source, why, number) from error
        if records and record.episode != records[0].episode:
            yield records, pictures
            records, pictures = [], {}
        if records and record.number <= records[-1].number:
            raise BadFile(source, f"record {record.number} of episode {record.episode} comes twice", number)
        records.append(record)
        pictures |= coming
        coming = {}
    if records:
        yield records, pictures


def _picture(line: str) -> tuple[str, bytes]:
    form = json.loads(line)
    png = base64.b64decode(form["png"], validate=True)
    if identity(png) != form["picture"]:
        raise ValueError(f"picture {form['picture'][:12]} is not as it was exported")
    return form["picture"], png
