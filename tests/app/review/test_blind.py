"""Blind review: what is on the screen before the judgement does not depend on the answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from app.review.question_view import answer_key
from core import events as ev
from core.belief import Verdict
from core.log.recorder import Recorder
from core.ports import BoundingBox
from tests.app.review.conftest import Reader
from tests.core.log import made


def told(verdict: Verdict, turns: int = 1) -> Iterator[ev.Event]:
    """An episode in which a box is where the answer is yes, and everything else differs with the answer."""
    yes = verdict is Verdict.YES
    for event in made.episode(turns, True, "" if yes else "ada", truth=True):
        match event:
            case ev.FrameCaptured() if yes:
                yield replace(event, boxes=(BoundingBox("mug", 2, 2, 9, 9),))
            case ev.AnswersReceived(call=call):
                answers = (replace(call.answers[0], verdict=verdict), *call.answers[1:])
                yield replace(event, call=replace(call, answers=answers))
            case ev.EpisodeEnded() if not yes:
                yield ev.EpisodeEnded(ev.EpisodeResult.STEP_LIMIT, "Too many steps.", False, False)
            case _:
                yield event


@pytest.fixture
def ids(tmp_path: Path) -> list[str]:
    found = []
    with Recorder.open(tmp_path / "log.db") as recorder:
        for events in (told(Verdict.YES), told(Verdict.NO), told(Verdict.YES, 6)):
            *_, last = recorder.record_events(events)
            found.append(last.episode)
    return found


def screen(reader: Reader) -> QImage:
    reader.review.setFocus()
    QTest.qWait(50)  # the layout settles
    return reader.review.grab().toImage()


@pytest.mark.long
def test_that_nothing_on_the_screen_correlates_with_the_answer(reader: Reader, ids: list[str]) -> None:
    """The robot's box alone gave it away: none was there wherever the answer was no."""
    seen, open_ones = [], []
    for id in ids[:2]:
        review = reader.open(id)
        open_ones.append(screen(reader))
        assert review.replay.opened is not None
        differs = review.replay.opened.replay.questions[0]
        review.replay.show_queued((answer_key(differs),), 0, 1)
        seen.append(screen(reader))
        review.replay.review.blind.click()
    assert seen[0] == seen[1]
    assert open_ones[0] != open_ones[1]


@pytest.mark.long
def test_that_the_order_is_shuffled_by_a_seed(reader: Reader, ids: list[str]) -> None:
    def order() -> list[int]:
        replay = reader.open(ids[2]).replay
        replay.review.blind.click()
        found = []
        for _ in range(24):
            found.append(replay.question_index)
            reader.key(Qt.Key.Key_J)
        replay.review.blind.click()
        return found

    first = order()
    assert sorted(first) == list(range(24)) and first != list(range(24))
    assert order() == first


def test_that_the_box_is_shown_once_it_is_judged_and_that_is_final(reader: Reader, ids: list[str]) -> None:
    replay = reader.open(ids[0]).replay
    replay.review.blind.click()
    assert replay.question is not None and replay.review.card._picture.box is None
    reader.key(Qt.Key.Key_Y)
    reader.until(lambda: not replay.review.card.seen.blind)
    assert replay.review.card._picture.box is not None
    labels = dict(replay._labels[answer_key(replay.question)])
    reader.key(Qt.Key.Key_N)
    assert "your blind answer stays" in replay.review.header.note.text()
    assert dict(replay._labels[answer_key(replay.question)]) == labels


@pytest.mark.long
def test_that_the_keys_show_no_other_moment(reader: Reader, ids: list[str]) -> None:
    review = reader.open(ids[2])
    review.replay.review.blind.click()
    shown = review.replay.camera._state.frame
    for key in (Qt.Key.Key_End, Qt.Key.Key_Home, Qt.Key.Key_Period, Qt.Key.Key_O, Qt.Key.Key_V):
        reader.key(key)
        assert review.replay.camera._state.frame == shown
    assert review.bar.isHidden() or not review.bar.isVisible()
    review.replay.review.blind.click()
    assert review.bar.isVisible() and not review.episode_list.has_placeholder
