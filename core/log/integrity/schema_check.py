"""Check that a log's tables, views and triggers are this program's own: foreign ones could run code on it.

The expected schema is created in memory, by the same migrations that the file claims to have had.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path

from sqlite_utils import Database, Migrations

from core.errors import LogError
from core.log.integrity.validation import excerpt


class OlderLog(LogError):
    """A log of an older version, which must be migrated before it can be read."""


MIGRATIONS_TABLE = "_sqlite_migrations"
VIEWS_MADE = "answers_of_corrections"  # the step since which a log's views are of this version
Name = tuple[str, str]  # kind and name, as in sqlite_master
Step = Callable[[Database], None]
# FTS5 keeps its index in these: only their names are compared, since SQLite defines their columns.
FTS_SHADOW_TABLES = tuple(f"word_{part}" for part in ("data", "idx", "content", "docsize", "config"))
_TOLERATED = re.compile(r"sqlite_(stat[0-9]|sequence|autoindex_.*)")  # SQLite's own


def refuse_foreign(db: sqlite3.Connection, path: Path, steps: Migrations, applied: Sequence[str]) -> None:
    """Raise LogError for anything in the schema that these migrations do not create.

    The views of an older log are not compared: nothing reads them, and the migration drops them.
    """
    done = [s for s in steps._migrations if s.name in applied]
    wanted, older = _wanted(tuple((str(s.name), s.fn) for s in done)), VIEWS_MADE not in applied
    for (kind, name), sql in _schema(db).items():
        if _TOLERATED.fullmatch(name) or (kind == "view" and older and name != MIGRATIONS_TABLE):
            continue
        of_search = name in FTS_SHADOW_TABLES and ("table", "word") in wanted
        if kind == "table" and not _is_virtual(sql) and (of_search or name == MIGRATIONS_TABLE):
            continue
        ours = wanted.get((kind, name))
        if ours is None or not (sql == ours or _normalised_sql(sql) == _normalised_sql(ours)):
            raise _foreign(path, kind, name, ours is not None)


def refuse_foreign_steps(db: sqlite3.Connection, path: Path) -> None:
    """Raise LogError if the list of migrations, which is read first, is anything but a plain table."""
    for (kind, name), sql in _schema(db).items():
        if name == MIGRATIONS_TABLE:
            columns = {row[1] for row in db.execute(f"pragma table_info({MIGRATIONS_TABLE})")}
            if kind != "table" or _is_virtual(sql) or not {"migration_set", "name", "applied_at"} <= columns:
                raise _foreign(path, kind, name, True)


def missing(db: sqlite3.Connection, steps: Migrations) -> tuple[Name, ...]:
    """Return what this version's log should have but this one lacks."""
    wanted = _wanted(tuple((str(s.name), s.fn) for s in steps._migrations))
    return tuple(name for name in wanted if name not in _schema(db))


def _schema(db: sqlite3.Connection) -> Mapping[Name, str]:
    rows = db.execute("select type, name, sql from sqlite_master").fetchall()
    return {(str(kind), str(name)): str(sql or "") for kind, name, sql in rows}


@cache
def _wanted(steps: tuple[tuple[str, Step], ...]) -> Mapping[Name, str]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    tables = Database(db, recursive_triggers=False, execute_plugins=False)
    made = Migrations("made anew")
    for name, step in steps:
        made(name=name)(step)
    made.apply(tables)
    found = dict(_schema(db))
    db.close()
    return found


def _is_virtual(sql: str) -> bool:
    return not re.match(r"\s*create\s+table\b", sql, re.IGNORECASE)


_QUOTED = r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]]*\]"""
_TOKEN = re.compile(rf"({_QUOTED})|--[^\n]*|/\*.*?\*/|\s+", re.DOTALL)


def _normalised_sql(sql: str) -> str:
    """Return the SQL without comments and repeated spaces, which may differ between versions."""
    return " ".join(_TOKEN.sub(lambda found: found[1] or " ", sql).split())


def _foreign(path: Path, kind: str, name: str, ours: bool) -> LogError:
    what = "is not as this program makes it" if ours else "this program did not make"
    which = f"the {kind} {excerpt(name)!r} {'that ' if ours else 'which '}{what}"
    return LogError(
        f"The episode log {path} has {which}, and is not used: `episodes verify --salvage FILE` takes its "
        "records out without that."
    )
