"""A log as an older version of this program wrote it."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from sqlite_utils import Database, Migrations

from core.log import schema
from core.log.rows import checksum

TABLES = ("episode", "picture", "record", "tag", "note", "label", "segment", "answer")


def older(path: Path, to: Path, before: str) -> Path:
    """Copy a log into one of the version that lacked this step of the schema and all later ones."""
    db = sqlite3.connect(to, isolation_level=None)
    steps = Migrations("episode log")
    for step in schema.MIGRATIONS._migrations:
        if step.name == before:
            break
        steps(name=step.name)(step.fn)
    steps.apply(Database(db))
    db.execute("attach ? as new", (str(path),))
    there = {name for (name,) in db.execute("select name from main.sqlite_master where type = 'table'")}
    for table in TABLES:
        if table in there:
            columns = ", ".join(row[1] for row in db.execute(f"pragma main.table_info({table})"))
            db.execute(f"insert or ignore into main.{table}({columns}) select {columns} from new.{table}")
    if "chain" not in {row[1] for row in db.execute("pragma main.table_info(record)")}:
        _unsay_chain(db)
    db.close()
    return to


def _unsay_chain(db: sqlite3.Connection) -> None:
    """Let the episodes begin as they did before there was a chain, with their checksums right."""
    (trigger,) = db.execute("select sql from sqlite_master where name = 'record_is_never_changed'").fetchone()
    db.execute("drop trigger record_is_never_changed")
    rows = db.execute("select id, number, wall, monotonic, kind, body from record where kind = 'Started'")
    for id, *header, body in rows.fetchall():
        body = body.replace(',"chained":true', "")
        db.execute("update record set body = ?, crc = ? where id = ?", (body, checksum(*header, body), id))
    db.execute(trigger)
