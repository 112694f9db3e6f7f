"""Close episodes whose writer died as INTERRUPTED; those of a live writer are left alone."""

from __future__ import annotations

import sqlite3
from datetime import UTC, datetime
from pathlib import Path

from core.events import EpisodeEnded, EpisodeResult, Record
from core.log import lease
from core.log.codec import write_event
from core.log.database import transaction
from core.log.integrity.validation import check_header
from core.log.picture_store import PictureStore
from core.log.rows import add_record, last_chain_link, summarise
from core.log.video import segments
from core.text.plural import plural

REPAIRED = "Episode {} was interrupted when the program ended; everything logged so far is kept."


def repair(db: sqlite3.Connection, database: Path, now: float) -> tuple[str, ...]:
    """Append EpisodeEnded(INTERRUPTED) where it is missing and return the episodes' ids. `now` is Unix time.

    The record has the time of the last one before it, so that the episode's duration stays correct.
    """
    if not _orphans(db, database):
        _sweep(db, database)
        return ()
    with transaction(db):
        repaired = [_close(db, database, nr, id, now) for nr, id in _orphans(db, database)]
    _sweep(db, database)
    return tuple(repaired)


def _sweep(db: sqlite3.Connection, database: Path) -> None:
    segments.remove_stale(db, database)
    lease.remove_stale(database)


def _orphans(db: sqlite3.Connection, database: Path) -> list[tuple[int, str]]:
    rows = db.execute("select nr, id, writer from episode where ended is null").fetchall()
    dead = {w for w in {writer for _, _, writer in rows} if not lease.is_alive(database, w)}
    return [(nr, id) for nr, id, writer in rows if writer in dead]


def _close(db: sqlite3.Connection, database: Path, nr: int, id: str, now: float) -> str:
    number, wall, monotonic = db.execute(
        "select number, wall, monotonic from record where episode = ? order by number desc limit 1", (nr,)
    ).fetchone() or (0, max(0.0, now), 0.0)
    check_header(number + 1 if type(number) is int else number, wall, monotonic)
    seen = f"{datetime.fromtimestamp(now, UTC):%Y-%m-%d %H:%M:%S}"
    reason = f"The program ended in the middle of it; found at {seen} UTC."
    if (lost := lease.noted(database).get(id, ("", 0))[1] - number) > 0:
        reason += f" Lost at its end: {plural(lost, 'record')}."
    event = EpisodeEnded(EpisodeResult.INTERRUPTED, reason)
    record = Record(id, number + 1, wall, monotonic, event)
    add_record(db, PictureStore(db, database), nr, record, write_event(event), last_chain_link(db, nr, id))
    summarise(db, nr)
    return id
