"""The queue of a blind reviewer: each unanswered question with a picture once, over many episodes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.belief import Query, Verdict
from core.errors import BadValue
from core.events import AnswersReceived, Event, FrameCaptured
from core.log.export.judged import judged_questions
from core.log.labels import add_label
from core.log.recorder import Recorder
from core.log.store import EpisodeFilter, Store
from core.review.replay import EpisodeReplay
from core.review.review_queue import unlabelled_answers
from core.vqa.eye.eye import NO
from core.vqa.eye.teaching.labels import LabelSource, read_labels
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


def test_that_each_pictures_unasked_questions_are_asked_too(tmp_path: Path) -> None:
    dark = Query(made.atom(7), "Is it dark?", negated=True)

    def told() -> Iterator[Event]:
        for event in made.episode(2, pictures=True):
            yield replace(event, review=(dark,)) if isinstance(event, FrameCaptured) else event

    with Recorder.open(tmp_path / "log.db") as recorder:
        list(recorder.record_events(told()))
    with Store.open(tmp_path / "log.db") as store:
        batch, last = unlabelled_answers(store, EpisodeFilter(), "bob")  # what was asked comes first
        replay = EpisodeReplay(list(store.records(batch.episode)))
        unasked = {(q.number, q.place): q for q in replay.unasked}
        assert set(batch.answers) == {(q.number, q.place) for q in replay.questions}
        assert set(last.answers) == set(unasked)
        for key, question in unasked.items():
            frame = replay.state_at(question.index).frame
            assert frame is not None and frame.id == question.frame and question.query == dark
            add_label(store, batch.episode, *key, Verdict.NO, "bob", blind=True)
        with pytest.raises(BadValue, match="no answer 1"):
            add_label(store, batch.episode, key[0], 1, Verdict.NO, "bob")
        (left,) = unlabelled_answers(store, EpisodeFilter(), "bob")
        assert not set(left.answers) & set(unasked)
        mine = [label for label in read_labels(store) if label.source is LabelSource.BLIND]
        assert {label.picture for label in mine} == {q.frame for q in unasked.values()}
        assert {(label.atom, label.answer, label.by) for label in mine} == {(dark.atom, NO, "bob")}
        exported = [row for row in judged_questions(store) if row.question == dark.text]
        assert {(row.picture, row.answer, row.by, row.model) for row in exported} == {
            (q.frame, "no", "bob", "") for q in unasked.values()
        }
