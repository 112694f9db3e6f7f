"""A method's own calls of a language model, in the window and in the review of the log."""

from __future__ import annotations

from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from app.presentation.formatting import WHOLE
from app.widgets.consulted import ConsultedView, QuotedText
from core.episode_state import Consultation
from core.events import ModelConsulted
from core.plugins import PLUGINS_VARIABLE
from core.ports import ChatMessage
from core.reason import Cause, Reason
from tests.app.conftest import Opened
from tests.app.review.conftest import Reader

PARTS = Path(__file__).parents[2] / "fixtures" / "plugins"
EVENT = ModelConsulted(
    2,
    "count",
    (ChatMessage("system", "Be brief."), ChatMessage("user", "How many?")),
    "f",
    "four\nof them",
    "4",
    "m",
)


def shown(view: ConsultedView) -> list[str]:
    return [part.toPlainText() for part in view.findChildren(QuotedText) if part.isVisibleTo(view)]


def view_of(qtbot: QtBot, event: ModelConsulted) -> ConsultedView:
    view = ConsultedView()
    qtbot.addWidget(view)
    view.resize(400, 600)
    view.show_call(Consultation(1, event))
    return view


@pytest.mark.long
def test_that_a_call_of_the_methods_own_is_a_card_live_and_in_the_review(
    opened: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, str(PARTS))
    at = opened(preset="Watch", method="asks-model", answerer="tiny-model")
    at.start()
    calls = at.over().counts.consultations
    assert calls > 1
    at.until(
        lambda: at.window.questions.calls.views and at.window.questions.calls.views[0].isVisibleTo(at.window)
    )
    (card,) = at.window.questions.calls.views
    said = card.summary.accessibleName()
    assert "Asked tiny-model: what to watch" in said and "taken as: the table" in said
    card.summary.click()
    system, user, reply = shown(card)
    assert system == "You watch a robot. Name one object & nothing else."
    assert "These objects are here:" in user and "<b>the table</b>" in reply
    at.do("episodes")
    reader = Reader(at)
    review = reader.open(reader.listed()[0])
    review.replay.player.go(len(review.replay.player.replay))
    (card,) = review.replay.questions.calls.views
    card.summary.click()
    assert shown(card) == [system, user, reply]
    review.replay.player.go(2)
    assert review.replay.questions.calls.views == []
    assert reader.faults == []


def test_that_a_card_opens_and_closes(qtbot: QtBot) -> None:
    view = view_of(qtbot, EVENT)
    assert shown(view) == []
    view.summary.click()
    assert shown(view) == ["Be brief.", "How many?", "four\nof them"]
    view.summary.click()
    assert shown(view) == []


def test_that_another_call_closes_it(qtbot: QtBot) -> None:
    view = view_of(qtbot, EVENT)
    view.summary.click()
    view.show_call(Consultation(2, EVENT))
    assert not view.summary.isChecked() and shown(view) == []


def test_that_a_call_without_a_reply_says_why(qtbot: QtBot) -> None:
    view = view_of(qtbot, ModelConsulted(1, "count", EVENT.messages, "", "", "", "", error="Name a model."))
    assert view.call is not None and view.call.event.error
    assert "Not asked: count" in view.summary.accessibleName()
    assert "Name a model." in view.summary.accessibleName()
    view.summary.click()
    assert shown(view) == ["Be brief.", "How many?"]


def test_that_hostile_and_endless_words_are_shown_plain_and_cut(qtbot: QtBot) -> None:
    reason = Reason(Cause.OTHER, note="<i>why</i>")
    endless = (ChatMessage("user", "x" * (WHOLE + 9)),)
    view = view_of(qtbot, ModelConsulted(1, "a\x1b[31m", endless, "", "one\u202etwo", "", "m", reason=reason))
    view.summary.click()
    prompt, reply = shown(view)
    assert len(prompt) == WHOLE and prompt.endswith("…")
    assert "\u202e" not in reply
    assert "\x1b" not in view.summary.accessibleName()
