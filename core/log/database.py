"""Open the log's SQLite file, or say in one sentence why that is impossible."""

from __future__ import annotations

import errno
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile

from core.errors import LogError
from core.install_paths import COMMAND, data_folder
from core.log import sidecar
from core.log.integrity.validation import MAX_VALUE_BYTES, excerpt

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]

BUSY_SECONDS = 5.0  # how long another program may lock the log

DAMAGE_ERRORS = (sqlite3.Error, UnicodeDecodeError)  # the latter: SQLite's own message has invalid bytes

Connect = Callable[[Path], sqlite3.Connection]
"""Opens a database for writing; tests and benchmarks replace it to simulate a slow or full disk."""


def default_path() -> Path:
    """Return `episodes.db` in the user's data folder, creating the folder if necessary."""
    folder = data_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if folder.stat().st_mode & 0o077 and os.access(folder, os.W_OK):
            with suppress(PermissionError):  # it belongs to somebody else
                folder.chmod(0o700)
        return folder / "episodes.db"
    except OSError as error:
        reason = f"The folder for the episode log cannot be made ({error.strerror})"
        raise LogError(f"{reason}: choose another place with --database.") from None


def connect(path: Path, factory: type[sqlite3.Connection] = sqlite3.Connection) -> sqlite3.Connection:
    """Open for writing, without writing anything yet: check that the file is ours before `use_wal`.

    A new file is accessible to its owner only.
    """
    refuse_foreign_journals(path)
    if path.parent.is_dir() and not path.exists():
        with suppress(OSError):  # SQLite's own error is clearer
            os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    return restrict(
        sqlite3.connect(
            path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False, factory=factory
        )
    )


def restrict(db: sqlite3.Connection) -> sqlite3.Connection:
    """Restrict what a file that somebody else may have made can do.

    No value may be larger than any of ours, and its schema may call nothing with outside effects. (Before
    3.41, SQLite counts JSON among that, which our own schema uses: there only `schema_check` rejects foreign
    schemas.)
    """
    if _json_is_innocuous():
        db.execute("pragma trusted_schema=off")
    db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)
    return db


@cache
def _json_is_innocuous() -> bool:
    db = sqlite3.connect(":memory:")
    db.execute("create view v as select json('[]')")
    db.execute("pragma trusted_schema=off")
    try:
        db.execute("select * from v")
    except sqlite3.OperationalError:
        return False
    finally:
        db.close()
    return True


_JOURNAL_OF_MANY = bytes.fromhex("d9d505f920a163d7")


def refuse_foreign_journals(path: Path) -> None:
    """Raise LogError if a journal of the file is a link or names another file.

    SQLite follows a link where a journal should be and writes to its target, and a rollback journal can name
    another file, which SQLite removes. Our own journals do neither.
    """
    for part in ("-journal", "-wal", "-shm"):
        journal = Path(os.path.realpath(path) + part)
        if not os.path.lexists(journal) or (
            sidecar.is_plain(journal) and not _names_other_journals(journal, part)
        ):
            continue
        raise LogError(
            f"The file {journal} is not one that this program writes beside a database: remove it, or choose "
            "another database."
        )


def _names_other_journals(journal: Path, part: str) -> bool:
    with journal.open("rb") as file:
        if part != "-journal" or file.seek(0, os.SEEK_END) < 8:
            return False
        file.seek(-8, os.SEEK_END)
        return file.read() == _JOURNAL_OF_MANY


def use_wal(db: sqlite3.Connection) -> None:
    """Enable write-ahead logging: readers and the writer never block each other.

    A commit survives a killed process without fsync. SQLite does not wait by itself if several programs do
    this at once.
    """
    give_up = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            db.execute("pragma journal_mode=wal")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > give_up:
                raise
            time.sleep(0.01)


def connect_read_only(path: Path) -> sqlite3.Connection:
    """Open for reading; this works for a log on a read-only medium as well."""
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a folder")
    refuse_foreign_journals(path)
    uri = path.absolute().as_uri()
    db = sqlite3.connect(f"{uri}?mode=ro", uri=True, timeout=BUSY_SECONDS, check_same_thread=False)
    try:
        db.execute("select 1 from sqlite_master").fetchone()
    except sqlite3.OperationalError:
        db.close()
        if Path(f"{path}-wal").exists() and Path(f"{path}-wal").stat().st_size:
            raise
        # Nobody can be writing where there is no journal and none can be made.
        db = sqlite3.connect(f"{uri}?immutable=1", uri=True, check_same_thread=False)
    return restrict(db)


@contextmanager
def transaction(db: sqlite3.Connection) -> Iterator[None]:
    """Write everything or nothing, and nobody else meanwhile."""
    db.execute("begin immediate")
    try:
        yield
        db.execute("commit")
    except BaseException:
        if db.in_transaction:
            db.execute("rollback")
        raise


@contextmanager
def as_log_error(path: Path) -> Iterator[None]:
    """Convert errors of SQLite or the disk to LogError."""
    try:
        yield
    except (*DAMAGE_ERRORS, OSError) as error:
        raise log_error_from(path, error) from error


def log_error_from(path: Path, error: Exception) -> LogError:
    """Return the error as one sentence: the log, the cause, the remedy."""
    name = getattr(error, "sqlite_errorname", "") or ""
    reason = excerpt(error, 200)
    if lock_refusal(path.parent):
        return LogError(f"The episode log {path} {_NO_LOCKS}.")
    if isinstance(error, OSError):
        name = _ERRNO.get(error.errno or 0, "")
        reason = error.strerror or reason
    if name.startswith("SQLITE_CANTOPEN"):
        return LogError(f"The episode log {path} {_open_failure(path)}.")
    for start, sentence in _SENTENCES.items():
        if name.startswith(start):
            return LogError(f"The episode log {path} {sentence}.")
    return LogError(f"The episode log {path} cannot be used ({reason}): choose another one with --database.")


def lock_refusal(folder: Path) -> str:
    """Return why no file can be locked in this folder; "" if one can, or if none can be made there.

    SQLite and the leases need locks, and what they report without them reads as if another program had one.
    """
    if fcntl is None:
        return ""
    try:
        with TemporaryFile(dir=folder) as file:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            fcntl.lockf(file, fcntl.LOCK_UN)
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.EINVAL):
            return error.strerror or "locks are refused"
    return ""


def _open_failure(path: Path) -> str:
    """Explain why the file cannot be opened, since SQLite does not."""
    if path.is_dir():
        return "cannot be opened because it is a folder: name a file in it with --database"
    if path.parent.is_dir() and not os.access(path.parent, os.W_OK):
        return f"cannot be opened because its folder may not be written: {_ELSEWHERE}"
    return "cannot be opened: make its folder, or choose another log with --database"


_ELSEWHERE = "change its permissions, or choose another one with --database"
_LOCKED = "is locked by another program: close that program, or choose another log with --database"
_NO_LOCKS = (
    "cannot be locked, because its file system has no locks, as on some network drives: choose one on a "
    "local disk with --database"
)
_FORBIDDEN = f"may not be written: {_ELSEWHERE}"
_ERRNO = {
    errno.ENOSPC: "SQLITE_FULL",
    errno.EDQUOT: "SQLITE_FULL",
    errno.EFBIG: "SQLITE_FULL",
    errno.EROFS: "SQLITE_READONLY",
    errno.EACCES: "SQLITE_READONLY",
    errno.EISDIR: "SQLITE_CANTOPEN",
    errno.ENOENT: "SQLITE_CANTOPEN",
    errno.EIO: "SQLITE_IOERR",
}
_SENTENCES = {
    "SQLITE_BUSY": _LOCKED,
    "SQLITE_LOCKED": _LOCKED,
    "SQLITE_READONLY": _FORBIDDEN,
    "SQLITE_PERM": _FORBIDDEN,
    "SQLITE_FULL": "cannot be written because its disk is full: free some space, or choose another log with "
    "--database",
    "SQLITE_NOTADB": "is no SQLite database: choose another one with --database",
    "SQLITE_CORRUPT": f"is damaged: `{COMMAND} episodes verify` names what is lost and saves the rest",
    "SQLITE_IOERR": "cannot be read or written because its disk reports an error: check the disk, or choose "
    "another log with --database",
}
