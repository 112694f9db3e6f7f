"""What was so when a model answered: logged beside the answer, counted afterwards, shown to no method."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

import main
from core.config import Settings
from core.errors import LogError
from core.events import AnswersReceived, GroundTruthRecorded, Record
from core.log import schema
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.review.statistics import predicate_statistics
from tests.core.log import made
from tests.core.log.closed_log import old_log
from tests.episodes import events_of


@pytest.fixture(scope="module")
def given(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Record]]:
    """An episode with a model that is often wrong, in a simulator that knows what is so."""
    path = tmp_path_factory.mktemp("truth") / "log.db"
    settings = Settings(robot="symbolic", answerer="gpt-4.1-household", seed=3, max_steps=8, pictures=False)
    with closing(main.make_components(settings)) as parts, Recorder.open(path) as recorder:
        return path, list(recorder.record_events(iter(events_of(parts))))


@pytest.fixture
def store(given: tuple[Path, list[Record]]) -> Iterator[Store]:
    with Store.open(given[0], read_only=True) as store:
        yield store


def test_that_every_answer_of_a_simulated_episode_has_its_truth_beside_it(
    given: tuple[Path, list[Record]],
) -> None:
    events = [r.event for r in given[1]]
    calls = [i for i, e in enumerate(events) if isinstance(e, AnswersReceived)]
    assert calls
    for i in calls:
        answered, revealed = events[i], events[i + 1]
        assert isinstance(answered, AnswersReceived) and isinstance(revealed, GroundTruthRecorded)
        assert [f.atom for f in revealed.facts] == [a.atom for a in answered.call.answers]


def test_that_answers_are_counted_against_the_truth(given: tuple[Path, list[Record]], store: Store) -> None:
    events = [r.event for r in given[1]]
    known = right = 0
    for answered, revealed in pairwise(events):
        if isinstance(answered, AnswersReceived) and isinstance(revealed, GroundTruthRecorded):
            for answer, fact in zip(answered.call.answers, revealed.facts, strict=True):
                if answer.verdict.value != "unknown":
                    known += 1
                    right += (answer.verdict.value == "yes") is fact.holds
    assert 0 < right < known
    (row,) = store.db.execute("select sum(known), sum(correct) from agreement")
    assert row == (known, right)
    (row,) = store.db.execute("select sum(answers), sum(agreed) from judgement where as_what = 'truth'")
    assert row == (known, right)
    found = predicate_statistics(store, EpisodeFilter())
    assert (
        sum(t.judged_by_simulator.total for t in found),
        sum(t.judged_by_simulator.correct for t in found),
    ) == (known, right)


def test_that_nobody_finds_the_truth_by_searching(store: Store) -> None:
    kinds = {
        row[0] for row in store.db.execute("select kind from record where id in (select rowid from word)")
    }
    assert "AnswersReceived" in kinds and "GroundTruthRecorded" not in kinds


def test_that_where_no_simulator_knows_nothing_is_claimed(tmp_path: Path) -> None:
    path = tmp_path / "log.db"
    with Recorder.open(path) as recorder:
        list(recorder.record_events(made.episode(2)))
    with Store.open(path, read_only=True) as store:
        assert store.db.execute("select distinct truth, seen from answer").fetchall() == [(None, None)]
        assert store.db.execute("select sum(known), max(correct_share) from agreement").fetchone() == (
            0,
            None,
        )


def test_that_a_log_from_before_gets_its_answers_counted_when_it_is_opened(tmp_path: Path) -> None:
    path = old_log(tmp_path, "2026-11-21")
    with closing(sqlite3.connect(path)) as db:
        counted = db.execute("select * from answer").fetchall()
        db.executescript("drop table answer; delete from _sqlite_migrations where name = 'answers_and_truth'")
    assert len(counted) > 5
    with pytest.raises(LogError, match=r"older version.*episodes verify --database"):
        Store.open(path, read_only=True)
    with Store.open(path) as store:
        assert store.db.execute("select * from answer").fetchall() == counted
        assert schema.pending(schema.Database(store.db), path) == []
