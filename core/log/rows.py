"""The rows that a record becomes. Everything runs within the caller's transaction and thread."""

from __future__ import annotations

import json
import sqlite3
from datetime import UTC, datetime
from secrets import token_hex
from zlib import crc32

from core.events import Ended, Observed, Record, Started
from core.log.album import Album


def new_episode_id(wall: float) -> str:
    """Readable, sorted by time while the clock does not jump, unique in any case."""
    return f"{datetime.fromtimestamp(wall, UTC):%Y%m%d-%H%M%S}-{token_hex(4)}"


def add_episode(db: sqlite3.Connection, record: Record, event: Started, writer: str) -> int:
    """The row of an episode that `writer` begins; returns its `nr`."""
    settings = json.dumps(dict(event.settings), ensure_ascii=False)
    values = (record.episode, writer, record.wall, event.task, event.domain, settings)
    row = db.execute(
        "insert into episode(id, writer, began, task, domain, settings) values (?, ?, ?, ?, ?, ?)", values
    )
    assert row.lastrowid is not None
    return row.lastrowid


def add_record(db: sqlite3.Connection, album: Album, nr: int | None, record: Record, body: str) -> None:
    event, picture = record.event, None
    if isinstance(event, Observed) and event.frame.id:
        picture = event.frame.id
        if event.frame.png:
            album.keep(picture, event.frame.png)
    kind = type(event).__name__
    columns = "episode, number, wall, monotonic, kind, body, crc, picture"
    crc = checksum(record.number, record.wall, record.monotonic, kind, body)
    values = (nr, record.number, record.wall, record.monotonic, kind, body, crc, picture)
    db.execute(f"insert into record({columns}) values (?, ?, ?, ?, ?, ?, ?, ?)", values)


def checksum(number: int, wall: float, monotonic: float, kind: str, body: str) -> int:
    """Of a record as it stands in its table."""
    return crc32(f"{number}|{wall!r}|{monotonic!r}|{kind}|{body}".encode())


def end_episode(db: sqlite3.Connection, nr: int, record: Record, event: Ended) -> None:
    values = (record.wall, event.result.value, event.why, event.believed_goal, event.true_goal, nr)
    db.execute(
        "update episode set ended = ?, result = ?, why = ?, believed_goal = ?, true_goal = ? where nr = ?",
        values,
    )


def summarise(db: sqlite3.Connection, nr: int) -> None:
    """Count an ended episode's records into its row, as the story on the screen counts them, make their
    words searchable, and its answers countable."""
    db.execute(_SUMMARY, {"nr": nr})
    db.execute(_WORDS, {"nr": nr})
    db.execute(_INDEXED, {"nr": nr})
    db.execute(_ANSWERS, {"nr": nr})


_ANSWERS = """
insert or replace into answer select * from answering where episode = :nr
"""
_WORDS = """
insert into word(rowid, text) select id, text from sayings
where episode = :nr and id > (select indexed from episode where nr = :nr)
"""
_INDEXED = "update episode set indexed = (select max(id) from record where episode = :nr) where nr = :nr"


_SUMMARY = """
with r as materialized (select number, monotonic, kind, body from record where episode = :nr),
answer as (
    select r.number, a.value -> '$.atom' as atom, a.value ->> '$.verdict' as verdict
    from r, json_each(r.body, '$.call.answers') a where kind = 'Answered'),
reviewed as (
    select a.value -> '$.atom' as atom, a.value ->> '$.verdict' as verdict,
        (select max(number) from r as older where kind = 'Answered' and older.number < r.number) as number
    from r, json_each(r.body, '$.answers') a where kind = 'Reviewed')
update episode set
    turns = ifnull((select max(body ->> '$.turn') from r where kind = 'Observed'), 0),
    steps = (select count(*) from r where kind = 'Acted'),
    failures = (select count(*) from r where kind = 'Acted' and body ->> '$.outcome.ending' = 'failed'),
    replans = max(0, (select count(*) from r where kind = 'Planned' and body ->> '$.accepted') - 1),
    calls = (select count(*) from r where kind = 'Answered'),
    questions = ifnull((select sum(json_array_length(body, '$.queries')) from r where kind = 'Asked'), 0),
    overrides = (select count(*) from reviewed join answer using (number, atom)
                 where answer.verdict <> reviewed.verdict)
        + ifnull((select sum(json_array_length(body, '$.decision.answers')) from r
                  where kind = 'Decided' and body ->> '$.decision.kind' = 'Correct'), 0),
    contradictions = ifnull((select sum(json_array_length(body, '$.contradictions')) from r
                             where kind = 'Believed'), 0),
    stops = (select count(*) from r where kind = 'StopRequested'),
    seconds = (select max(monotonic) - min(monotonic) from r),
    cost = (select sum(body ->> '$.call.cost') from r where kind = 'Answered')
where nr = :nr
"""
