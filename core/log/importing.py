"""Add whole episodes to a log that were recorded elsewhere, by an import or a salvage."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.errors import LogError
from core.events import EpisodeStarted, FrameCaptured, Record
from core.log.codec import write_event
from core.log.database import transaction
from core.log.integrity.validation import IMPORT_WRITER, check_header, episode_id
from core.log.picture_store import PictureStore
from core.log.rows import add_episode, add_record, chain_start, summarise
from core.log.store import Store
from core.log.video import segments

Videos = Sequence[segments.Segment]
Find = Callable[[str], bytes | None]  # a picture or a video by its SHA-256


def import_episode(store: Store, records: Sequence[Record], find: Find, videos: Videos = ()) -> bool:
    """Add one episode: all its records in order, including EpisodeStarted. Return False if it already exists.

    Uses its own transaction. Raises LogError if the log has a different episode with this id.
    """
    id = episode_id(records[0].episode)
    for record in records:
        check_header(record.number, record.wall, record.monotonic)
    known = store.db.execute("select nr from episode where id = ?", (id,)).fetchone()
    if known:
        if list(store.records(id)) == list(records):
            return False
        raise LogError(f"The log has another episode {id}: delete that one, or choose another --database.")
    with transaction(store.db):
        _put(store, records, find, videos)
    return True


def _put(store: Store, records: Sequence[Record], find: Find, videos: Videos) -> None:
    pictures = PictureStore(store.db, store.path)
    started = next((r for r in records if isinstance(r.event, EpisodeStarted)), None)
    first = started or records[0]
    event = (
        first.event if isinstance(first.event, EpisodeStarted) else EpisodeStarted("(lost)", "", (), (), ())
    )
    nr = add_episode(store.db, first, event, IMPORT_WRITER)
    chain: bytes | None = chain_start(first.episode)
    for record in records:
        if isinstance(record.event, FrameCaptured) and (png := find(record.event.frame.id)):
            pictures.add(record.event.frame.id, png)
        chain = add_record(store.db, pictures, nr, record, write_event(record.event), chain)
    for segment in videos:
        if mp4 := find(segment.hash):
            segments.write_video(store.path, segment.hash, mp4)
            segments.insert(store.db, nr, segment)
    summarise(store.db, nr)
    pictures.sync()
