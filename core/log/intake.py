"""Putting whole episodes into a log that were recorded elsewhere: by an import or a salvage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.errors import LogError
from core.events import Ended, Observed, Record, Started
from core.log import segments
from core.log.album import Album
from core.log.codec import write_event
from core.log.rows import add_episode, add_record, end_episode, summarise
from core.log.store import Store

Films = Sequence[tuple[segments.Segment, bytes]]
WRITER = "intake"  # nobody holds a lease of that name: what has no end is repaired at the next start


def take_in(
    store: Store, records: Sequence[Record], pictures: Mapping[str, bytes], films: Films = ()
) -> bool:
    """One episode, all its records in order, Started among them. False: it is there already, just so.

    Within a transaction of its own. Raises LogError when the log has another episode of that name.
    """
    id = records[0].episode
    known = store.db.execute("select nr from episode where id = ?", (id,)).fetchone()
    if known:
        if list(store.records(id)) == list(records):
            return False
        raise LogError(f"The log has another episode {id}: delete that one, or choose another --database.")
    store.db.execute("begin immediate")
    try:
        _put(store, records, pictures, films)
        store.db.execute("commit")
    except BaseException:
        if store.db.in_transaction:
            store.db.execute("rollback")
        raise
    return True


def _put(store: Store, records: Sequence[Record], pictures: Mapping[str, bytes], films: Films) -> None:
    album = Album(store.db, store.path)
    started = next((r for r in records if isinstance(r.event, Started)), None)
    first = started or records[0]
    event = first.event if isinstance(first.event, Started) else Started("(lost)", "", (), (), ())
    nr = add_episode(store.db, first, event, WRITER)
    for record in records:
        if isinstance(record.event, Observed) and (png := pictures.get(record.event.frame.id)):
            album.keep(record.event.frame.id, png)
        add_record(store.db, album, nr, record, write_event(record.event))
        if isinstance(record.event, Ended):
            end_episode(store.db, nr, record, record.event)
    for segment, mp4 in films:
        segments.put(store.path, segment.hash, mp4)
        segments.insert(store.db, nr, segment)
    summarise(store.db, nr)
    album.sync()
