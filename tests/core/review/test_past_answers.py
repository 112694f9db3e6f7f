"""What a model answered about a predicate before: who was right, and how often."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.belief import Verdict
from core.intervals import wilson_interval
from core.log.annotations import EpisodeAnnotations
from core.log.labels import add_label
from core.log.recorder import Recorder
from core.log.store import Store
from core.review.past_answers import PastAnswers, past_answers
from tests.core.log import made

WRONG, RIGHT = made.PREDICATES[0], made.PREDICATES[1]


@pytest.fixture
def ids(tmp_path: Path) -> list[str]:
    """Three episodes of two turns; the simulator knew the last two's truth."""
    found = []
    with Recorder.open(tmp_path / "log.db") as recorder:
        for by, truth in (("", False), ("ada", True), ("", True)):
            *_, last = recorder.record_events(made.episode(2, True, by, truth=truth))
            found.append(last.episode)
    return found


@pytest.fixture
def store(tmp_path: Path, ids: list[str]) -> Iterator[Store]:
    with Store.open(tmp_path / "log.db") as store:
        yield store


def test_that_the_share_has_its_interval(store: Store) -> None:
    found = past_answers(store, "gpt", WRONG)
    assert (found.judged, found.right) == (4, 0) and found.interval == wilson_interval(0, 4)
    right = past_answers(store, "gpt", RIGHT)
    assert (right.judged, right.right) == (4, 4)


def test_that_only_what_was_before_counts(store: Store, ids: list[str]) -> None:
    assert past_answers(store, "gpt", WRONG, before=ids[2]).judged == 2
    assert past_answers(store, "gpt", WRONG, before=ids[0]) == PastAnswers("gpt", WRONG, 0, 0)
    assert past_answers(store, "another", WRONG) == PastAnswers("another", WRONG, 0, 0)


def test_that_a_reviewers_last_word_outranks_the_simulator(store: Store, ids: list[str]) -> None:
    query = "select max(number) from record where id in (select record from answer where predicate = ?)"
    ((number,),) = store.rows((int,), query, (WRONG,))
    for verdict in (Verdict.NO, Verdict.YES):
        add_label(store, ids[2], number, 0, verdict, "bob")
    found = past_answers(store, "gpt", WRONG)
    assert (found.judged, found.right) == (4, 1)
    add_label(store, ids[2], number, 0, Verdict.UNKNOWN, "bob")
    assert past_answers(store, "gpt", WRONG).judged == 3  # unknown is neither right nor wrong


def test_that_a_deleted_episode_counts_no_more(store: Store, ids: list[str]) -> None:
    EpisodeAnnotations(store).delete(ids[2])
    assert past_answers(store, "gpt", WRONG).judged == 2
