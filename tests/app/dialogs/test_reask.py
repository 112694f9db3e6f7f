"""A question put to another model from its card: the reply stands beside, and counts only when adopted."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.dialogs.reask import ReaskDialog
from core.belief import BeliefSource, Verdict
from core.episode_state import Phase, QuestionCard
from core.vqa.budget import ModelBudget
from core.vqa.mock.mock_server import MockServer, start_mock_server
from tests.app.conftest import Driver, Opened


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MockServer]:
    """A model without eyes that says no, then yes."""
    script = tmp_path / "replies.json"
    script.write_text(json.dumps(["No.", "Well, who knows", "maybe", "Yes, it is"]))
    made = start_mock_server(str(script))
    yield made
    made.close()


def asked(at: Driver, url: str) -> tuple[ReaskDialog, QuestionCard]:
    """The sheet of a card of which the model said yes."""
    at.start("Approve")
    at.pass_until(lambda: at.state.phase is Phase.REVIEWING)
    card = at.window.questions.focused_card
    assert (
        card is not None
        and card.model is not None
        and card.query.text_verdict(card.model.verdict) is Verdict.YES
    )
    at.key(Qt.Key.Key_A)
    dialog = at.controller.dialog
    assert isinstance(dialog, ReaskDialog)
    dialog._fields._set(url, "default")
    return dialog, card


def ask(at: Driver, dialog: ReaskDialog) -> None:
    before = len(dialog._replies)
    dialog._ask.click()
    at.until(lambda: len(dialog._replies) > before)


@pytest.mark.long
def test_that_a_reply_stands_beside_and_counts_for_nothing(again: Opened, server: MockServer) -> None:
    at = again()
    dialog, card = asked(at, server.url)
    believed = at.state.belief
    dialog._words.setText("Can you see it?")
    ask(at, dialog)
    assert [item.text.split(":")[0] for item in dialog._list.items] == ["Yes", "No"]
    sent = server.received[-1].body["messages"][-1]["content"]
    assert sent[1]["text"].startswith("Can you see it?") and sent[0]["image_url"]["url"].startswith(
        "data:image/png"
    )
    assert "dkprompt_truth" not in server.received[-1].body
    dialog.reject()
    assert at.state.belief == believed and len(at.window.questions.draft) == 0
    at.until(
        lambda: any(
            "Asked again, and not counted" in n.text and "It said: No." in n.text for n in at.state.notices
        )
    )
    parts = at.controller.session.components
    assert parts is not None and parts.meter.usage.calls == 1
    assert card.model is not None and card.model.source is BeliefSource.MODEL


def test_that_an_adopted_reply_is_logged_as_an_override(
    opened: Opened, server: MockServer, tmp_path: Path
) -> None:
    at = opened()
    dialog, card = asked(at, server.url)
    ask(at, dialog)
    dialog._adopt.click()
    assert len(at.window.questions.draft) == 1
    at.do("use")
    at.until(lambda: at.state.counts.overrides == 1)
    at.do("end")
    at.over()
    with sqlite3.connect(tmp_path / "log.db") as db:
        rows = db.execute(
            "select a.value ->> '$.verdict', a.value ->> '$.source', a.value ->> '$.raw_reply', "
            "a.value ->> '$.by' "
            "from record r join json_each(r.body, '$.answers') a where kind = 'AnswersReviewed'"
        ).fetchall()
        overrides = db.execute("select atom, model_verdict, operator_verdict from overrides").fetchall()
    atom = str(card.query.atom)
    adopted = [r for r in rows if r[1] == "operator"]
    assert adopted == [
        ("no" if not card.query.negated else "yes", "operator", adopted[0][2], at.controller.by)
    ]
    assert adopted[0][2].startswith("adopted from ") and adopted[0][2].endswith("No.")
    assert len(overrides) == 1 and overrides[0][0] == atom


@pytest.mark.long
def test_that_what_is_neither_yes_nor_no_cannot_be_adopted(again: Opened, server: MockServer) -> None:
    at = again()
    dialog, _ = asked(at, server.url)
    ask(at, dialog)
    ask(at, dialog)
    assert dialog._list.items[-1].text.startswith("Unknown")
    assert not dialog._adopt.isEnabled() and "neither yes nor no" in dialog._adopt.toolTip()


def test_that_a_used_up_budget_and_a_missing_model_are_told_in_the_sheet(
    again: Opened, server: MockServer
) -> None:
    at = again()
    dialog, _ = asked(at, "http://127.0.0.1:1/v1")
    dialog._meter.set_budget(ModelBudget(calls=1))
    dialog._meter.record_request(1.0, None)
    dialog._ask.click()
    assert "budget of 1 calls is used up" in dialog._state.text() and not dialog._work.running
    dialog._meter.set_budget(ModelBudget())
    dialog._fields._prompt.addItem("nowhere.toml", "nowhere.toml")
    dialog._fields._prompt.setCurrentIndex(dialog._fields._prompt.count() - 1)
    dialog._ask.click()
    at.until(lambda: "nowhere.toml" in dialog._state.text())
    assert not server.received


@pytest.mark.long
def test_that_closing_the_sheet_lets_go_of_the_model(again: Opened, server: MockServer) -> None:
    at = again()
    dialog, _ = asked(at, server.url)
    server._lock.acquire()
    try:
        dialog._ask.click()
        at.until(lambda: dialog._work.running)
        dialog.reject()
        dialog._work.join(5)
        assert not dialog._work.running
    finally:
        server._lock.release()
