"""A log names no file that is read, written or removed, and nobody but its owner may read it."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from core.errors import LogError
from core.events import FrameCaptured
from core.log import lease, sidecar
from core.log.annotations import EpisodeAnnotations
from core.log.export import jsonl
from core.log.integrity.verify import verify
from core.log.recorder import Recorder
from core.log.store import Store
from core.log.video import segments
from tests.core.log import made
from tests.core.log.closed_log import edit, only
from tests.core.log.mutations import super_journal


def delete_all(path: Path) -> None:
    with Store.open(path) as store, EpisodeAnnotations(store) as annotations:
        annotations.delete(only(store))


def test_that_a_picture_named_as_a_path_is_neither_read_nor_deleted(path: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary.png"
    canary.write_bytes(made.LARGE.png)
    name = "../../canary"
    edit(path, "update record set picture = ? where picture = ?", name, made.LARGE.id)
    edit(path, "update picture set id = ? where id = ?", name, made.LARGE.id)
    with Store.open(path, read_only=True) as store, pytest.raises(LogError, match="no picture"):
        store.picture(name)
    delete_all(path)
    assert canary.exists()


def test_that_an_export_carries_no_file_from_outside(path: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("nobody's business")
    kept = path.with_name("log.db-pictures") / f"{made.LARGE.id}.png"
    kept.unlink()
    kept.symlink_to(tmp_path / "secret")
    with Store.open(path, read_only=True) as store, pytest.raises(LogError, match="no picture"):
        jsonl.export(store, [only(store)], tmp_path / "out.jsonl")
    kept.unlink()
    kept.write_text("nobody's business")  # or a copy of it, under a picture's name
    with Store.open(path, read_only=True) as store, pytest.raises(LogError, match="not as it was written"):
        jsonl.export(store, [only(store)], tmp_path / "out.jsonl")


@pytest.mark.parametrize("what", ["pictures", "films", "live"])
def test_that_a_link_in_place_of_a_folder_is_not_followed(path: Path, tmp_path: Path, what: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    writer = "0123456789abcdef"
    names = {f"{made.LARGE.id}.png", f"{'0' * 64}.mp4", writer, f"{writer}.0.part", "letter.txt"}
    for name in names:
        (outside / name).write_bytes(made.LARGE.png)
    folder = path.with_name(f"log.db-{what}")
    if folder.exists():
        folder.rename(tmp_path / "was")
    folder.symlink_to(outside)
    for use in (lambda: Store.open(path).close(), lambda: delete_all(path)):
        try:
            use()
        except LogError as error:
            assert "\n" not in str(error)
    assert {p.name for p in outside.iterdir()} == names


def test_that_opening_removes_only_what_the_log_itself_left(path: Path) -> None:
    folder = segments.folder(path)
    folder.mkdir(exist_ok=True)
    for name in ("holiday.mp4", "thesis.part", f"{'0' * 64}.mp4", "0123456789abcdef.0.part"):
        (folder / name).write_bytes(b"film")
    Store.open(path).close()
    assert {p.name for p in folder.iterdir()} == {"holiday.mp4", "thesis.part"}


def test_that_a_film_named_as_a_path_is_not_deleted(path: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary.mp4"
    canary.write_bytes(b"film")
    columns = "episode, camera, started, ended, hash, bytes, dropped"
    edit(path, f"insert into segment({columns}) values (1, 'top', 1, 2, '../../canary', 4, 0)")
    with Store.open(path, read_only=True) as store:
        with pytest.raises(LogError, match="impossible name"):
            store.segments(only(store))
        assert "a video is named '../../canary'" in {f.problem for f in verify(store).findings}
    delete_all(path)
    assert canary.exists()


def test_that_a_writer_named_as_a_path_is_nobody(path: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert not lease.is_alive(path, "../../pipe")
    edit(path, "update episode set ended = null, result = null, writer = '../../pipe'")
    with Store.open(path, read_only=True) as store:
        assert verify(store).live == 0


@pytest.mark.parametrize("part", ["-wal", "-shm", "-journal"])
def test_that_no_link_in_place_of_a_journal_is_written_through(path: Path, tmp_path: Path, part: str) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    Path(f"{path}{part}").symlink_to(victim)
    for read_only in (True, False):
        with pytest.raises(LogError, match="not one that this program writes"):
            Store.open(path, read_only)
    assert victim.read_text() == "mine"


def test_that_no_journal_makes_sqlite_remove_another_file(path: Path, tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("mine")
    Path(f"{path}-journal").write_bytes(super_journal(path, victim))
    with pytest.raises(LogError, match="not one that this program writes"):
        Store.open(path)
    assert victim.exists()
    sqlite3.connect(path).execute("select * from episode").fetchall()
    assert not victim.exists(), "this is what SQLite itself does: else the test shows nothing"


def test_that_a_new_log_is_its_owner_s_alone(path: Path) -> None:
    old = os.umask(0)
    try:
        other = path.with_name("other.db")
        with Recorder.open(other) as recorder:
            list(recorder.record_events(made.episode(1, True)))
            recorder.record(FrameCaptured(9, made.LARGE))
            sidecar.make_folder(sidecar.strip(other, recorder.episode).parent)
            beside = [p for p in path.parent.iterdir() if p.name.startswith("other.db")]
            assert {p.stat().st_mode & 0o777 for p in beside if p.is_file()} == {0o600}
            assert {p.stat().st_mode & 0o777 for p in beside if p.is_dir()} == {0o700}
    finally:
        os.umask(old)


def test_that_the_data_folder_is_its_owner_s_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from core.log.database import default_path

    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = tmp_path / "dkprompt-console"
    folder.mkdir(mode=0o755)
    assert default_path().parent == folder
    assert folder.stat().st_mode & 0o777 == 0o700


def test_that_what_a_foreign_lease_notes_is_not_believed_unless_it_is_one_of_ours(path: Path) -> None:
    folder = path.with_name("log.db-live")
    folder.mkdir()
    (folder / "0123456789abcdef").write_bytes(b"\xff" * 200)
    (folder / "fedcba9876543210").write_text("20261126-120000-0a1b2c3d ninety")
    (folder / "readme").write_text("20261126-120000-0a1b2c3d 90")
    (folder / "aaaaaaaaaaaaaaaa").symlink_to(folder / "readme")
    assert lease.noted(path) == {}
    (folder / "bbbbbbbbbbbbbbbb").write_text("20261126-120000-0a1b2c3d       90")
    assert lease.noted(path) == {"20261126-120000-0a1b2c3d": ("bbbbbbbbbbbbbbbb", 90)}


def test_that_a_file_beside_the_log_that_cannot_be_written_leaves_no_part(tmp_path: Path) -> None:
    (tmp_path / "a.png").mkdir()
    with pytest.raises(OSError, match="directory"):
        sidecar.write(tmp_path / "a.png", b"picture")
    assert [p.name for p in tmp_path.iterdir()] == ["a.png"]
