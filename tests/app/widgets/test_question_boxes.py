"""Boxes of what was asked about: what was answered, and where it is on a live picture."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QImage

from app.widgets.camera.camera_panel import has_moved, on_live, question_boxes
from core.belief import Answer, Atom, BeliefSource, Purpose, Query, Verdict
from core.episode_state import EpisodeState, QuestionCard, TimelineMark, TimelineTrack
from core.planning import domain_library
from core.planning_model import Step
from core.ports import BoundingBox
from core.text.vocabulary import Vocabulary

FOLDER, TASK = domain_library.load_task("boil_water")
WORDS = Vocabulary.of(FOLDER, TASK.problem)
CLOSED = Atom("closed", ("cabinet-n-01_1",))
BOX = BoundingBox("cabinet-n-01_1", 64, 0, 128, 256)


def asked(verdict: Verdict | None, expected: Verdict = Verdict.NO, by: str = "gpt") -> EpisodeState:
    query = WORDS.describe_query(CLOSED)
    assert isinstance(query, Query)
    query = replace(query, expected=expected, purpose=Purpose.EFFECT)
    answer = Answer(CLOSED, verdict, BeliefSource.MODEL, by=by) if verdict is not None else None
    card = QuestionCard(1, 1, query, "frame", answer, answer)
    return EpisodeState(cards=(card,), boxes=(BOX,))


def words(state: EpisodeState) -> list[tuple[str, str]]:
    return [(mark.text, mark.level) for mark in question_boxes(state, WORDS)]


def test_that_a_box_says_what_was_answered_and_doubts_what_was_not_expected() -> None:
    assert words(asked(None)) == [("cabinet", "")]
    assert words(asked(Verdict.NO)) == [("the cabinet is wide open", "")]
    assert words(asked(Verdict.YES)) == [("the cabinet is closed or ajar", "doubt")]
    assert words(asked(Verdict.UNKNOWN)) == [("cabinet: can't tell", "doubt")]


def test_that_a_question_that_only_a_person_is_asked_is_no_doubtful_answer() -> None:
    assert words(asked(Verdict.UNKNOWN, by="")) == [("cabinet", "")]


def test_that_a_box_lies_in_the_middle_of_a_live_picture() -> None:
    marks = question_boxes(asked(Verdict.NO), WORDS)
    (mark,) = on_live(marks, (256, 256), QImage(640, 480, QImage.Format.Format_RGB888))
    assert (mark.box.left, mark.box.top, mark.box.right, mark.box.bottom) == (200, 0, 320, 480)


def test_that_a_still_no_longer_tells_where_things_are_once_a_step_began() -> None:
    turn = TimelineMark(TimelineTrack.TURN, "turn", 1.0, None, 1)
    step = TimelineMark(TimelineTrack.ACTION, "done", 2.0, 3.0, 1)
    assert not has_moved(EpisodeState(marks=(step, turn)))
    assert has_moved(EpisodeState(marks=(turn, step)))
    assert has_moved(EpisodeState(marks=(step, turn), acting=Step("openit", ()))), "while it is under way too"
