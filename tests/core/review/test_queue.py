"""The queue of a blind reviewer: each unanswered question with a picture once, over many episodes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.belief import Verdict
from core.events import AnswersReceived
from core.log.labels import add_label
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.review.review_queue import unlabelled_answers
from tests.core.log import made


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Two episodes with pictures and one without; four questions in each of two turns."""
    path = tmp_path / "log.db"
    with Recorder.open(path, wall=iter(range(10**9, 2 * 10**9)).__next__) as recorder:
        for task, pictures in (("boil_water", True), ("halve_egg", False), ("boil_water", True)):
            list(recorder.record_events(made.episode(2, pictures, task=task)))
    with Store.open(path) as store:
        yield store


def test_that_the_queue_has_every_question_with_a_picture_shuffled(store: Store) -> None:
    ids = {s.episode for s in store.episodes(EpisodeFilter(tasks=["boil_water"]))}
    found = unlabelled_answers(store, EpisodeFilter(), "bob")
    assert {b.episode for b in found} == ids
    for batch in found:
        numbers = [r.number for r in store.records(batch.episode) if isinstance(r.event, AnswersReceived)]
        assert sorted(batch.answers) == [(n, place) for n in numbers for place in range(4)]
    assert any(list(b.answers) != sorted(b.answers) for b in found)
    assert unlabelled_answers(store, EpisodeFilter(), "bob") == found  # for one reviewer always the same
    assert unlabelled_answers(store, EpisodeFilter(), "eve") != found


def test_that_what_this_reviewer_answered_is_not_asked_again_and_what_another_did_is(store: Store) -> None:
    first, second = unlabelled_answers(store, EpisodeFilter(), "bob")
    number, place = first.answers[2]
    add_label(store, first.episode, number, place, Verdict.NO, "bob", blind=True)
    asked, left = (
        {b.episode: set(b.answers) for b in unlabelled_answers(store, EpisodeFilter(), by)}
        for by in ("eve", "bob")
    )
    assert left == asked | {first.episode: asked[first.episode] - {(number, place)}}
    assert asked == {b.episode: set(b.answers) for b in (first, second)}


def test_that_the_queue_is_of_what_the_list_shows_or_of_what_is_selected(store: Store) -> None:
    _first, second = unlabelled_answers(store, EpisodeFilter(), "bob")
    assert unlabelled_answers(store, EpisodeFilter(tasks=["halve_egg"]), "bob") == ()
    assert unlabelled_answers(store, EpisodeFilter(ids=[second.episode]), "bob") == (second,)
    found = unlabelled_answers(store, EpisodeFilter(), "bob", limit=9)
    assert sorted(len(b.answers) for b in found) == [1, 8]
