"""The strip, its buttons, the keys and the focused card are about one question, and every key is answered."""

from __future__ import annotations

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from app.commands import just_appeared
from app.presentation.formatting import pending_cards
from app.widgets.questions.card_view import CardView
from core.belief import BeliefSource, Verdict
from core.episode_state import Phase
from core.reason import NO_REASON
from tests.app.conftest import Driver, Opened
from tests.app.suggesting import make

WRONG = {"answerer": "symmetric-34", "openness": 1.0, "seed": 1}  # every third answer is wrong


def live(view: CardView) -> bool:
    """Return True if a card shows its keys as those that answer now."""
    (shown,) = {bool(key.property("live")) for key in view.keys.values()}
    return shown


def consistent(at: Driver) -> None:
    """Check that all four show one question."""
    bar, questions = at.window.decision, at.window.questions
    card = questions.asked.card
    assert card is not None and card.pending, "what waits is what the keys answer"
    assert questions.focused_card is not None and questions.focused_card.number == card.number
    assert bar.asked.card is not None and bar.asked.card.number == card.number
    assert bar.views[0].reason.head == card.query.text
    marked = [v.card.number for v in questions.card_views if v.card and live(v)]
    assert marked == [card.number]


def test_that_through_a_whole_episode_the_strip_asks_what_the_keys_answer(again: Opened) -> None:
    at = again(**WRONG | {"seed": 3})
    at.start("Approve")
    seen: set[tuple[int, int]] = set()

    def enough() -> bool:
        if pending_cards(at.state) and not just_appeared(at.state):
            consistent(at)
            seen.add((at.state.turn, at.state.review_count))
        turns = [turn for turn, _ in seen]
        return len(turns) > 4 and len(turns) > len(set(turns))  # a second call in a turn among them

    at.pass_until(lambda: at.state.ended or enough())
    assert len(seen) > len({turn for turn, _ in seen}), "no turn had a second call"


def offered(again: Opened) -> Driver:
    at = again(**WRONG)
    at.start("Assist")
    at.pass_until(lambda: at.state.offered_change and at.window.questions.asked.card)
    at.read()
    at.controller.refresh()
    return at


def test_that_beside_an_offer_the_one_answer_that_is_offered_names_what_it_overrules(again: Opened) -> None:
    at = offered(again)
    bar, card = at.window.decision, at.window.questions.asked.card
    assert card is not None and card.final is not None
    shown = [b for b in bar.answers if b.isVisible()]
    (verdict,) = bar.asked.effective
    fact = bar.vocabulary.describe_literal(card.query.atom, card.query.atom_verdict(verdict) is Verdict.YES)
    assert [b.text() for b in shown] == [f"Overrule: {fact}"]
    assert bar.views[0].reason.head == f"Plan {at.state.plan_count + 1} is on offer"


def test_that_to_agree_with_the_answer_behind_an_offer_is_refused_with_a_reason(again: Opened) -> None:
    at = offered(again)
    (verdict,) = at.window.decision.asked.effective
    offer, status = at.state.offer_count, at.window.status._words
    at.key(Qt.Key.Key_N if verdict is Verdict.YES else Qt.Key.Key_Y)
    assert "the plan on offer rests on" in status.text()
    at.controller.refresh()
    assert "the plan on offer rests on" in status.text(), "it can be read"
    assert (at.state.phase, at.state.offer_count) == (Phase.OFFERED, offer)
    assert not at.state.counts.overrides


@pytest.mark.long
def test_that_no_card_names_a_key_while_an_offer_leaves_it_nothing_to_answer(again: Opened) -> None:
    at = offered(again)
    questions = at.window.questions
    state = replace(at.state, offered_change=replace(at.state.offered_change, reason=NO_REASON))  # type: ignore[type-var]
    questions.display(state)
    view = questions._focus.view
    assert view is not None and questions.asked.card is None
    assert not view.preview.text() and not live(view)
    questions._focus.choose(view)
    assert questions.asked.card is not None
    assert view.preview.text() and live(view)


def test_that_a_key_with_nothing_to_do_says_so(again: Opened) -> None:
    at = again(pace=20.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    for key, said in ((Qt.Key.Key_O, "O does nothing now"), (Qt.Key.Key_Return, "Enter does nothing now")):
        at.key(key)
        assert at.window.status._words.text().startswith(said)
    at.key(Qt.Key.Key_U)
    assert at.window.status._words.text().startswith("Unknown was not taken: ")


@pytest.mark.long
def test_that_a_click_on_the_strip_answers_the_strip_while_the_belief_has_the_keys(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.REVIEWING)
    at.read()
    at.controller.refresh()
    bar, card = at.window.decision, at.window.decision.asked.card
    assert card is not None and card.model is not None
    at.window.belief.enter()
    at.until(lambda: not bar.answers[0].key)
    other = card.query.text_verdict(card.model.verdict).opposite
    bar.answers[0 if other is Verdict.YES else 1].click()
    at.until(lambda: at.state.belief.source(card.query.atom) is BeliefSource.OPERATOR)
    at.window.setFocus()
    at.until(lambda: bar.answers[0].key == "Y")


def test_that_a_situation_can_be_told_though_nothing_is_asked(again: Opened) -> None:
    at = again(make=make)
    at.ready()
    line = at.window.questions.situation_line
    assert at.window.questions.has_placeholder
    at.until(line.isVisible)
    at.start("Assist")
    at.until(lambda: at.state.is_running)
    at.window.questions.show_placeholder(*at.window.questions.NONE)
    at.key(Qt.Key.Key_D)
    assert line.isVisible() and line.line.hasFocus()
    for letter in "dry":
        QTest.keyClick(at._focus(), letter)
    assert line.line.text() == "dry"
