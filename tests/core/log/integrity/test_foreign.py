"""A log that somebody else made: nothing outside of it is read or removed, and nothing in it is obeyed."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from core.errors import ConsoleError, LogError
from core.events import EpisodeStarted, FrameCaptured, Record
from core.log import lease
from core.log.annotations import EpisodeAnnotations
from core.log.database import connect
from core.log.export import jsonl
from core.log.integrity.verify import verify
from core.log.quota import PruneOrder, plan_pruning
from core.log.recorder import Recorder
from core.log.rerun_settings import domain_spec_of, external_references
from core.log.rows import checksum
from core.log.store import EpisodeFilter, Store
from core.log.video import segments
from core.pictures import decode_png
from core.review.catalog import page, statistics
from core.review.statistics import metric_curves, predicate_statistics
from tests.core.log import made
from tests.core.log.mutations import FOREIGN, super_journal

LARGE = made.frame(99, 300)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log with small pictures and a large one."""
    path = tmp_path_factory.mktemp("original") / "log.db"
    with Recorder.open(path) as recorder:
        list(recorder.record_events(made.episode(2, True, "ada", truth=True)))
        recorder.record(FrameCaptured(9, LARGE))
    return path


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    """A copy of it, in a folder of its own."""
    shutil.copytree(original.parent, tmp_path / "log")
    return tmp_path / "log" / "log.db"


def edit(path: Path, sql: str, *values: object) -> None:
    """As somebody with `sqlite3` would; the triggers are back afterwards."""
    db = sqlite3.connect(path, isolation_level=None)
    triggers = db.execute("select name, sql from sqlite_master where type = 'trigger'").fetchall()
    for name, _ in triggers:
        db.execute(f"drop trigger {name}")
    db.execute(sql, values)
    for _, made_so in triggers:
        db.execute(made_so)
    db.close()


def edit_body(path: Path, kind: str, old: str, new: str) -> None:
    """In every record of that kind, with its checksum right."""
    db = sqlite3.connect(path)
    rows = db.execute("select * from record where kind = ?", (kind,)).fetchall()
    db.close()
    for id, _, number, wall, monotonic, _, body, *_ in rows:
        body = body.replace(old, new)
        crc = checksum(number, wall, monotonic, kind, body)
        edit(path, "update record set body = ?, crc = ? where id = ?", body, crc, id)


def only(store: Store) -> str:
    (summary,) = store.episodes()
    return summary.episode


def delete_all(path: Path) -> None:
    with Store.open(path) as store, EpisodeAnnotations(store) as annotations:
        annotations.delete(only(store))


# --- files outside -----------------------------------------------------------------------------------


def test_that_a_picture_named_as_a_path_is_neither_read_nor_deleted(path: Path, tmp_path: Path) -> None:
    canary = tmp_path / "canary.png"
    canary.write_bytes(LARGE.png)
    name = "../../canary"
    edit(path, "update record set picture = ? where picture = ?", name, LARGE.id)
    edit(path, "update picture set id = ? where id = ?", name, LARGE.id)
    with Store.open(path, read_only=True) as store, pytest.raises(LogError, match="no picture"):
        store.picture(name)
    delete_all(path)
    assert canary.exists()


def test_that_an_export_carries_no_file_from_outside(path: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("nobody's business")
    kept = path.with_name("log.db-pictures") / f"{LARGE.id}.png"
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
    names = {f"{LARGE.id}.png", f"{'0' * 64}.mp4", writer, f"{writer}.0.part", "letter.txt"}
    for name in names:
        (outside / name).write_bytes(LARGE.png)
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


# --- what stands in it -------------------------------------------------------------------------------


ADDED = [sql for sql in FOREIGN if sql.startswith(("create", "drop table _", "alter"))]


@pytest.mark.parametrize("sql", ADDED)
@pytest.mark.parametrize("read_only", [True, False])
def test_that_a_schema_of_another_origin_is_refused(path: Path, sql: str, read_only: bool) -> None:
    db = sqlite3.connect(path)
    db.executescript(sql)
    db.close()
    before = path.read_bytes()
    with pytest.raises(LogError, match=r"which this program did not make|not as this program makes it|newer"):
        Store.open(path, read_only)
    assert path.read_bytes() == before


def test_that_a_changed_view_is_refused_and_other_comments_are_not(path: Path) -> None:
    view = sqlite3.connect(path).execute("select sql from sqlite_master where name = 'stops'").fetchone()[0]
    said_more = view.replace("select", "-- and more\nselect  /* here */", 1)
    for sql, fine in ((said_more, True), (view.replace("'StopRequested'", "'Noted--\n'"), False)):
        edit(path, "drop view stops")
        edit(path, sql)
        if fine:
            Store.open(path).close()
        else:
            with pytest.raises(LogError, match="not as this program makes it"):
                Store.open(path)


def test_that_no_schema_is_trusted_where_sqlite_can_do_without(path: Path) -> None:
    db = connect(path)
    (trusted,) = db.execute("pragma trusted_schema").fetchone()
    assert trusted == (sqlite3.sqlite_version_info < (3, 41)), "json() counts as unsafe before that"
    db.close()


NASTY = ("<script>alert(1)</script>", b"\xff", 1e300, -(2**62), float("inf"))
NUMBERS = ("began", "steps", "seconds", "cost", "believed_goal", "stops")
TEXTS = ("task", "domain", "result", "why")  # SQLite makes a text of a number there


@pytest.mark.parametrize(
    ("column", "value"),
    [*((column, value) for column in NUMBERS for value in NASTY), *((column, b"\xff") for column in TEXTS)],
)
def test_that_a_column_of_another_type_is_refused_wherever_it_is_read(
    path: Path, column: str, value: object
) -> None:
    edit(path, f"update episode set {column} = ?", value)
    uses: tuple[Callable[[Store], object], ...] = (
        lambda store: store.episodes(),
        lambda store: page(store, EpisodeFilter(), "began", True, 50, 0),
        lambda store: statistics(store, EpisodeFilter()),
        lambda store: metric_curves(store, EpisodeFilter()),
        lambda store: plan_pruning(store, 1, PruneOrder.OLDEST),
    )
    with Store.open(path, read_only=True) as store:
        for use in uses:
            try:
                use(store)
            except ConsoleError as error:
                assert "\n" not in str(error)
        with pytest.raises(LogError, match="The log holds"):
            store.episodes()
        assert verify(store).findings


@pytest.mark.parametrize(
    "sql",
    [
        "update tag set name = x'ff'",
        "update note set wall = 1e300",
        "update label set verdict = 'perhaps'",
        "update answer set predicate = 7.5",
        "update answer set predicate = x'00'",
    ],
)
def test_that_what_people_put_to_it_is_checked_too(path: Path, sql: str) -> None:
    from core.log.labels import labels

    with Store.open(path) as store, EpisodeAnnotations(store) as annotations:
        annotations.tag(only(store), "paper")
        annotations.add_note(only(store), "odd")
        (record,) = store.db.execute("select id from record where kind = 'Answered' limit 1").fetchone()
        store.db.execute("insert into label values (1, ?, 0, 'no', 'ada', 0, 1.0)", (record,))
    edit(path, sql)
    with Store.open(path, read_only=True) as store:
        id, annotations = only(store), EpisodeAnnotations(store)
        uses = (
            annotations.tags,
            annotations.notes,
            lambda id: labels(store, id),
            lambda id: predicate_statistics(store, EpisodeFilter()),
        )
        refused = 0
        for use in uses:
            try:
                use(id)
            except LogError:
                refused += 1
    assert refused or "7.5" in sql  # a text column makes '7.5' of it


@pytest.mark.parametrize("value", [3 * 10**8, 0, -1, 2**62])
def test_that_a_record_number_is_bounded(path: Path, value: int) -> None:
    edit(path, "update record set number = ? where number = 5", value)
    with Store.open(path, read_only=True) as store:
        assert any("a record has the number" in f.problem for f in verify(store).findings)
        if value > 0:
            with pytest.raises(LogError, match="the number"):
                list(store.records(only(store)))


@pytest.mark.parametrize("column", ["wall", "monotonic"])
@pytest.mark.parametrize("value", [1e300, -1.0, "now", b"\x00"])
def test_that_a_record_s_time_is_bounded(path: Path, column: str, value: object) -> None:
    edit(path, f"update record set {column} = ? where number = 5", value)
    with Store.open(path, read_only=True) as store:
        assert any("a record has the" in f.problem for f in verify(store).findings)
        with pytest.raises(LogError, match="a record with the"):
            list(store.records(only(store)))


@pytest.mark.parametrize("number", ["1e300", "1e999", "9" * 400])
def test_that_every_number_in_a_record_is_bounded(path: Path, number: str) -> None:
    edit_body(path, "Answered", '"seconds":0.5', f'"seconds":{number}')
    with Store.open(path, read_only=True) as store, pytest.raises(LogError, match="JSON"):
        list(store.records(only(store)))


def test_that_a_picture_of_another_kind_of_value_takes_no_memory(path: Path) -> None:
    edit(path, "update picture set bytes = 3000000000 where id = ?", LARGE.id)
    with Store.open(path, read_only=True) as store, pytest.raises(LogError, match="not as it was written"):
        store.picture(LARGE.id)


def test_that_a_picture_that_claims_to_be_huge_is_not_decoded() -> None:
    png = bytearray(made.frame(1).png)
    png[16:24] = (30_000).to_bytes(4, "big") * 2
    with pytest.raises(ConsoleError, match="no picture"):
        decode_png(bytes(png))


def test_that_settings_are_shown_and_not_obeyed(path: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # who opens it waits for ever
    pipe = str(tmp_path / "pipe")
    started = EpisodeStarted(
        "stack", "x", (), (), (), {"domain_file": pipe, "problem_file": pipe, "domain": pipe}
    )
    assert domain_spec_of(started).predicate_specs == {}
    assert {name for name, _ in external_references(started)} == {"domain_file", "problem_file", "domain"}
    assert external_references(made.started()) == ()


# --- an export from elsewhere ------------------------------------------------------------------------


def exported(path: Path, change: Callable[[str], str]) -> Path:
    to = path.with_name("out.jsonl")
    with Store.open(path, read_only=True) as store:
        jsonl.export(store, [only(store)], to)
    to.write_text(change(to.read_text()))
    return to


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"episode":"2', '"episode":"../2'),
        ('"number":5,', '"number":300000000,'),
        ('"number":5,', '"number":5e9,'),
        ('"wall":1', '"wall":1e30'),
        ('"monotonic":', '"monotonic":1e30'),
        (f'"id":"{LARGE.id}"', '"id":"../../canary"'),
        ('"seconds":0.5', '"seconds":1e300'),
        ('{"picture": "', '{"picture": "../'),
        ('"answers":[', '"answers":' + "[" * 5000),
    ],
)
def test_that_an_import_refuses_what_no_export_writes(path: Path, tmp_path: Path, old: str, new: str) -> None:
    source = exported(path, lambda text: text.replace(old, new))
    assert new in source.read_text()
    with Store.open(tmp_path / "new.db") as store:
        with pytest.raises(ConsoleError) as caught:
            jsonl.import_file(store, source)
        assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
        assert store.count() == 0
    assert {p.name for p in tmp_path.iterdir()} == {"log", "new.db"}


def test_that_a_line_without_an_end_takes_no_memory(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "MAX_LINE_CHARS", 10_000)
    source = exported(path, lambda text: text + "x" * 20_000)
    with Store.open(tmp_path / "new.db") as store, pytest.raises(ConsoleError, match="is longer than"):
        jsonl.import_file(store, source)


def test_that_what_comes_in_is_whole_and_chained(path: Path, tmp_path: Path) -> None:
    source = exported(path, lambda text: text)
    with Store.open(tmp_path / "new.db") as store:
        assert len(jsonl.import_file(store, source)) == 1
        report = verify(store)
        assert (report.is_intact, report.unchained) == (True, 0)
        with Store.open(path, read_only=True) as old:
            records: list[list[Record]] = [list(s.records(only(s))) for s in (store, old)]
        assert records[0] == records[1]


# --- who may read it ---------------------------------------------------------------------------------


def test_that_a_new_log_is_its_owner_s_alone(path: Path) -> None:
    old = os.umask(0)
    try:
        other = path.with_name("other.db")
        with Recorder.open(other) as recorder:
            list(recorder.record_events(made.episode(1, True)))
            recorder.record(FrameCaptured(9, LARGE))
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
