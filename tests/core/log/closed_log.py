"""A closed log: what it holds, and how somebody with `sqlite3` changes it."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from core.events import Record
from core.log.rows import checksum
from core.log.store import Store

LOGS = Path(__file__).parents[2] / "fixtures" / "logs"


def old_log(folder: Path, version: str) -> Path:
    """Return a copy of a log as the program of that day wrote it."""
    return Path(shutil.copy(LOGS / f"{version}.sqlite", folder / "old.db"))


@contextmanager
def without_triggers(path: Path) -> Iterator[sqlite3.Connection]:
    """Edit a log whose triggers are away meanwhile, and back as they were afterwards."""
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        triggers = db.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
        for name, _ in triggers:
            db.execute(f'drop trigger "{name}"')
        yield db
        for _, sql in triggers:
            db.execute(sql)


def edit(path: Path, sql: str, *values: object) -> None:
    with without_triggers(path) as db:
        db.execute(sql, values)


def edit_body(path: Path, kind: str, old: str, new: str) -> None:
    """Replace text in every record of that kind, with its checksum right."""
    with without_triggers(path) as db:
        rows = db.execute("select id, number, wall, monotonic, body from record where kind = ?", (kind,))
        for id, number, wall, monotonic, body in rows.fetchall():
            body = body.replace(old, new)
            crc = checksum(number, wall, monotonic, kind, body)
            db.execute("update record set body = ?, crc = ? where id = ?", (body, crc, id))


def only(store: Store) -> str:
    """Return the identifier of the only episode."""
    (summary,) = store.episodes()
    return summary.episode


def read(path: Path) -> dict[str, list[Record]]:
    """Return the records of each episode."""
    with Store.open(path) as store:
        return {e.episode: list(store.records(e.episode)) for e in store.episodes(limit=10_000)}
