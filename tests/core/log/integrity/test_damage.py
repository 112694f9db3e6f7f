"""A log that is locked, forbidden, foreign, older, newer, torn: one sentence, nothing else touched, and
what can be read is kept."""

import random
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from sqlite_utils import Database, Migrations

from core.errors import LogError
from core.events import EpisodeEnded, EpisodeResult, FrameCaptured, Notice, Record
from core.log import schema
from core.log.database import BUSY_SECONDS, connect
from core.log.integrity.salvage import salvage
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


@cache
def template(episodes: int) -> tuple[TemporaryDirectory[str], dict[str, list[Record]]]:
    folder = TemporaryDirectory()
    return folder, write(Path(folder.name, "log.db"), episodes)


def written(path: Path, episodes: int = 3) -> dict[str, list[Record]]:
    """What a log holds after some episodes, of which there is a copy at `path`."""
    folder, given = template(episodes)
    shutil.copytree(folder.name, path.parent, dirs_exist_ok=True)
    assert path.name == "log.db"
    return given


def write(path: Path, episodes: int, pictures: bool = True) -> dict[str, list[Record]]:
    """The last one's picture is large."""
    with Recorder.open(path) as recorder:
        given = [list(recorder.record_events(made.episode(3, pictures, by="ada"))) for _ in range(episodes)]
        recorder.record(FrameCaptured(9, made.frame(99, 300)))
    with Store.open(path) as store:
        return {records[0].episode: list(store.records(records[0].episode)) for records in given}


def read(path: Path) -> dict[str, list[Record]]:
    with Store.open(path) as store:
        return {e.episode: list(store.records(e.episode)) for e in store.episodes(limit=10_000)}


# --- files that cannot be used -----------------------------------------------------------------------


def foreign(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("create table recipes(name)")
    db.commit()
    db.close()


def from_the_future(path: Path) -> None:
    written(path, 1)
    db = sqlite3.connect(path)
    db.execute("insert into _sqlite_migrations(migration_set, name) values ('episode log', 'dreams')")
    db.commit()
    db.close()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda path: path.write_text("Dear diary, " * 1000), "no SQLite database"),
        (lambda path: path.mkdir(), "cannot be opened"),
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


def test_that_a_log_of_an_older_version_is_brought_up_once_and_keeps_all(path: Path) -> None:
    given = written(path, 2)
    steps = Migrations("episode log")
    for step in schema.MIGRATIONS._migrations:
        steps(name=step.name)(step.fn)

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
    given = written(path, 1)
    steps = Migrations("episode log")
    for step in schema.MIGRATIONS._migrations:
        steps(name=step.name)(step.fn)

    @steps()
    def half_done(db: Database) -> None:
        db.execute("create table half(x)")
        raise RuntimeError("power cut")

    db = connect(path)
    with pytest.raises(RuntimeError):
        schema.migrate(db, path, steps)
    db.close()
    assert read(path) == given
    with Store.open(path) as store:
        assert "half" not in Database(store.db).table_names()


def test_that_two_programs_can_make_the_same_log_at_once(path: Path) -> None:
    code = "import sys; from core.log.recorder import Recorder; from tests.core.log import made\n"
    code += "with Recorder.open(sys.argv[1]) as r: list(r.record_events(made.episode(5)))"
    programs = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(2)]
    assert [p.wait(60) for p in programs] == [0] * 2
    with Store.open(path) as store:
        assert store.repaired == ()
        assert store.count() == 2
        assert verify(store).is_intact


FORBIDDEN = """
import importlib.readers, os, sys
from pathlib import Path
import core.log.schema
from core.errors import LogError
from core.log.recorder import Recorder
from core.log.store import Store
if os.getuid() == 0:
    os.setuid(65534)
path = Path(sys.argv[1])
for opened in (Recorder.open, Store.open):
    try:
        opened(path)
    except LogError as error:
        print(error)
with Store.open(path, read_only=True) as store:
    print(store.count(), sum(1 for e in store.episodes() for _ in store.records(e.episode)))
"""


def test_that_a_read_only_log_says_so_and_can_still_be_read() -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder, "log.db")
        given = written(path)
        before = path.read_bytes()
        path.chmod(0o444)
        Path(folder).chmod(0o555)
        run = subprocess.run(
            [sys.executable, "-c", FORBIDDEN, path], capture_output=True, text=True, timeout=60, check=True
        )
        Path(folder).chmod(0o755)
        *refusals, last = run.stdout.splitlines()
        assert ["may not be written" in line for line in refusals] == [True, True]
        assert last == f"{len(given)} {sum(map(len, given.values()))}"
        assert path.read_bytes() == before


def test_that_a_locked_log_is_named_after_a_while(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.log.database.BUSY_SECONDS", 0.2)
    written(path, 1)
    recorder = Recorder.open(path)
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("begin immediate")
    with pytest.raises(LogError, match="locked by another program"):
        list(recorder.record_events(made.episode(1)))
    patience = recorder._sink._db.execute("pragma busy_timeout").fetchone()  # type: ignore[attr-defined]
    assert patience == (500,), "it was waited for once: the next tries are short"
    other.execute("rollback")
    with pytest.raises(LogError):  # it is still refused, but tried again
        recorder.record(Notice("info", "free again?"))
    while recorder.lag:
        time.sleep(0.01)
    recorder.record(Notice("info", "free again"))
    patience = recorder._sink._db.execute("pragma busy_timeout").fetchone()  # type: ignore[attr-defined]
    assert patience == (round(BUSY_SECONDS * 1000),)
    recorder.close()
    assert len(read(path)) == 2
    other.close()


# --- who is alive ------------------------------------------------------------------------------------


def test_that_an_episode_that_is_being_written_is_not_repaired(path: Path) -> None:
    with Recorder.open(path) as first:
        events = first.record_events(made.episode(3))
        next(events)
        with Recorder.open(path) as second, Store.open(path) as store:
            assert second.repaired == store.repaired == ()
            assert verify(store).live == 1
        rest = list(events)
        assert len(rest) > 10
    with Store.open(path) as store:
        (summary,) = store.episodes()
        assert summary.result is EpisodeResult.SUCCEEDED
        assert verify(store).is_intact


# --- verify ------------------------------------------------------------------------------------------


def test_that_a_whole_log_has_no_findings(path: Path) -> None:
    given = written(path)
    with Store.open(path) as store:
        report = verify(store)
    assert (report.findings, report.episodes, report.live, report.interrupted) == ((), 3, 0, 0)
    assert (report.records, report.pictures) == (sum(map(len, given.values())), 4)


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("update record set body = replace(body, 'mug', 'jug') where id = 5", "record 5 is not as it was"),
        ("delete from record where id between 7 and 9", "records 7 to 9 are missing"),
        ("delete from record where id = 1", "beginning"),
        ("delete from record where kind = 'Ended' and episode = 1", "its end is missing"),
        ("update picture set bytes = x'00' where bytes is not null", "is not as it was"),
        ("delete from picture where bytes is not null", "picture of record"),
    ],
)
def test_that_every_kind_of_damage_is_found(path: Path, sql: str, said: str) -> None:
    written(path)
    with Store.open(path) as store:
        for trigger in ("record_is_never_changed", "record_goes_only_with_its_episode"):
            store.db.execute(f"drop trigger {trigger}")
        store.db.execute(sql)
        report = verify(store)
    assert not report.is_intact
    assert said in " ".join(f.problem for f in report.findings)


def test_that_a_large_picture_that_is_gone_is_found(path: Path) -> None:
    written(path)
    for file in (path.parent / "log.db-pictures").iterdir():
        file.unlink()
    with Store.open(path) as store:
        assert "beside the log" in verify(store).findings[0].problem


# --- salvage -----------------------------------------------------------------------------------------

SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 50))]


def test_that_a_whole_log_is_salvaged_record_for_record(path: Path, tmp_path: Path) -> None:
    given = written(path)
    saved = salvage(path, tmp_path / "saved.db")
    assert read(tmp_path / "saved.db") == given
    assert (saved.episodes, saved.records, saved.pictures) == (3, sum(map(len, given.values())), 4)
    assert saved.lost == ()
    with Store.open(path) as old, Store.open(tmp_path / "saved.db") as new:
        assert verify(new).is_intact
        assert old.episodes() == new.episodes()
    with pytest.raises(LogError, match="there already"):
        salvage(path, tmp_path / "saved.db")


def torn(data: bytes, rng: random.Random) -> bytes:
    return data[: rng.randrange(len(data))]


def overwritten(data: bytes, rng: random.Random) -> bytes:
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(data) // 4096) * 4096
        data = data[:at] + rng.randbytes(4096) + data[at + 4096 :]
    return data


def bits_flipped(data: bytes, rng: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(200):
        changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def without_its_head(data: bytes, rng: random.Random) -> bytes:
    return rng.randbytes(4096) + data[4096:]


@pytest.mark.parametrize("damage", [torn, overwritten, bits_flipped, without_its_head])
@pytest.mark.parametrize("seed", SEEDS)
def test_that_what_can_be_read_of_a_damaged_log_is_kept_and_the_rest_named(
    path: Path, tmp_path: Path, damage: Callable[[bytes, random.Random], bytes], seed: int
) -> None:
    given = written(path)
    whole = {(r.number, r.wall, r.monotonic): r.event for records in given.values() for r in records}
    path.write_bytes(damage(path.read_bytes(), random.Random(seed)))
    damaged = path.read_bytes()
    saved = salvage(path, tmp_path / "saved.db")
    after = read(tmp_path / "saved.db")
    kept = [r for records in after.values() for r in records if not is_repair(r)]
    assert all(whole[r.number, r.wall, r.monotonic] == r.event for r in kept)
    assert len(kept) == saved.records
    assert saved.lost or len(kept) == len(whole)
    assert damage is not torn or "file" in saved.lost[0]
    assert all(any(isinstance(r.event, EpisodeEnded) for r in records) for records in after.values())
    assert path.read_bytes() == damaged


def is_repair(record: Record) -> bool:
    return isinstance(record.event, EpisodeEnded) and record.event.result is EpisodeResult.INTERRUPTED


def test_that_a_log_is_salvaged_with_what_its_journal_still_holds(path: Path, tmp_path: Path) -> None:
    recorder = Recorder.open(path)
    given = list(recorder.record_events(made.episode(3, pictures=True)))
    copy = tmp_path / "copy.db"
    copy.write_bytes(path.read_bytes())
    Path(f"{copy}-wal").write_bytes(Path(f"{path}-wal").read_bytes())
    recorder.close()
    salvage(copy, tmp_path / "saved.db")
    assert read(tmp_path / "saved.db") == {given[0].episode: given}
