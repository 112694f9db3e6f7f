"""JSON Lines, record for record, pictures and live video among them; and back."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.errors import BadFile, LogError
from core.events import Observed, Record
from core.log.codec import read_record, write_record
from core.log.intake import take_in
from core.log.segments import Segment
from core.log.store import Store
from core.pictures import identity


def lines(store: Store, episode: str, pictures: bool = True) -> Iterator[str]:
    """One line a record, as `codec.write_record` has it; before the first record that shows a picture, a
    line `{"picture": id, "png": base64}`; after the last one, for each
    segment of live video, a line `{"film": hash, "mp4": base64, ...}` with its times. Raises UnknownName,
    LogError."""
    written: set[str] = set()
    for record in store.records(episode):
        event = record.event
        if pictures and isinstance(event, Observed) and event.frame.id and event.frame.id not in written:
            written.add(event.frame.id)
            png = base64.b64encode(store.picture(event.frame.id)).decode()
            yield json.dumps({"picture": event.frame.id, "png": png})
        yield write_record(record)
    for segment in store.segments(episode) if pictures else ():
        mp4 = base64.b64encode(store.film(segment.hash)).decode()
        about = {"camera": segment.camera, "started": segment.started, "ended": segment.ended}
        yield json.dumps({"film": segment.hash, **about, "dropped": segment.dropped, "mp4": mp4})


def export(store: Store, episodes: Iterable[str], to: Path, pictures: bool = True) -> int:
    """Write them into one file; returns the number of records. Raises BadFile, UnknownName, LogError."""
    count = 0
    try:
        with to.open("w", encoding="utf-8") as file:
            for episode in episodes:
                for line in lines(store, episode, pictures):
                    file.write(line + "\n")
                    count += not line.startswith(('{"picture"', '{"film"'))
    except OSError as error:
        raise BadFile(to, f"cannot be written ({error.strerror})", way_out="Choose another file") from error
    return count


def take(store: Store, source: Path) -> tuple[str, ...]:
    """Import an export; returns the ids of the episodes that are new. One that is there already, just so, is
    left. All of an episode comes in or nothing. Raises BadFile with the line, LogError."""
    new: list[str] = []
    try:
        with source.open(encoding="utf-8") as file:
            for records, pictures, films in _episodes(source, file):
                if take_in(store, records, pictures, films):
                    new.append(records[0].episode)
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or "it is no text"
        raise BadFile(source, f"cannot be read ({why})", way_out="Choose another file") from error
    return tuple(new)


Part = tuple[list[Record], dict[str, bytes], list[tuple[Segment, bytes]]]


def _episodes(source: Path, file: Iterable[str]) -> Iterator[Part]:
    """The records of one episode after the other; those of one stand together."""
    records: list[Record] = []
    pictures: dict[str, bytes] = {}
    films: list[tuple[Segment, bytes]] = []  # they stand after the last record
    coming: dict[str, bytes] = {}  # pictures stand before the record that shows them
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            if line.startswith('{"picture"'):
                coming.update([_picture(line)])
                continue
            if line.startswith('{"film"') and records:
                films.append(_film(line))
                continue
            record = read_record(line)
        except (LogError, ValueError, KeyError, TypeError) as error:
            why = str(error).rstrip(".") or "is no record"
            raise BadFile(source, why, number) from error
        if records and record.episode != records[0].episode:
            yield records, pictures, films
            records, pictures, films = [], {}, []
        if records and record.number <= records[-1].number:
            raise BadFile(source, f"record {record.number} of episode {record.episode} comes twice", number)
        records.append(record)
        pictures |= coming
        coming = {}
    if records:
        yield records, pictures, films


def _picture(line: str) -> tuple[str, bytes]:
    form = json.loads(line)
    png = base64.b64decode(form["png"], validate=True)
    if identity(png) != form["picture"]:
        raise ValueError(f"picture {form['picture'][:12]} is not as it was exported")
    return form["picture"], png


def _film(line: str) -> tuple[Segment, bytes]:
    form = json.loads(line)
    mp4 = base64.b64decode(form.pop("mp4"), validate=True)
    if hashlib.sha256(mp4).hexdigest() != form["film"]:
        raise ValueError("a film is not as it was exported")
    times = float(form["started"]), float(form["ended"])
    return Segment(str(form["camera"]), *times, form["film"], len(mp4), int(form["dropped"])), mp4
