"""JSON Lines, one record per line, including pictures and live video; export and import."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Collection, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TextIO

from core.errors import BadFile, LogError
from core.events import FrameCaptured, Record
from core.log.codec import read_record, write_record
from core.log.importing import import_episode
from core.log.integrity.validation import check_header, episode_id, excerpt, is_digest, parse_json, parse_row
from core.log.store import Store
from core.log.video.segments import Segment, validated
from core.pictures import picture_id

MAX_LINE_CHARS = 32 * 2**20  # maximum length of an imported line


def jsonl_lines(store: Store, episode: str, pictures: bool = True) -> Iterator[str]:
    """Yield one line per record, in the format of `codec.write_record`. Raises UnknownName, LogError.

    Before the first record that shows a picture comes a line `{"picture": id, "png": base64}`, and after the
    last record, for each segment of live video, a line `{"film": hash, "mp4": base64, ...}` with its times.
    """
    written: set[str] = set()
    for record in store.records(episode):
        event = record.event
        if pictures and isinstance(event, FrameCaptured) and event.frame.id and event.frame.id not in written:
            written.add(event.frame.id)
            png = base64.b64encode(store.picture(event.frame.id)).decode()
            yield json.dumps({"picture": event.frame.id, "png": png})
        yield write_record(record)
    for segment in store.segments(episode) if pictures else ():
        mp4 = base64.b64encode(store.segment_video(segment.hash)).decode()
        about = {"camera": segment.camera, "started": segment.started, "ended": segment.ended}
        yield json.dumps({"film": segment.hash, **about, "dropped": segment.dropped, "mp4": mp4})


def export(store: Store, episodes: Iterable[str], to: Path, pictures: bool = True) -> int:
    """Write the episodes into a file; return how many records. Raises OSError, UnknownName, LogError."""
    count = 0
    with to.open("w", encoding="utf-8") as file:
        for episode in episodes:
            for line in jsonl_lines(store, episode, pictures):
                file.write(line + "\n")
                count += not line.startswith(('{"picture"', '{"film"'))
    return count


def import_file(store: Store, source: Path) -> tuple[str, ...]:
    """Import an export and return the ids of the new episodes.

    An identical episode that already exists is skipped. Each episode is imported completely or not at all.
    Raises BadFile with the line, LogError.
    """
    new: list[str] = []
    try:
        with source.open(encoding="utf-8") as file, temporary_spool(store.path) as spool:
            for records, videos in _episodes(source, file, spool):
                if import_episode(store, records, spool.get, videos):
                    new.append(records[0].episode)
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is no text"
        raise BadFile(source, f"cannot be read ({reason})", remedy="Choose another file") from error
    return tuple(new)


Part = tuple[list[Record], list[Segment]]


def _episodes(source: Path, file: TextIO, spool: Spool) -> Iterator[Part]:
    """Yield the records and segments of one episode after the other; pictures and videos go to the spool."""
    records: list[Record] = []
    videos: list[Segment] = []  # they follow the last record
    coming: set[str] = set()  # pictures precede the record that shows them
    for number, line in enumerate(_lines(source, file), 1):
        if not line.strip():
            continue
        try:
            if line.startswith('{"picture"'):
                coming.add(_keep_picture(line, spool))
                continue
            if line.startswith('{"film"') and records:
                videos.append(_keep_video(line, spool))
                continue
            record = _record(line)
        except (LogError, ValueError, KeyError, TypeError) as error:
            reason = excerpt(str(error).rstrip("."), 300) or "is no record"
            raise BadFile(source, reason, number) from error
        if records and record.episode != records[0].episode:
            yield records, videos
            spool.clear(keep=coming)
            records, videos = [], []
        if records and record.number <= records[-1].number:
            raise BadFile(source, f"record {record.number} of episode {record.episode} comes twice", number)
        records.append(record)
        coming.clear()
    if records:
        yield records, videos


def _lines(source: Path, file: TextIO) -> Iterator[str]:
    """Yield lines of limited length, since a file without line breaks is not an export."""
    number = 0
    while line := file.readline(MAX_LINE_CHARS + 1):
        number += 1
        if len(line) > MAX_LINE_CHARS:
            raise BadFile(source, f"is longer than {MAX_LINE_CHARS // 2**20} million characters", number)
        yield line


def _record(line: str) -> Record:
    record = read_record(line)
    check_header(record.number, record.wall, record.monotonic)
    shown = record.event.frame.id if isinstance(record.event, FrameCaptured) else ""
    if shown and not is_digest(shown):
        raise LogError(f"a picture cannot be named {excerpt(shown)!r}")
    return replace(record, episode=episode_id(record.episode))


def _keep_picture(line: str, spool: Spool) -> str:
    form = parse_json(line)
    png = base64.b64decode(form["png"], validate=True)
    if picture_id(png) != form["picture"]:
        raise ValueError(f"picture {excerpt(form['picture'], 12)} is not as it was exported")
    spool.add(form["picture"], png)
    return str(form["picture"])


def _keep_video(line: str, spool: Spool) -> Segment:
    form = parse_json(line)
    mp4 = base64.b64decode(form.pop("mp4"), validate=True)
    if hashlib.sha256(mp4).hexdigest() != form["film"]:
        raise ValueError("a video is not as it was exported")
    columns = form["camera"], form["started"], form["ended"], form["film"], len(mp4), form["dropped"]
    segment = validated(parse_row(Segment, columns))
    spool.add(segment.hash, mp4)
    return segment


class Spool:
    """Files of a temporary folder, by their SHA-256, which the caller has checked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def add(self, digest: str, data: bytes) -> None:
        (self._folder / digest).write_bytes(data)

    def get(self, digest: str) -> bytes | None:
        """Return the data, or None if there are none with this digest."""
        try:
            return (self._folder / digest).read_bytes() if digest else None
        except FileNotFoundError:
            return None

    def clear(self, keep: Collection[str] = ()) -> None:
        for file in self._folder.iterdir():
            if file.name not in keep:
                file.unlink()


@contextmanager
def temporary_spool(database: Path) -> Iterator[Spool]:
    """Yield a spool beside the log, which is deleted afterwards."""
    with TemporaryDirectory(prefix=f".{database.name}-import-", dir=database.parent) as folder:
        yield Spool(Path(folder))
