"""What `verify` finds: records changed, rows forged or gone; and what a kill leaves, which is no damage."""

from __future__ import annotations

import re
import shutil
import sqlite3
from hashlib import sha256
from pathlib import Path

import pytest

from core.events import Bookmarked, EpisodeResult, FrameCaptured, Notice
from core.log.integrity import verify as of_verify
from core.log.integrity.salvage import salvage
from core.log.integrity.verify import VerificationReport, gaps, verify
from core.log.recorder import Recorder
from core.log.rows import chain_link, chain_start, checksum, record_bytes
from core.log.store import Store
from core.log.video import segments
from tests.core.log import made
from tests.core.log.closed_log import edit, edit_body, old_log, read, without_triggers


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of two episodes, with a large picture and a bookmark after the end of the last."""
    path = tmp_path_factory.mktemp("original") / "log.db"
    with Recorder.open(path) as recorder:
        for by in ("", "ada"):
            list(recorder.record_events(made.episode(3, True, by, truth=True)))
        recorder.record(FrameCaptured(9, made.LARGE))
        recorder.record(Bookmarked("after its end", "ada"))
    return path


def verified(path: Path) -> VerificationReport:
    with Store.open(path, read_only=True) as store:
        return verify(store)


def found(path: Path) -> str:
    return "; ".join(f.problem for f in verified(path).findings)


def test_that_a_whole_log_is_whole_and_chained(path: Path) -> None:
    report = verified(path)
    assert (report.findings, report.unfinished, report.unchained, report.interrupted) == ((), (), 0, 0)
    given = read(path)
    assert (report.episodes, report.live, report.records) == (2, 0, sum(map(len, given.values())))
    assert report.pictures == 4


# --- damage ------------------------------------------------------------------------------------------


def test_that_it_can_be_verified_again_with_the_same_store(path: Path) -> None:
    with Store.open(path) as store:
        assert verify(store) == verify(store)


def test_that_all_is_read_as_it_was_at_one_moment(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(of_verify, "_verified", lambda store, noted: store.db.in_transaction)
    with Store.open(path) as store:
        assert verify(store) is True and not store.db.in_transaction


@pytest.mark.parametrize(
    ("sql", "said"),
    [
        ("update record set body = replace(body, 'mug', 'jug') where id = 5", "record 5 is not as it was"),
        ("delete from record where id between 7 and 9", "records 7 to 9 are missing"),
        ("delete from record where id = 1", "beginning"),
        ("delete from record where kind = 'EpisodeEnded' and episode = 1", "its end is missing"),
        ("update picture set bytes = x'00' where bytes is not null", "is not as it was"),
        ("delete from picture where bytes is not null", "picture of record"),
    ],
)
def test_that_every_kind_of_damage_is_found(path: Path, sql: str, said: str) -> None:
    edit(path, sql)
    assert said in found(path)


def test_that_a_large_picture_that_is_gone_is_found(path: Path) -> None:
    shutil.rmtree(path.with_name("log.db-pictures"))
    assert "beside the log" in found(path)


def test_that_a_video_counts_by_its_bytes(path: Path) -> None:
    video = segments.video_path(path, sha256(b"as filmed").hexdigest())
    video.parent.mkdir()
    video.write_bytes(b"as filmed")
    columns = "episode, camera, started, ended, hash, bytes, dropped"
    edit(path, f"insert into segment({columns}) values (1, 'wrist', 0.0, 1.0, ?, 9, 0)", video.stem)
    assert found(path) == ""
    video.write_bytes(b"as edited")
    assert found(path) == f"video {video.stem[:12]} is not as it was written"


# --- rows that do not fit together -------------------------------------------------------------------


def test_that_what_belongs_to_an_episode_that_is_gone_is_counted(path: Path) -> None:
    with Store.open(path, read_only=True) as store:
        (records,) = store.db.execute("select count(*) from record where episode = 2").fetchone()
    edit(path, "delete from episode where nr = 2")
    assert f"{records} of table record belong to what is not in table episode" in found(path)


def found_goal(path: Path, column: str) -> tuple[str, str]:
    edit(path, f"update episode set {column} = not coalesce({column}, 1) where nr = 2")
    words = re.search(rf"its {column} is ([\w ]+), and its records say ([\w ]+)$", found(path), re.MULTILINE)
    assert words
    return words[1], words[2]


FORGED = {
    **dict.fromkeys(("turns", "steps", "failures", "replans", "calls", "questions", "overrides"), 99),
    **dict.fromkeys(("contradictions", "stops", "seconds", "cost", "began", "ended"), 99),
    "task": "other",
    "domain": "other",
    "settings": "{}",
    "result": "step limit",
    "reason": "other",
    "recorded_as": "draft",
}


@pytest.mark.parametrize("column", FORGED)
def test_that_a_forged_column_of_an_episode_is_found(path: Path, column: str) -> None:
    edit(path, f"update episode set {column} = ? where nr = 2", FORGED[column])
    shown = FORGED[column] if isinstance(FORGED[column], int) else repr(FORGED[column])
    assert f"its {column} is {shown}" in found(path)


@pytest.mark.parametrize("column", ["believed_goal", "true_goal"])
def test_that_a_goal_is_shown_as_the_same_kind_of_value_twice(path: Path, column: str) -> None:
    forged, said = found_goal(path, column)
    assert {forged, said} <= {"true", "false", "not set"} and forged != said


@pytest.mark.parametrize(
    "sql",
    [
        "update answer set verdict = 'no' where rowid_is_first",
        "update answer set truth = 'yes' where truth = 'no'",
        "update answer set operator = 'eve' where operator is null",
        "delete from answer where episode = 2 and place = 0",
    ],
)
def test_that_forged_answers_are_found(path: Path, sql: str) -> None:
    edit(path, sql.replace("rowid_is_first", "place = 0"))
    assert "its answers in table answer are not those of its records" in found(path)


def test_that_a_row_that_names_another_picture_is_found(path: Path) -> None:
    edit(path, "update record set picture = (select max(id) from picture) where kind = 'FrameCaptured'")
    assert "shows another picture than its row says" in found(path)


def test_that_a_trigger_that_is_gone_is_found(path: Path) -> None:
    db = sqlite3.connect(path)
    db.execute("drop trigger record_is_never_changed")
    db.commit()
    assert "its trigger record_is_never_changed is missing" in found(path)


def test_that_a_record_outside_of_any_episode_is_checked_too(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Recorder.open(path) as recorder:
        recorder.record(Notice("info", "before any episode"))
    assert verified(path).is_intact
    edit(path, "update record set body = replace(body, 'before', 'beside')")
    assert found(path) == "record 1 is not as it was written"


def test_that_a_beginning_that_cannot_be_read_is_a_finding(path: Path) -> None:
    edit_body(path, "EpisodeStarted", '"task":', '"tusk":')
    assert "record 1: " in found(path)


def test_that_a_name_that_this_program_does_not_give_is_found(path: Path) -> None:
    edit(path, "update episode set id = '../log' where nr = 2")
    assert "its name is none that this program gives" in found(path)


# --- the chain ---------------------------------------------------------------------------------------


def test_that_a_record_that_was_changed_with_its_checksum_shows(path: Path) -> None:
    edit_body(path, "Notice", "", "")
    edit_body(path, "AnswersReceived", "Yes, 1.", "No, 1.")
    assert "does not follow from those before it: one of them was changed" in found(path)


def test_that_a_last_record_that_is_gone_shows(path: Path) -> None:
    edit(path, "delete from record where kind = 'Bookmarked'")
    assert "its last record is not the one that it ended with" in found(path)


def test_that_a_record_that_was_put_in_shows(path: Path) -> None:
    with Store.open(path, read_only=True) as store:
        (number,) = store.db.execute("select max(number) from record where episode = 2").fetchone()
    body = '{"note":"never said","by":"ada"}'
    values = (number + 1, 1.0, 1.0, "Bookmarked", body)
    columns = "episode, number, wall, monotonic, kind, body, crc"
    edit(path, f"insert into record({columns}) values (2, ?, ?, ?, ?, ?, ?)", *values, checksum(*values))
    assert f"record {number + 1} does not follow" in found(path)


def test_that_a_link_is_worked_out_as_the_page_says() -> None:
    """Writer and checker share one function, so its values stand here: worked out with hashlib alone."""
    text = record_bytes(1, 1764158400.5, 12.25, "Noted", '{"level":"info","text":"café"}')
    first = chain_link(chain_start("20261126-120000-0a1b2c3d"), text)
    assert first.hex() == "4813501bc205d4a72ac937127e8ebcd64037fc950b5b4607a37a0247223ab994"
    second = "03f27bfe4fd4f59bac32083fbcb38d0b2f6c1b3c0a4bc4f18f1f6217e7643ee7"
    assert chain_link(first, text).hex() == second, "the same record has another link in another place"
    assert checksum(1, 1764158400.5, 12.25, "Noted", '{"level":"info","text":"café"}') == 541663917


def test_that_a_record_that_was_changed_with_its_own_link_is_betrayed_by_the_next(path: Path) -> None:
    with without_triggers(path) as db:
        key, number, wall, monotonic, kind, body = db.execute(
            "select id, number, wall, monotonic, kind, body from record where kind = 'AnswersReceived'"
        ).fetchone()
        (before,) = db.execute("select chain from record where id = ?", (key - 1,)).fetchone()
        forged = number, wall, monotonic, kind, body.replace("Yes, 1.", "No, 1.")
        values = forged[-1], checksum(*forged), chain_link(before, record_bytes(*forged)), key
        db.execute("update record set body = ?, crc = ?, chain = ? where id = ?", values)
    assert f"record {number + 1} does not follow from those before it" in found(path)
    assert found(path).count("does not follow") == 1, "what follows from it is not blamed too"


def test_that_who_works_the_chain_out_anew_is_not_found(path: Path) -> None:
    """What the page says that it does not prove."""
    edit_body(path, "Notice", "", "")
    edit_body(path, "Bookmarked", "after its end", "before it")
    with Store.open(path, read_only=True) as store:
        for nr, id in store.db.execute("select nr, id from episode").fetchall():
            chain = chain_start(id)
            columns = "id, number, wall, monotonic, kind, body"
            sql = f"select {columns} from record where episode = ? order by id"
            rows = store.db.execute(sql, (nr,)).fetchall()
            for key, *written in rows:
                chain = chain_link(chain, record_bytes(*written))
                edit(path, "update record set chain = ? where id = ?", chain, key)
            edit(path, "update episode set seal = ? where nr = ?", chain, nr)
    assert verified(path).is_intact


def test_that_a_log_from_before_the_chain_is_whole_and_says_that_it_has_none(tmp_path: Path) -> None:
    old = old_log(tmp_path, "2026-11-21")
    with Recorder.open(old) as recorder:
        list(recorder.record_events(made.episode(1)))
    report = verified(old)
    assert (report.findings, report.unchained, report.unsealed, report.episodes) == ((), 1, 1, 2)


def test_that_what_is_saved_of_a_damaged_log_begins_a_chain(path: Path, tmp_path: Path) -> None:
    salvage(path, tmp_path / "saved.db")
    report = verified(tmp_path / "saved.db")
    assert (report.is_intact, report.unchained) == (True, 0)


# --- what is not there --------------------------------------------------------------------------------


def reopened(path: Path, cut: int) -> None:
    """Cut the last episode off after so many records, and let its row be as that of one being written."""
    edit(path, "delete from record where episode = 2 and number > ?", cut)
    edit(path, "delete from answer where episode = 2")
    columns = "ended, result, reason, believed_goal, true_goal, seal, turns, steps, failures, replans, calls"
    columns += ", questions, overrides, contradictions, stops, seconds, cost"
    edit(path, f"update episode set ({columns}) = ({', '.join(['null'] * 17)}) where nr = 2")


def test_that_an_episode_without_a_seal_is_counted(path: Path) -> None:
    assert verified(path).unsealed == 0
    reopened(path, 20)
    report = verified(path)
    assert (report.findings, len(report.unfinished), report.unsealed, report.unchained) == ((), 1, 1, 0)
    edit(path, "delete from record where episode = 2 and number = 7")
    assert verified(path).unfinished == (), "what is damaged is not 'whole so far'"


def test_that_a_chain_that_was_taken_off_is_missed(path: Path) -> None:
    edit(path, "update record set chain = null")
    edit(path, "update episode set seal = null")
    report = verified(path)
    assert [f.problem for f in report.findings] == ["its records were chained, and the chain is gone"] * 2
    assert (report.unchained, report.unsealed) == (2, 2)


def test_that_an_end_that_was_cut_off_shows_by_what_the_writer_noted(path: Path) -> None:
    with Recorder.open(path) as recorder:
        list(recorder.record_events(made.episode(3)))
        (name,) = (path.parent / "log.db-live").iterdir()
        note = name.read_bytes()
        assert verified(path).is_intact, "while its program runs"
        edit(path, "update episode set writer = 'intake' where nr = 3")
        assert verified(path).is_intact, "as after an export and an import"
        edit(path, "update episode set writer = ? where nr = 3", name.name)
        id, last = recorder.episode, int(note.split()[1])
        edit(path, "delete from record where episode = 3 and number = ?", last)
        edit(path, "update episode set ended = null, seal = null where nr = 3")
        assert f"its end is missing: its writer had written record {last}" in found(path)
    name.parent.mkdir(exist_ok=True)  # as if the program had been killed in place of closed
    name.write_bytes(note)
    assert f"its end is missing: its writer had written record {last}" in found(path)
    edit(path, "update episode set writer = '0123456789abcdef' where nr = 3")
    assert "its row names another writer than the one that was writing it" in found(path)
    with Store.open(path) as store:  # the next start
        assert store.repaired == (id,)
        reason = store.summary(id).reason
    assert reason and reason.endswith(" Lost at its end: 1 record.")
    assert verified(path).is_intact


# --- what is no damage -------------------------------------------------------------------------------


def test_that_an_episode_left_by_a_kill_is_whole_so_far(path: Path) -> None:
    edit(path, "delete from record where episode = 2 and number > 20")
    edit(path, "delete from answer where episode = 2")
    edit(path, "update episode set ended = null, result = null, seal = null where nr = 2")
    report = verified(path)
    assert (report.findings, len(report.unfinished), report.live) == ((), 1, 0)
    with Store.open(path) as store:  # the next start
        assert store.repaired == report.unfinished
        again = verify(store)
    assert (again.findings, again.unfinished, again.interrupted) == ((), (), 1)


def test_that_an_episode_that_is_being_written_is_no_finding_and_not_repaired(tmp_path: Path) -> None:
    path = tmp_path / "new.db"
    with Recorder.open(path) as first:
        events = first.record_events(made.episode(3))
        next(events)
        with Recorder.open(path) as second, Store.open(path) as store:
            assert second.repaired == store.repaired == ()
        report = verified(path)
        assert (report.findings, report.live, report.unfinished, report.unsealed) == ((), 1, (), 0)
        rest = list(events)
        assert len(rest) > 10
    with Store.open(path) as store:
        (summary,) = store.episodes()
        assert summary.result is EpisodeResult.SUCCEEDED
        assert verify(store).is_intact


def test_that_gaps_are_named_however_wide() -> None:
    assert gaps([2, 3, 7]) == ["record 1 is", "records 4 to 6 are"]
    assert gaps([1, 3 * 10**15]) == ["records 2 to 2999999999999999 are"]
    assert gaps([]) == []
