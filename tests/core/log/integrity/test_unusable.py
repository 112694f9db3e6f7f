"""A log that is locked, forbidden, foreign, older or newer: one sentence, and nothing else touched."""

from __future__ import annotations

import ctypes
import errno
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

import pytest
from sqlite_utils import Database, Migrations

from core.errors import LogError
from core.events import Notice
from core.log import schema
from core.log.database import BUSY_SECONDS, connect, lock_refusal
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.sidecar import copies
from core.log.store import Store
from tests.core.log import made
from tests.core.log.closed_log import edit, read


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def foreign(path: Path) -> None:
    path.unlink()
    edit(path, "create table recipes(name)")


def from_the_future(path: Path) -> None:
    edit(path, "insert into _sqlite_migrations(migration_set, name) values ('episode log', 'dreams')")


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_text("Dear diary, " * 1000), "no SQLite database"),
        (folder, "cannot be opened"),
        (foreign, "another program"),
        (from_the_future, "newer version"),
    ],
)
@pytest.mark.parametrize("read_only", [True, False])
def test_that_a_file_that_is_no_log_of_ours_is_refused_and_untouched(
    path: Path, make: Callable[[Path], object], said: str, read_only: bool
) -> None:
    make(path)
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(LogError, match=said) as caught:
        Store.open(path, read_only)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(LogError, match=said):
        Recorder.open(path)
    assert before == (path.read_bytes() if path.is_file() else b"")


def test_that_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="make its folder"):
        Recorder.open(tmp_path / "nowhere" / "log.db")


def test_that_a_folder_given_as_the_log_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogError, match="it is a folder: name"):
        Recorder.open(tmp_path)


def migrations() -> Migrations:
    """Return ours, for a test to add to."""
    steps = Migrations("episode log")
    for step in schema.MIGRATIONS._migrations:
        steps(name=step.name)(step.fn)
    return steps


def test_that_a_log_of_an_older_version_is_brought_up_once_and_keeps_all(path: Path) -> None:
    given = read(path)
    steps = migrations()

    @steps()
    def colour_of_the_sky(db: Database) -> None:
        db.execute("alter table episode add column sky text default 'blue'")

    db = connect(path)
    schema.migrate(db, path, steps)
    schema.migrate(db, path, steps)
    assert db.execute("select distinct sky from episode").fetchall() == [("blue",)]
    assert db.execute("select count(*) from record").fetchone()[0] == sum(map(len, given.values()))
    db.close()
    with pytest.raises(LogError, match=r"newer version.*colour_of_the_sky"):
        Store.open(path)


def test_that_a_migration_that_fails_changes_nothing(path: Path) -> None:
    given = read(path)
    steps = migrations()

    @steps()
    def half_done(db: Database) -> None:
        db.execute("create table half(x)")
        raise RuntimeError("power cut")

    db = connect(path)
    with pytest.raises(RuntimeError):
        schema.migrate(db, path, steps)
    db.close()
    assert read(path) == given and copies(path) == []
    with Store.open(path) as store:
        assert "half" not in Database(store.db).table_names()


@pytest.mark.long
def test_that_two_programs_can_make_the_same_log_at_once(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    code = "import sys; from core.log.recorder import Recorder; from tests.core.log import made\n"
    code += "with Recorder.open(sys.argv[1]) as r: list(r.record_events(made.episode(5)))"
    programs = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(2)]
    assert [p.wait(60) for p in programs] == [0] * 2
    with Store.open(path) as store:
        assert store.repaired == ()
        assert store.count() == 2
        assert verify(store).is_intact


def test_that_a_log_which_another_program_makes_in_this_moment_is_not_foreign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "log.db"
    mine, other = connect(path), connect(path)
    mine.execute("pragma journal_mode=wal")
    check = schema.refuse_foreign

    def meanwhile(*known: object) -> None:
        monkeypatch.setattr(schema, "refuse_foreign", check)
        schema.migrate(other, path)
        check(*known)  # type: ignore[arg-type]

    monkeypatch.setattr(schema, "refuse_foreign", meanwhile)
    schema.migrate(mine, path)
    for db in (mine, other):
        assert schema.pending(Database(db), path) == []
        db.close()


FORBIDDEN = """
import sys
from pathlib import Path
import core.log.schema
from core.errors import LogError
from core.log.recorder import Recorder
from core.log.store import Store
path = Path(sys.argv[1])
for opened in (Recorder.open, Store.open):
    try:
        opened(path)
    except LogError as error:
        print(error)
with Store.open(path, read_only=True) as store:
    print(store.count(), sum(1 for e in store.episodes() for _ in store.records(e.episode)))
"""


def as_others() -> None:
    """Ask root for permission too, who stays at home: nobody else may enter it."""
    drop_of_what_it_starts, dac_override = 24, 1  # PR_CAPBSET_DROP, CAP_DAC_OVERRIDE: refused to all but root
    ctypes.CDLL(None).prctl(drop_of_what_it_starts, dac_override, 0, 0, 0)


def test_that_a_read_only_log_says_so_and_can_still_be_read(original: Path) -> None:
    with TemporaryDirectory() as folder:
        shutil.copytree(original.parent, folder, dirs_exist_ok=True)
        path = Path(folder, "log.db")
        given = read(path)
        before = path.read_bytes()
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        run = subprocess.run(
            [sys.executable, "-c", FORBIDDEN, path], capture_output=True, text=True, timeout=60, check=True,
            preexec_fn=as_others,
        )  # fmt: skip
        Path(folder).chmod(0o755)
        *refusals, last = run.stdout.splitlines()
        assert ["may not be written" in line for line in refusals] == [True, True]
        assert last == f"{len(given)} {sum(map(len, given.values()))}"
        assert path.read_bytes() == before


def test_that_a_file_system_without_locks_is_not_taken_for_another_program(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    assert lock_refusal(path.parent) == ""
    monkeypatch.setattr("core.log.database.BUSY_SECONDS", 0.2)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin exclusive")  # SQLite reports a lock that is refused as one that is taken
    monkeypatch.setattr("core.log.database.fcntl.flock", refuse)
    with pytest.raises(LogError, match=r"its file system has no locks.* local disk"):
        Recorder.open(path)
    assert lock_refusal(path.parent) == "No locks available"
    other.close()
    with pytest.raises(LogError, match="its file system has no locks"):  # the lease's lock is refused
        Recorder.open(path)


class Patience(sqlite3.Connection):
    """Keeps what its owner sets, which no other thread may ask a connection that it waits in."""

    said: ClassVar[list[int]] = []

    def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
        if sql.startswith("pragma busy_timeout="):
            self.said.append(int(sql.partition("=")[2]))
        return super().execute(sql, *values)


def test_that_a_locked_log_is_named_after_a_while(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.log.database.BUSY_SECONDS", 0.2)
    recorder = Recorder.open(path, connect=lambda path: connect(path, Patience))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(LogError, match="locked by another program"):
        list(recorder.record_events(made.episode(1)))
    assert Patience.said[-1] == 500, "it was waited for once: the next tries are short"
    with pytest.raises(LogError):  # it is refused, and tried again
        recorder.record(Notice("info", "free?"))
    other.execute("rollback")
    give_up = time.monotonic() + 30
    while recorder.lag and time.monotonic() < give_up:  # what waits needs nothing new to be tried
        time.sleep(0.01)
    recorder.record(Notice("info", "free again"))
    assert Patience.said[-1] == round(BUSY_SECONDS * 1000)
    recorder.close()
    assert len(read(path)) == 2
    other.close()
