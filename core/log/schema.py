"""The log's tables and views, and the migrations from each version to the next.

A change to the schema is a new function at the end of this file, never a change to an old one.
"""

from __future__ import annotations

import sqlite3
from importlib import resources
from pathlib import Path

from sqlite_utils import Database, Migrations

from core.errors import LogError
from core.install_paths import COMMAND
from core.log import sidecar
from core.log.database import use_wal
from core.log.integrity.schema_check import OlderLog, refuse_foreign, refuse_foreign_steps
from core.log.integrity.validation import excerpt

MIGRATIONS = Migrations("episode log")


@MIGRATIONS()
def first_tables(db: Database) -> None:
    _run(db, "tables.sql")


@MIGRATIONS()
def first_views(db: Database) -> None:
    _run(db, "views.sql")


@MIGRATIONS()
def search_and_shelf(db: Database) -> None:
    _run(db, "shelf.sql")


@MIGRATIONS()
def reviewers_labels(db: Database) -> None:
    _run(db, "labels.sql")


@MIGRATIONS()
def answers_and_truth(db: Database) -> None:
    """Add tables for answers and truth; older versions cannot read the new records of kind Revealed."""
    _run(db, "answers.sql")


@MIGRATIONS()
def truth_is_not_said(db: Database) -> None:
    _run(db, "sayings.sql")


@MIGRATIONS()
def live_video(db: Database) -> None:
    _run(db, "segments.sql")


@MIGRATIONS()
def record_chain(db: Database) -> None:
    _run(db, "chain.sql")


@MIGRATIONS()
def reasons(db: Database) -> None:
    _run(db, "reasons.sql")


@MIGRATIONS()
def costs_of_methods(db: Database) -> None:
    _run(db, "costs.sql")


@MIGRATIONS()
def learnt_knowledge(db: Database) -> None:
    """Add views of what was learnt; older versions cannot read the new records of kind SituationNoticed."""
    _run(db, "knowledge.sql")


def migrate(connection: sqlite3.Connection, path: Path, steps: Migrations = MIGRATIONS) -> None:
    """Migrate the file to this version, all or nothing, and make it private to its owner.

    Raises LogError for another program's database and for a newer version's; both stay unchanged.
    """
    db = Database(connection, recursive_triggers=False, execute_plugins=False)
    todo = pending(db, path, steps)
    use_wal(connection)
    sidecar.make_private(path)
    if not todo:
        return
    connection.execute("begin immediate")
    try:
        if pending(db, path, steps):  # no other process was first
            steps.apply(db)
        connection.execute("commit")
    except BaseException:
        if connection.in_transaction:
            connection.execute("rollback")
        raise


def pending(db: Database, path: Path, steps: Migrations = MIGRATIONS) -> list[str]:
    """Return the migrations that the file still lacks.

    Raises LogError for a file that is not this program's log, or is a newer version's, or has anything in its
    schema that this program did not put there.
    """
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
            f"{path}` brings it up, and keeps all of it."
        )


def _run(db: Database, file: str) -> None:
    """Run a file statement by statement, because `executescript` would commit the open transaction."""
    statement = ""
    text = resources.files(__package__).joinpath("sql", file).read_text("utf-8")
    for line in text.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            db.execute(statement)
            statement = ""
