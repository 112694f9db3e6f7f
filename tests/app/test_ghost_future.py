"""Hovering over an answer shows what would follow from it, and changes nothing."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt
from PySide6.QtTest import QTest

from app.ghost_future import predict_future
from core.belief import Verdict
from core.episode_state import Phase
from core.planning.planner import make_planner
from core.stop_token import StopToken
from tests.app.conftest import Driver, Opened


def reviewing(again: Opened) -> Driver:
    at = again()
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.REVIEWING and at.state.plan_count)
    return at


def test_that_the_future_of_an_answer_is_shown_until_the_pointer_leaves(again: Opened) -> None:
    at = reviewing(again)
    card, plan = at.window.questions.focused_card, at.window.plan
    assert card is not None and card.model is not None
    other = card.query.text_verdict(card.model.verdict).opposite
    button = at.window.decision.answers[0 if other is Verdict.YES else 1]
    before, belief = plan.list.steps.rows, at.state.belief
    at.console.app.sendEvent(button, QEvent(QEvent.Type.Enter))
    at.until(lambda: f"if you answer {other.value}" in plan.header.note.text())
    assert plan.list.steps.rows != before
    at.console.app.sendEvent(button, QEvent(QEvent.Type.Leave))
    assert "if you answer" not in plan.header.note.text()
    at.until(lambda: plan.list.steps.rows == before)
    assert at.state.belief is belief and at.state.phase is Phase.REVIEWING


def test_that_shift_with_a_key_shows_the_future_while_it_is_held(again: Opened) -> None:
    at = reviewing(again)
    at.read()
    QTest.keyPress(at._focus(), Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    at.until(lambda: "if you answer no" in at.window.plan.header.note.text())
    QTest.keyRelease(at._focus(), Qt.Key.Key_N, Qt.KeyboardModifier.ShiftModifier)
    assert "if you answer" not in at.window.plan.header.note.text()
    assert at.state.phase is Phase.REVIEWING and not at.window.questions.draft


def test_that_the_expected_answer_keeps_the_plan_and_the_other_makes_one(again: Opened) -> None:
    at = reviewing(again)
    components, questions = at.controller.session.components, at.window.questions
    card = questions.focused_card
    assert components is not None and card is not None
    planner = make_planner()
    expected = card.query.text_verdict(card.query.expected)
    futures = [
        predict_future(components, at.state, questions.if_answered(v), planner, StopToken())
        for v in (expected, expected.opposite)
    ]
    planner.close()
    assert futures[0].new_plan.steps == futures[0].old_steps
    assert futures[1].new_plan.steps != futures[1].old_steps
