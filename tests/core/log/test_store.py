"""Reading: pages, filters, records, pictures; and the views that answer the usual questions in SQL."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.errors import LogError, UnknownName
from core.events import EpisodeResult, FrameCaptured, ModelConsulted, StandstillMeasured, StopRequested
from core.log.export import jsonl
from core.log.integrity.verify import verify
from core.log.picture_store import INLINE_LIMIT
from core.log.recorder import Recorder
from core.log.store import COLUMNS, EpisodeFilter, Store
from core.pictures import decode_picture
from core.ports import ChatMessage
from core.state.state_reducer import fold_records
from tests.core.log import made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.db"


def rows(path: Path, sql: str) -> list[tuple[object, ...]]:
    with Store.open(path, read_only=True) as store:
        return store.db.execute(sql).fetchall()


def test_that_an_episode_is_read_as_it_was_written(path: Path) -> None:
    with Recorder.open(path) as recorder:
        given = list(recorder.record_events(made.episode(60, by="ada")))
    assert len(given) > 500  # more than a page
    with Store.open(path) as store:
        assert list(store.records(given[0].episode)) == given
        assert list(store.records(given[0].episode, 3, 5)) == given[2:5]


def test_that_the_summary_counts_as_the_story_does(path: Path) -> None:
    with Recorder.open(path) as recorder:
        given = list(recorder.record_events(made.episode(4, by="ada")))
        recorder.record(StopRequested(1, "key"))
        recorder.record(StandstillMeasured(1, 0.2, 0.0))
    with Store.open(path) as store:
        summary = store.summary(given[0].episode)
        counts = fold_records(store.records(given[0].episode)).counts
    assert (summary.task, summary.method, summary.seed) == ("boil_water", "dkprompt", 7)
    assert (summary.result, summary.believed_goal, summary.true_goal) == (
        EpisodeResult.SUCCEEDED,
        True,
        False,
    )
    assert (summary.turns, summary.failures) == (4, 1)
    for name in ("steps", "replans", "calls", "questions", "overrides", "contradictions", "stops", "cost"):
        assert getattr(summary, name) == pytest.approx(getattr(counts, name)), name
    assert summary.overrides == 2  # one answer, one correction


def test_that_episodes_come_in_pages_sorted_and_filtered(path: Path) -> None:
    wall = iter(range(10_000))
    with Recorder.open(path, wall=lambda: float(next(wall))) as recorder:
        for i in range(7):
            list(recorder.record_events(made.episode(1 + i % 3, task=f"task {i}")))
    with Store.open(path) as store:
        assert store.count() == 7
        pages = [e.task for offset in (0, 3, 6) for e in store.episodes(limit=3, offset=offset)]
        assert pages == [f"task {i}" for i in range(6, -1, -1)]
        steps = [e.steps for e in store.episodes(order="steps", descending=False)]
        assert steps == sorted(s for s in steps if s is not None)
        assert [e.task for e in store.episodes(EpisodeFilter(tasks=["task 2", "task 4"]))] == [
            "task 4",
            "task 2",
        ]
        assert store.count(EpisodeFilter(results=[EpisodeResult.INTERRUPTED])) == 0
        for column in COLUMNS:
            assert len(store.episodes(order=column)) == 7


def test_that_the_order_is_that_of_recording_whatever_the_clock_said(path: Path, tmp_path: Path) -> None:
    clock = [2_000_000_000.0]
    with Recorder.open(path, wall=lambda: clock[0]) as recorder:
        for task in ("before", "after"):
            list(recorder.record_events(made.episode(1, task=task)))
            clock[0] -= 86_400  # the clock is set right
    with Store.open(path) as store:
        assert [e.task for e in store.episodes()] == ["after", "before"]
        assert [e.task for e in store.episodes(order="began")] == ["before", "after"]
        assert store.summary("last").task == "after"
        jsonl.export(store, [store.summary("last").episode], tmp_path / "out.jsonl")
    with Recorder.open(tmp_path / "other.db") as recorder:
        list(recorder.record_events(made.episode(1, task="run here")))
    with Store.open(tmp_path / "other.db") as store:
        jsonl.import_file(store, tmp_path / "out.jsonl")
        assert [e.task for e in store.episodes()] == ["after", "run here"]
        assert store.summary("last").task == "run here", "an import was run elsewhere"


def test_that_a_clock_before_1970_is_logged_as_1970(path: Path) -> None:
    with Recorder.open(path, wall=lambda: -1e9) as recorder:
        given = list(recorder.record_events(made.episode(1)))
    with Store.open(path) as store:
        assert list(store.records("last")) == given and given[0].wall == 0.0
        assert verify(store).is_intact


KILLED = """
import os, sys
from core.log.recorder import Recorder
from tests.core.log import made
recorder = Recorder.open(sys.argv[1])
for _, event in zip(range(20), made.episode(3)):
    recorder.record(event)
os._exit(9)
"""


def test_that_a_killed_episode_is_not_listed_as_being_recorded(path: Path) -> None:
    subprocess.run([sys.executable, "-c", KILLED, path], check=False)
    with Store.open(path, read_only=True) as store:
        (killed,) = store.episodes()
        assert (killed.result, killed.seconds) == (EpisodeResult.INTERRUPTED, None)
        assert store.summary("last") == killed
    with Recorder.open(path) as recorder, Store.open(path, read_only=True) as store:
        recorder.record(made.started())
        assert [e.result for e in store.episodes()] == [None, EpisodeResult.INTERRUPTED]


def test_that_an_episode_is_found_by_the_beginning_of_its_id(path: Path) -> None:
    with Recorder.open(path) as recorder:
        first, second = (recorder.record(made.started()).episode for _ in range(2))
    with Store.open(path) as store:
        assert store.summary(first[:-1]).episode == first
        assert store.summary(second).episode == second
        for unknown in ("", "2", "nothing", first + "0"):
            with pytest.raises(UnknownName, match="no episode"):
                store.summary(unknown)
        with pytest.raises(UnknownName, match="no column"):
            store.episodes(order="id; drop table record")


def test_that_pictures_are_kept_once_and_byte_for_byte(path: Path) -> None:
    small, large = made.frame(1), made.frame(2, 300)
    assert len(small.png) < INLINE_LIMIT < len(large.png)
    with Recorder.open(path) as recorder:
        recorder.record(made.started())
        for frame in (small, large, small, large):
            recorder.record(FrameCaptured(1, frame))
    with Store.open(path) as store:
        for frame in (small, large):
            assert store.picture(frame.id) == frame.png
            assert (decode_picture(store.picture(frame.id)) == frame.rgb).all()
        assert store.db.execute("select count(*), sum(bytes is null) from picture").fetchone() == (2, 1)
        with pytest.raises(LogError, match="no picture"):
            store.picture("nothing")
        (path.parent / "log.db-pictures" / f"{large.id}.png").unlink()
        with pytest.raises(LogError, match="no picture"):
            store.picture(large.id)


def test_that_records_are_never_changed_nor_taken_out(path: Path) -> None:
    with Recorder.open(path) as recorder:
        list(recorder.record_events(made.episode(1)))
    with Store.open(path) as store:
        for sql in ("update record set number = 3 where id = 1", "delete from record where id = 1"):
            with pytest.raises(Exception, match="records"):
                store.db.execute(sql)


def test_that_the_views_answer_the_usual_questions(path: Path) -> None:
    with Recorder.open(path) as recorder:
        given = list(recorder.record_events(made.episode(4, by="ada")))
        recorder.record(StopRequested(1, "key", "ada"))
        recorder.record(StandstillMeasured(1, 0.25, 0.0))
    assert rows(path, "select task, result, true_goal from episodes") == [("boil_water", "succeeded", 0)]
    asked = rows(
        path,
        "select turn, atom, predicate, purpose, text, model, model_verdict, raw_reply, operator_verdict, "
        "operator, operator_seconds from questions",
    )
    assert len(asked) == 16
    assert asked[0] == (
        *(1, "(inside mug shelf0)", "inside", "effect", "Is it so (0)?", "gpt", "yes", "Yes, 0."),
        *(None, None, None),
    )
    assert asked[12][5:] == ("gpt", "yes", "Yes, 0.", "no", "ada", 2.5)
    assert asked[13][5:9] == ("gpt", "yes", "Yes, 1.", "yes")  # seen and let stand
    assert asked[13][9] is None
    assert rows(path, "select turn, atom, how, model_verdict, operator_verdict, operator from overrides") == [
        (4, "(inside mug shelf0)", "answer", "yes", "no", "ada"),
        (4, "(open mug shelf2)", "correction", "yes", "no", "ada"),
    ]
    columns = "turn, literals, raw_reply, source, status, old_steps, new_steps"
    assert rows(path, f"select {columns} from replans") == [
        (3, "not inside mug shelf0", "No.", "model", "found", 3, 4)
    ]
    assert rows(path, "select stop, reason, by, seconds, speed from stops") == [(1, "key", "ada", 0.25, 0.0)]
    assert rows(path, "select model, prompt, calls, questions, tokens, round(cost, 6) from costs") == [
        ("gpt", "paper-1", 4, 16, 1200, 0.008)
    ]
    assert rows(path, "select predicate, answers, yes, reviewed, agreed, share from agreement") == [
        ("handempty", 4, 4, 1, 1, 1.0),
        ("inside", 4, 4, 1, 0, 0.0),
        ("ontop", 4, 4, 1, 1, 1.0),
        ("open", 4, 4, 1, 1, 1.0),
    ]
    assert len(rows(path, "select at, body from records where at > '2020'")) == len(given) + 2


def test_that_reading_only_changes_no_byte_and_makes_no_file(path: Path) -> None:
    with pytest.raises(LogError, match="cannot be opened"):
        Store.open(path, read_only=True)
    assert not path.exists()
    with Recorder.open(path) as recorder:
        list(recorder.record_events(made.episode(1)))
    before = path.read_bytes()
    with Store.open(path, read_only=True) as store:
        assert store.count() == 1
        with pytest.raises(Exception, match="readonly"):
            store.db.execute("delete from picture")
    assert path.read_bytes() == before


def test_that_a_methods_own_call_counts_as_the_answerers_do(path: Path) -> None:
    asked = ModelConsulted(
        1, "count", (ChatMessage("user", "How many?"),), "", "four", "4", "gpt", 0.5, 7, 0.25
    )
    lost = ModelConsulted(1, "count", asked.messages, "", "", "", "", error="No model is chosen.")
    with Recorder.open(path) as recorder:
        *events, end = made.episode(4)
        given = list(recorder.record_events(iter((*events, asked, lost, end))))
    with Store.open(path, read_only=True) as store:
        (summary,) = store.episodes()
        assert verify(store).is_intact
    counts = fold_records(given).counts
    assert (summary.calls, summary.cost) == (counts.calls, pytest.approx(counts.cost)) == (5, 0.258)
    assert rows(path, "select model, prompt, calls, questions, tokens, round(cost, 6) from costs") == [
        ("gpt", "count", 1, 0, 7, 0.25),
        ("gpt", "paper-1", 4, 16, 1200, 0.008),
    ]
