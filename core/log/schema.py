"""The log's tables and views, and the migrations from each version to the next.

A change to the schema is a new step at the end, never a change to an old one. Views exist once, as they are
now: a step that changes them drops all and makes them anew.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path

from sqlite_utils import Database, Migrations

from core.errors import LogError
from core.install_paths import COMMAND, version
from core.log import sidecar
from core.log.database import transaction, use_wal
from core.log.integrity.schema_check import OlderLog, refuse_foreign, refuse_foreign_steps
from core.log.integrity.validation import excerpt
from core.log.rows import rename_records

MIGRATIONS = Migrations("episode log")


UPGRADED = (
    "This log was upgraded to version {}, which older programs cannot read. {} is the log as it was: keep it "
    "to go back (move this log away, and give the copy its name), or remove it."
)

STEPS = (  # of the schema: its name, and the SQL in `sql/` that makes it
    ("first_tables", "tables"),
    ("first_views", ""),  # the views of older versions are dropped unread by `_drop_views`
    ("search_and_shelf", "shelf"),
    ("reviewers_labels", "labels"),
    ("answers_and_truth", "answers"),
    ("truth_is_not_said", ""),
    ("live_video", "segments"),
    ("record_chain", "chain"),
    ("reasons", ""),
    ("costs_of_methods", ""),
    ("learnt_knowledge", ""),
)


for name, file in STEPS:
    MIGRATIONS(name=name)(lambda db, file=file: _run(db, file) if file else None)


@MIGRATIONS()
def names_of_the_code(db: Database) -> None:
    """Give every record the names of the code. Older versions cannot read the new ones."""
    _drop_views(db)
    _run(db, "names")
    rename_records(db.conn)
    _run(db, "views")
    _run(db, "renamed")


@MIGRATIONS()
def answers_of_corrections(db: Database) -> None:
    """Name the model's answer that a correction is about, and count a reviewer as one who looked."""
    _drop_views(db)
    _run(db, "views")


@MIGRATIONS()
def taken_back_and_household(db: Database) -> None:
    """Leave out what a person took back, and give the household its own name in place of a simulator's."""
    _drop_views(db)
    _run(db, "views")
    db.execute("update episode set domain = 'household' where domain = 'omnigibson'")


def _drop_views(db: Database) -> None:
    for view in db.view_names():
        db.execute(f'drop view "{view.replace(chr(34), chr(34) * 2)}"')


def migrate(connection: sqlite3.Connection, path: Path, steps: Migrations = MIGRATIONS) -> tuple[str, ...]:
    """Migrate the file to this version, all or nothing, and make it private to its owner. Keep a copy of a
    log of an older version beside it, and return a sentence about it.

    Raises LogError for another program's database and for a newer version's; both stay unchanged.
    """
    db = Database(connection, recursive_triggers=False, execute_plugins=False)
    todo = pending(db, path, steps)
    use_wal(connection)
    sidecar.make_private(path)
    if not todo:
        return ()
    with transaction(connection):
        if not pending(db, path, steps):  # another process was first
            return ()
        copy = sidecar.keep_copy(path) if db.table_names() else None
        try:
            steps.apply(db)
        except BaseException:
            if copy:
                copy.unlink()
            raise
    return (UPGRADED.format(version(), copy),) if copy else ()


def pending(db: Database, path: Path, steps: Migrations = MIGRATIONS) -> list[str]:
    """Return the migrations that the file still lacks.

    Raises LogError for a file that is not this program's log, or is a newer version's, or has anything in its
    schema that this program did not put there.
    """
    with _one_moment(db.conn):
        return _pending(db, path, steps)


@contextmanager
def _one_moment(connection: sqlite3.Connection) -> Iterator[None]:
    """See the file as it is at one moment, since another program may be making it."""
    if connection.in_transaction:
        yield
        return
    connection.execute("begin")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("rollback")


def _pending(db: Database, path: Path, steps: Migrations) -> list[str]:
    refuse_foreign_steps(db.conn, path)
    applied = [str(step.name) for step in steps.applied(db)]
    if not applied and db.table_names():
        raise LogError(f"{path} is the database of another program: choose another file with --database.")
    known = [step.name for step in steps._migrations]
    unknown = [name for name in applied if name not in known]
    if unknown:
        raise LogError(
            f"The episode log {path} is from a newer version of this program "
            f"(it has {excerpt(unknown[0])!r}): "
            "update the program, or choose another log with --database."
        )
    refuse_foreign(db.conn, path, steps, applied)
    return [name for name in known if name not in applied]


def check_version(connection: sqlite3.Connection, path: Path) -> None:
    """Check the version without writing. Raises LogError if this version cannot read the file as it is."""
    db = Database(connection, recursive_triggers=False, execute_plugins=False)
    if pending(db, path):
        raise OlderLog(
            f"The episode log {path} is from an older version: `{COMMAND} episodes verify --database "
            f"{path}` brings it up, and keeps a copy of it as it is."
        )


def _run(db: Database, file: str) -> None:
    """Run a file statement by statement, because `executescript` would commit the open transaction."""
    statement = ""
    text = resources.files(__package__).joinpath("sql", f"{file}.sql").read_text("utf-8")
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            db.execute(statement)
            statement = ""
