"""An earlier moment of a running episode is shown in place of now, and hides nothing that waits."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from app.past_view import PastQuestions
from app.theme import tokens as t
from core.belief import BeliefSource, Verdict
from core.episode_state import Phase, TimelineTrack
from tests.app.conftest import Driver, Opened

KEYS = {Verdict.YES: Qt.Key.Key_Y, Verdict.NO: Qt.Key.Key_N}


def click_turn(at: Driver, turn: int) -> None:
    """Click a turn on the timeline and wait until it is shown."""
    timeline = at.window.time.timeline
    mark = next(m for m in at.state.marks if m.track is TimelineTrack.TURN and m.turn == turn)
    after = next(m for m in at.state.marks if m.track is TimelineTrack.TURN and m.turn == turn + 1)
    scale = timeline._scale()
    x = round((scale.x(mark.start) + scale.x(after.start)) / 2)
    QTest.mouseClick(timeline, Qt.MouseButton.LeftButton, pos=QPoint(x, t.H_AXIS + t.H_TRACK // 2))
    at.until(lambda: at.console.past.state is not None and not at.console.past_view._to_show)


def shown_questions(at: Driver) -> PastQuestions:
    panel = at.window.docks["questions"].widget()
    assert isinstance(panel, PastQuestions)
    return panel


def at_turn(again: Opened, turn: int, preset: str = "Approve", **settings: object) -> Driver:
    at = again(pace=0.2, **settings)
    at.start(preset)
    at.pass_until(lambda: at.state.turn >= turn and at.state.phase is Phase.WAITING)
    return at


def test_that_a_click_shows_a_turn_as_the_replay_does_one_key_leads_back_and_an_answer_is_corrected(
    again: Opened,
) -> None:
    at = at_turn(again, 3)
    asked = [c.number for c in at.state.earlier_cards if c.turn == 2]
    click_turn(at, 2)
    past = at.console.past.state
    assert past is not None and past.turn == 2 and [c.number for c in past.cards] == asked
    shown = shown_questions(at)
    assert shown.isVisible() and not at.window.questions.isVisible()
    assert [v.card.number for v in shown._current.views if v.card] == asked
    assert past.frame is not None and past.frame.rgb is not None
    camera = at.console.past_view.panels["camera"]
    at.until(lambda: camera.picture.height() <= camera.height() <= at.window.docks["camera"].height())  # type: ignore[attr-defined]
    assert at.window.docks["plan"].widget() is at.console.past_view.panels["plan"]
    at.key(Qt.Key.Key_Comma)
    at.until(lambda: at.console.past.state.turn == 1)  # type: ignore[union-attr]
    at.key(Qt.Key.Key_L)
    assert at.console.past.state is None
    assert at.window.questions.isVisible() and not shown.isVisible()
    card = next(c for c in at.state.earlier_cards if c.counts_in(at.state.belief))
    click_turn(at, card.turn)
    shown = shown_questions(at)
    view = next(v for v in shown.card_views if v.card and v.card.number == card.number)
    other = card.query.text_verdict(at.state.belief.verdict(card.query.atom)).opposite
    view.keys[other].click()
    at.until(lambda: at.state.belief.source(card.query.atom) is BeliefSource.OPERATOR)
    assert at.state.belief.since(card.query.atom) == at.state.turn


@pytest.mark.long
def test_that_what_waits_stays_in_the_strip_and_its_keys_answer_it(again: Opened) -> None:
    at = at_turn(again, 3)
    click_turn(at, 1)
    turn = at.state.turn
    at.until(at.window.decision.primary.isVisible)  # once what waits has settled
    assert at.state.phase is Phase.WAITING
    at.key(Qt.Key.Key_Return)
    at.until(lambda: at.state.turn > turn)
    at.pass_until(lambda: at.state.phase is Phase.REVIEWING)
    card = at.window.questions.focused_card
    assert card is not None and card.model is not None and at.console.past.state is not None
    at.until(lambda: at.window.decision.views[0].reason.head == card.query.text)
    at.key(KEYS[card.query.text_verdict(card.model.verdict)])
    assert at.window.questions.draft or not any(c.pending for c in at.state.cards)
    assert at.console.past.state.turn == 1


def test_that_a_stop_works_while_the_past_is_shown_and_another_episode_is_shown_from_now(
    again: Opened,
) -> None:
    at = at_turn(again, 2)
    click_turn(at, 1)
    at.key(Qt.Key.Key_Escape)
    at.phase(Phase.STOPPED)
    assert at.console.past.state is not None and shown_questions(at).isVisible()
    at.until(lambda: at.window.decision.views[0].reason.head == "stopped")
    at.do("end")
    at.over()
    assert at.console.past.state is not None  # it can still be looked at
    at.do("start")
    at.until(lambda: at.console.past.state is None and at.window.questions.isVisible())


@pytest.mark.long
def test_that_an_answer_of_an_earlier_turn_is_corrected_below_the_current_ones(again: Opened) -> None:
    at = at_turn(again, 3)
    shown = (v for v in at.window.questions.card_views if v.card and v.card.turn < at.state.turn)
    views = [v for v in shown if v.card and v.card.counts_in(at.state.belief)]
    assert views
    view, card = views[0], views[0].card
    assert card is not None and f"turn {card.turn}" in view.foot.text()
    other = card.query.text_verdict(at.state.belief.verdict(card.query.atom)).opposite
    view.keys[other].click()
    at.until(lambda: at.state.belief.source(card.query.atom) is BeliefSource.OPERATOR)
    at.until(lambda: view.note.text() == "set by you")
