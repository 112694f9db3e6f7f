"""What can be read of a damaged log is kept, and the rest is named."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.errors import LogError
from core.events import EpisodeEnded, EpisodeResult, FrameCaptured, Record
from core.log.annotations import EpisodeAnnotations
from core.log.integrity.salvage import salvage
from core.log.integrity.sqlite_pages import rows
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.store import Store
from tests.core.log import made
from tests.core.log.closed_log import edit, read

SEEDS = [*range(3), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(3, 50))]


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of three episodes, the last one's picture large."""
    path = tmp_path_factory.mktemp("original") / "log.db"
    with Recorder.open(path) as recorder:
        for _ in range(3):
            list(recorder.record_events(made.episode(3, True, "ada")))
        recorder.record(FrameCaptured(9, made.LARGE))
    return path


def test_that_a_whole_log_is_salvaged_record_for_record(path: Path, tmp_path: Path) -> None:
    given = read(path)
    saved = salvage(path, tmp_path / "saved.db")
    assert read(tmp_path / "saved.db") == given
    assert (saved.episodes, saved.records, saved.pictures) == (3, sum(map(len, given.values())), 4)
    assert saved.lost == ()
    with Store.open(path) as old, Store.open(tmp_path / "saved.db") as new:
        assert verify(new).is_intact
        assert old.episodes() == new.episodes()
    with pytest.raises(LogError, match="there already"):
        salvage(path, tmp_path / "saved.db")


def test_that_a_deleted_episode_is_neither_saved_nor_missed(path: Path, tmp_path: Path) -> None:
    with Store.open(path) as store:
        EpisodeAnnotations(store).delete(store.episodes()[0].episode)
    saved = salvage(path, tmp_path / "saved.db")
    assert (saved.episodes, saved.lost) == (2, ())


def test_that_a_row_of_another_table_is_no_episode(path: Path, tmp_path: Path) -> None:
    columns = ", ".join(f"c{n}" for n in range(22))
    edit(path, f"create table other (id integer primary key, {columns})")
    edit(path, "insert into other(c0, c1, c2) values ('20261126-120000-0a1b2c3d', '', 1)")
    saved = salvage(path, tmp_path / "saved.db")
    assert (saved.episodes, saved.lost) == (3, ())


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
    given = read(path)
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


def test_that_a_log_is_salvaged_with_what_its_journal_still_holds(tmp_path: Path) -> None:
    with Recorder.open(tmp_path / "new.db") as recorder:
        given = list(recorder.record_events(made.episode(3, pictures=True)))
        for part in ("", "-wal"):
            shutil.copy(tmp_path / f"new.db{part}", tmp_path / f"copy.db{part}")
    salvage(tmp_path / "copy.db", tmp_path / "saved.db")
    assert read(tmp_path / "saved.db") == {given[0].episode: given}


def test_that_a_journal_that_was_cut_off_is_read_up_to_what_is_whole(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "new.db", isolation_level=None)) as db:
        db.execute("pragma journal_mode=wal")
        db.execute("create table words (word)")
        for word in ("one", "two", "three"):
            db.execute("insert into words values (?)", (word,))
        for part in ("", "-wal"):
            shutil.copy(tmp_path / f"new.db{part}", tmp_path / f"cut.db{part}")
    with (tmp_path / "cut.db-wal").open("r+b") as file:
        file.truncate(file.seek(0, 2) - 10)
    assert [word for _, (word, *rest) in rows(tmp_path / "cut.db") if not rest] == ["one", "two"]


def test_that_a_row_longer_than_its_page_is_read_whatever_its_length(tmp_path: Path) -> None:
    lengths = (*range(4_050, 4_070), *range(4_540, 4_620))  # where a page is full, and where its part wraps
    blobs = [(bytes([n % 251]) * n,) for n in lengths]
    with closing(sqlite3.connect(tmp_path / "long.db")) as db, db:
        db.execute("create table long (bytes blob)")
        db.executemany("insert into long values (?)", blobs)
    assert [values for _, values in rows(tmp_path / "long.db") if len(values) == 1] == blobs


def test_that_every_kind_of_value_is_read(tmp_path: Path) -> None:
    values = (None, 0, 1, -7, 300, 70_000, 2**40, -(2**60), 2.5, "", "word", b"", b"\x00\xff")
    with closing(sqlite3.connect(tmp_path / "kinds.db")) as db, db:
        db.execute(f"create table kinds ({', '.join(f'c{n}' for n in range(len(values)))})")
        for number in (7, 2**62):
            marks = ", ".join("?" * (1 + len(values)))
            names = ", ".join(f"c{n}" for n in range(len(values)))
            db.execute(f"insert into kinds (rowid, {names}) values ({marks})", (number, *values))
    found = [row for row in rows(tmp_path / "kinds.db") if len(row[1]) == len(values)]
    assert found == [(7, values), (2**62, values)]
