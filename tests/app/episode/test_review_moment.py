"""One question, one key: a person answers, corrects an offer, and takes both back in the turn they see."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.presentation.candidates import atom_candidates
from app.presentation.decision_section import suspicious, to_judge
from core.belief import BeliefSource, Verdict
from core.episode_state import Phase, QuestionCard
from tests.app.conftest import Driver, Opened

WRONG = {"answerer": "symmetric-34", "openness": 1.0, "seed": 1}  # every third answer is wrong
KEYS = {Verdict.YES: Qt.Key.Key_Y, Verdict.NO: Qt.Key.Key_N}


def reviewing(at: Driver) -> QuestionCard:
    """Return the question that has the focus in the first review."""
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.REVIEWING)
    card = at.window.questions.focused_card
    assert card is not None and card.model is not None
    return card


def other_key(card: QuestionCard) -> Qt.Key:
    """Return the key that disagrees with the model."""
    assert card.model is not None
    return KEYS[card.query.text_verdict(card.model.verdict).opposite]


def test_that_the_strip_asks_the_focused_question_with_three_answers(again: Opened) -> None:
    at = again()
    card = reviewing(at)
    bar = at.window.decision
    at.until(lambda: bar.views[0].reason.head == card.query.text)
    assert [b.text() for b in bar.answers] == ["Yes", "No", "Can't tell"]
    assert all(b.isVisible() and b.key in "YNU" for b in bar.answers)
    assert not bar.primary.isVisible() and bar.others[0].text().startswith("Accept “")


def test_that_one_key_disagrees_and_can_be_taken_back_until_motion_starts(again: Opened) -> None:
    at = again()
    card = reviewing(at)
    assert card.model is not None and len(to_judge(at.state.cards)) == 1
    at.key(other_key(card))
    at.until(lambda: at.state.counts.overrides == 1)
    at.until(lambda: at.state.belief.source(card.query.atom) is BeliefSource.OPERATOR)
    assert at.state.belief.verdict(card.query.atom) is card.model.verdict.opposite
    at.until(lambda: at.state.undo_count == 1)
    at.pass_until(lambda: at.state.phase is Phase.WAITING)
    at.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    at.until(lambda: at.state.belief.verdict(card.query.atom) is card.model.verdict)
    assert at.state.turn == card.turn and at.state.undo_count == 0
    assert at.state.belief.source(card.query.atom) is BeliefSource.MODEL


@pytest.mark.long
def test_that_a_click_on_the_strip_answers_as_its_key_does(again: Opened) -> None:
    at = again()
    card = reviewing(at)
    at.read()
    said = card.query.text_verdict(card.model.verdict)  # type: ignore[union-attr]
    at.controller.refresh()
    at.window.decision.answers[1 if said is Verdict.YES else 0].click()
    at.until(lambda: at.state.counts.overrides == 1)


@pytest.mark.long
def test_that_of_several_questions_each_doubtful_one_takes_its_key(again: Opened) -> None:
    at = again(**WRONG)
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.REVIEWING and len(to_judge(at.state.cards)) > 1)
    review, first = at.state.review_count, at.window.questions.focused_card
    doubtful = len(to_judge(at.state.cards))
    at.key(Qt.Key.Key_U)
    assert len(at.window.questions.draft) == 1 and at.window.questions.focused_card != first
    at.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert len(at.window.questions.draft) == 0 and at.state.review_count == review
    for _ in range(doubtful):
        at.key(Qt.Key.Key_U)
    at.until(lambda: not any(c.pending for c in at.state.cards) or at.state.turn > 1)


def test_that_a_key_meant_for_something_else_answers_nothing(again: Opened) -> None:
    at = again()
    reviewing(at)
    at.controller.state = at.state
    assert at.window.actions_["yes"].isEnabled() or at.state.now - at.state.since < 0.3
    early = at.window.actions_
    early.display(at.state.__class__(**{**at.state.__dict__, "since": at.state.now}))
    assert not early["yes"].isEnabled() and not early["no"].isEnabled()


def test_that_a_correction_withdraws_the_offer_at_once(again: Opened) -> None:
    at = again(**WRONG)
    at.start("Assist")

    def offered_for_an_answer() -> bool:
        change = at.state.offered_change
        return bool(change and any(c.model and suspicious(c) for c in at.state.cards))

    at.pass_until(offered_for_an_answer)
    turn, card = at.state.turn, at.window.questions.focused_card
    assert card is not None and card.final is not None
    bar = at.window.decision
    at.until(lambda: bar.others[0].text() == f"Accept plan {at.state.plan_count + 1}")
    assert bar.asked.card == card and bar.others[1].text() == f"Keep plan {at.state.plan_count}"
    at.key(KEYS[card.query.text_verdict(card.final.verdict).opposite])
    at.until(lambda: at.state.belief.source(card.query.atom) is BeliefSource.OPERATOR)
    assert at.state.turn == turn
    assert any(m.label == "withdrawn" for m in at.state.marks)


@pytest.mark.long
def test_that_one_key_lights_the_answer_behind_a_plan_wherever_it_shows(again: Opened) -> None:
    at = again(**WRONG)
    at.start("Assist")
    at.pass_until(lambda: at.state.offered_change and at.state.offered_change.reason.answer)
    answer, window = at.state.offered_change.reason.answer, at.window  # type: ignore[union-attr]
    window.questions.select_relative(5)
    at.key(Qt.Key.Key_T)
    card = window.questions.focused_card
    assert answer is not None and card is not None and card.query.atom == answer.atom
    assert window.belief.selected == answer.atom
    assert window.plan.list.currentIndex().isValid()
    mark = window.time.timeline.chosen
    assert mark is not None and (mark.turn, mark.label) == (answer.turn, card.query.text)
    assert f"Q{card.number}, the model, turn {card.turn}" in window.time.header.note.text()
    assert at.console.past.state is None and at.state.phase is Phase.OFFERED


def test_that_any_fact_is_found_by_its_words_and_set_with_its_key(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.phase(Phase.WAITING)
    belief, before = at.window.belief, at.state.belief
    at.key(Qt.Key.Key_B)
    at.until(belief._search.hasFocus)
    known = {entry.atom for entry in before}
    every = atom_candidates(belief.problem, before, "", belief.vocabulary, 500)  # type: ignore[arg-type]
    QTest.keyClicks(belief._search, belief.vocabulary.describe_atom(next(a for a in every if a not in known)))
    at.until(lambda: belief._filter.rowCount() == 1)
    at.key(Qt.Key.Key_Return)
    atom = belief.selected
    assert atom is not None and atom not in known and belief.table.hasFocus()
    assert at.state.phase is Phase.WAITING  # Enter approved nothing
    at.until(lambda: belief._effect.text().startswith("yes: then "))
    at.key(Qt.Key.Key_Y)
    at.until(lambda: at.state.belief.verdict(atom) is Verdict.YES)
    at.key(Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    at.until(lambda: at.state.belief.verdict(atom) is Verdict.NO)
