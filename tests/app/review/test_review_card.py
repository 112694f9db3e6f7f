"""A reviewer's answers: kept apart, blind, in a queue."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.review.question_view import answer_key, latest_labels, question_view
from core.belief import BeliefSource, Verdict
from core.log.labels import labels
from core.log.store import Store
from core.ports import all_unknown
from core.review.replay import EpisodeReplay
from tests.app.review.conftest import Reader


def test_that_a_blind_answer_is_kept_apart_and_then_the_model_is_shown(
    reader: Reader, ids: list[str], tmp_path: Path
) -> None:
    review = reader.open(ids[2])
    replay = review.replay
    replay.review.blind.click()
    question = replay.question
    assert question is not None
    QTest.keyClick(review, Qt.Key.Key_Y, Qt.KeyboardModifier.ControlModifier)  # which is no answer
    reader.key(Qt.Key.Key_N)
    reader.until(lambda: not replay.review.card.seen.blind)
    assert any("gpt" in words for _, _, words in replay.review.card.seen.lines)
    assert replay.review.card._undo.text() == "Enter goes to the next"
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        (label,) = labels(store, ids[2])
        assert (label.number, label.place, label.blind) == (question.number, question.place, True)
        assert label.verdict is question.query.text_verdict(Verdict.NO)
        assert list(store.records(ids[2])) == list(replay.player.replay.records)
    reader.key(Qt.Key.Key_J)
    face = replay.review.card.seen
    assert face is not None and face.blind and face.number == 2
    reader.key(Qt.Key.Key_Backspace)
    assert replay.question is question


@pytest.mark.long
def test_that_a_queue_asks_every_unanswered_question_of_the_list_blind(
    reader: Reader, ids: list[str], tmp_path: Path
) -> None:
    review, replay = reader.review, reader.review.replay
    review.episode_list._search.setText("halve")
    reader.until(lambda: reader.listed() == [ids[1]])
    review.episode_list._search.setText("")
    reader.until(lambda: reader.listed() == ids[::-1])
    reader.key(Qt.Key.Key_Q)
    reader.until(lambda: replay.opened and replay.blind)
    first = replay.opened.summary.episode
    assert replay.review.card.progress.of == 3 * 24
    for _ in range(24):
        assert replay.review.card.seen.blind
        reader.key(Qt.Key.Key_Y)
        reader.until(lambda: not replay.review.card.seen.blind)
        reader.key(Qt.Key.Key_J)
    reader.until(lambda: replay.opened.summary.episode != first)
    second = replay.opened.summary.episode
    reader.until(lambda: replay.review.card.seen.blind)
    assert replay.review.card.progress.at == 24
    reader.key(Qt.Key.Key_U)
    reader.until(lambda: not replay.review.card.seen.blind)
    with Store.open(tmp_path / "log.db", read_only=True) as store:
        assert [len(labels(store, id)) for id in (first, second)] == [24, 1]
        assert all(x.blind for id in ids for x in labels(store, id))
    reader.key(Qt.Key.Key_Q)  # begun anew: what was answered is not asked again
    reader.until(lambda: replay.review.card.progress.of == 3 * 24 - 25)
    assert replay.opened.summary.episode != first


def test_that_what_the_operator_said_is_told_only_to_one_who_sees(ids: list[str], tmp_path: Path) -> None:
    with Store.open(tmp_path / "log.db") as store:
        replay = EpisodeReplay(list(store.records(ids[2])))
    question = next(q for q in replay.questions if q.operator and q.operator.source is BeliefSource.OPERATOR)
    assert question_view(1, question, {}, True, "").lines == ()
    told = [words for _, _, words in question_view(1, question, {}, False, "").lines]
    assert any(words.startswith("ada set it to") for words in told)
    (nobody,) = all_unknown((question.query,), 1, "", "")
    told = [words for _, _, words in question_view(1, replace(question, model=nobody), {}, False, "").lines]
    assert told[0] == "no model was asked"
    assert latest_labels(()) == {} and answer_key(question) == (question.number, question.place)
