"""A log that somebody else made: nothing outside of it is read or removed, and nothing in it is obeyed."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from core.errors import ConsoleError, LogError
from core.events import EpisodeStarted
from core.log.annotations import EpisodeAnnotations
from core.log.database import connect
from core.log.integrity.verify import verify
from core.log.quota import PruneOrder, prune
from core.log.rerun_settings import domain_spec_of, external_references
from core.log.store import EpisodeFilter, Store
from core.pictures import decode_picture
from core.review.catalog import page
from core.review.groups import groups
from core.review.statistics import predicate_statistics, running_shares
from tests.core.log import made
from tests.core.log.closed_log import edit, edit_body, only
from tests.core.log.mutations import FOREIGN

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
    for sql, fine in ((said_more, True), (view.replace("'StopRequested'", "'Notice--\n'"), False)):
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
TEXTS = ("task", "domain", "result", "reason")  # SQLite makes a text of a number there


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
        lambda store: groups(store, EpisodeFilter(), ["model"]),
        lambda store: running_shares(store, EpisodeFilter()),
        lambda store: prune(store, 1, PruneOrder.OLDEST),
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
        answers = store.db.execute("select id from record where kind = 'AnswersReceived'")
        (record,) = answers.fetchone()
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


@pytest.mark.parametrize(("column", "value"), [("wall", 1e300), ("monotonic", "now"), ("number", 2 * 10**9)])
def test_that_an_episode_whose_last_record_no_recorder_wrote_is_not_continued(
    path: Path, column: str, value: object
) -> None:
    edit(path, f"update record set {column} = ? where number = (select max(number) from record)", value)
    edit(path, "update episode set ended = null, seal = null")
    with pytest.raises(LogError, match="a record with the"), Store.open(path):
        pass


@pytest.mark.parametrize("number", ["1e300", "1e999", "9" * 400])
def test_that_every_number_in_a_record_is_bounded(path: Path, number: str) -> None:
    edit_body(path, "AnswersReceived", '"seconds":0.5', f'"seconds":{number}')
    with Store.open(path, read_only=True) as store, pytest.raises(LogError, match="JSON"):
        list(store.records(only(store)))


def test_that_a_picture_of_another_kind_of_value_takes_no_memory(path: Path) -> None:
    edit(path, "update picture set bytes = 3000000000 where id = ?", made.LARGE.id)
    with Store.open(path, read_only=True) as store, pytest.raises(LogError, match="not as it was written"):
        store.picture(made.LARGE.id)


def test_that_a_picture_that_claims_to_be_huge_is_not_decoded() -> None:
    png = bytearray(made.frame(1).png)
    png[16:24] = (30_000).to_bytes(4, "big") * 2
    with pytest.raises(ConsoleError, match=r"claims 30000 x 30000 pixels"):
        decode_picture(bytes(png))


def test_that_settings_are_shown_and_not_obeyed(path: Path, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")  # who opens it waits for ever
    pipe = str(tmp_path / "pipe")
    started = EpisodeStarted(
        "stack", "x", (), (), (), {"domain_file": pipe, "problem_file": pipe, "domain": pipe}
    )
    assert domain_spec_of(started).predicate_specs == {}
    assert {name for name, _ in external_references(started)} == {"domain_file", "problem_file", "domain"}
    assert external_references(made.started()) == ()
    like = domain_spec_of(replace(started, domain="tabletop", settings={}))
    assert like.path is None and "gripper" in like.value_words["grasp"], "a robot's own values are worded"
