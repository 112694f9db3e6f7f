"""Write the rows of a record. Everything runs within the caller's transaction and thread."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from hashlib import sha256
from secrets import token_hex
from typing import Any
from zlib import crc32

from core.errors import LogError
from core.events import EpisodeStarted, FrameCaptured, Record
from core.log.codec import read_event, write_event
from core.log.integrity.validation import MAX_VALUE_BYTES
from core.log.picture_store import PictureStore


def new_episode_id(wall: float) -> str:
    """Return a readable id, sorted by time unless the clock is changed, and always unique."""
    return f"{datetime.fromtimestamp(wall, UTC):%Y%m%d-%H%M%S}-{token_hex(4)}"


def add_episode(db: sqlite3.Connection, record: Record, event: EpisodeStarted, writer: str) -> int:
    """Add the row of an episode that `writer` begins, and return its `nr`."""
    settings = json.dumps(dict(event.settings), ensure_ascii=False)
    values = (record.episode, event.recorded_as, writer, record.wall, event.task, event.domain, settings)
    columns = "id, recorded_as, writer, began, task, domain, settings"
    row = db.execute(f"insert into episode({columns}) values (?, ?, ?, ?, ?, ?, ?)", values)
    assert row.lastrowid is not None
    return row.lastrowid


def add_record(
    db: sqlite3.Connection,
    pictures: PictureStore,
    nr: int | None,
    record: Record,
    body: str,
    before: bytes | None,
) -> bytes | None:
    """Add a record and return its chain link.

    `before` is the link of the episode's previous record (`chain_start` for the first); None if the episode
    has no chain.
    """
    event, picture = record.event, None
    if isinstance(event, FrameCaptured) and event.frame.id:
        picture = event.frame.id
        if event.frame.png:
            pictures.add(picture, event.frame.png)
    kind = type(event).__name__
    columns = "episode, number, wall, monotonic, kind, body, crc, picture, chain"
    text = record_bytes(record.number, record.wall, record.monotonic, kind, body)
    chain = chain_link(before, text) if before is not None else None
    values = (nr, record.number, record.wall, record.monotonic, kind, body, crc32(text), picture, chain)
    db.execute(f"insert into record({columns}) values (?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
    return chain


def rename_records(db: sqlite3.Connection) -> None:
    """Give the records of older versions today's names, and keep what they wrote beside it.

    What is damaged or cannot be read stays as it is, for `verify` to tell.
    """
    rows = db.execute(
        "select id, number, wall, monotonic, cast(ifnull(kind, '') as blob), cast(ifnull(body, '') as blob), "
        "crc from record"
    )
    db.executemany(
        "update record set kind = ?, body = ?, written = ? where id = ?",
        ((*new, id) for id, *columns in rows if (new := _renamed(*columns))),
    )


def _renamed(
    number: Any, wall: Any, monotonic: Any, kind: bytes, body: bytes, crc: object
) -> tuple[str, str, str] | None:
    """Return kind, body and what was written in their place; None if they stay."""
    try:
        old = kind.decode(), body.decode()
        if checksum(number, wall, monotonic, *old) != crc:
            return None
        event = read_event(*old)
    except (UnicodeDecodeError, LogError):
        return None
    new = type(event).__name__, write_event(event)
    fits = 3 * len(body) < MAX_VALUE_BYTES  # twice in a row
    return (*new, "|".join(old)) if new != old and fits else None


def as_written(
    number: Any, wall: Any, monotonic: Any, kind: Any, body: Any, written: Any
) -> tuple[Any, Any, Any, Any, Any]:
    """Return a record's columns as they were written, which its checksum and its chain link are of."""
    if isinstance(written, str):
        kind, _, body = written.partition("|")
    return number, wall, monotonic, kind, body


def checksum(number: int, wall: float, monotonic: float, kind: str, body: str) -> int:
    """Return the checksum of a record as stored in its table."""
    return crc32(record_bytes(number, wall, monotonic, kind, body))


def record_bytes(number: int, wall: float, monotonic: float, kind: str, body: str) -> bytes:
    """Return the bytes of a record from which its checksum and chain link are computed."""
    return f"{number}|{wall!r}|{monotonic!r}|{kind}|{body}".encode()


def chain_start(episode: str) -> bytes:
    """Return what the chain of an episode's first record starts from."""
    return episode.encode()


def chain_link(before: bytes, text: bytes) -> bytes:
    """Return the chain link of a record, which covers everything written in its episode up to it."""
    return sha256(before + text).digest()


def last_chain_link(db: sqlite3.Connection, nr: int, episode: str) -> bytes | None:
    """Return the link for this episode's next record; None if an older version began the episode."""
    row = db.execute(
        "select chain from record where episode = ? order by number desc limit 1", (nr,)
    ).fetchone()
    return chain_start(episode) if row is None else row[0]


def summarise(db: sqlite3.Connection, nr: int) -> None:
    """Store what follows from an ended episode's records in its row, index its words, and store its answers.

    The counts are those that the episode's state on screen has.
    """
    for sql in _SUMMARISE:
        db.execute(sql, {"nr": nr})


FROM_END = ("ended", "result", "reason", "believed_goal", "true_goal")
COUNTS = (
    *("turns", "steps", "failures", "replans", "calls", "questions", "overrides", "contradictions"),
    *("stops", "seconds", "cost"),
)
_COLUMNS = ", ".join((*FROM_END, *COUNTS))
_SUMMARISE = (
    f"update episode set ({_COLUMNS}) = (select {_COLUMNS} from counting where nr = :nr) where nr = :nr",
    "insert into word(rowid, text) select id, text from sayings "
    "where episode = :nr and id > (select indexed from episode where nr = :nr)",
    "insert or replace into answer select * from answering where episode = :nr",
    "update episode set (indexed, seal) = (select max(id) over (), chain from record "
    "where episode = :nr order by number desc limit 1) where nr = :nr",
)
