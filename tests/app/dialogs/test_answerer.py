"""Choosing a model in the window: its key's state, a test of it, its prompt and its budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from app.dialogs.answerer import model_fields
from app.dialogs.answerer.answerer_choice import AnswererChoice
from app.dialogs.answerer.model_fields import strip_credentials
from app.dialogs.setup.setup_dialog import SetupDialog
from core.config import Settings
from core.errors import BadValue
from core.vqa.mock.faults import Fault
from core.vqa.mock.mock_server import MockServer, start_mock_server
from core.vqa.prompt import copy_prompt, load_prompt, prompt_file, prompt_names
from tests.app.conftest import Driver, Opened

WAIT = 20_000


@pytest.fixture
def server() -> Iterator[MockServer]:
    made = start_mock_server("perfect")
    yield made
    made.close()


def choice(qtbot: QtBot, name: str, **settings: object) -> AnswererChoice:
    made = AnswererChoice(name, Settings(answerer=name, **settings))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    return made


def outcome(qtbot: QtBot, made: AnswererChoice) -> str:
    made._test._button.click()
    qtbot.waitUntil(lambda: len(made._test._lines.rows) > 0, timeout=WAIT)
    return " | ".join(w.text() for w in made._test.findChildren(QLabel))


def test_that_a_test_says_what_came_back_how_fast_and_at_what_cost(qtbot: QtBot, server: MockServer) -> None:
    said = outcome(qtbot, choice(qtbot, server.url))
    told = (
        "it works",
        "10 of 10 right",
        "Time and cost",
        "s, the first",
        "cost not known",
        "Log-probabilities",
    )
    for words in told:
        assert words in said


def test_that_a_test_says_what_is_wrong_and_how_to_mend_it(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("core.vqa.endpoint.api_keys._from_keyring", lambda name: "")
    said = outcome(qtbot, choice(qtbot, "openai"))
    assert "something is wrong" in said and "set OPENAI_API_KEY in the environment" in said


def test_that_a_test_under_way_tells_its_waits_and_can_be_cancelled(qtbot: QtBot, server: MockServer) -> None:
    server.faults, server.delay = (lambda call: Fault.BUSY), 30.0
    made = choice(qtbot, server.url)
    made._test._button.click()
    qtbot.waitUntil(lambda: "Waiting 30.0 s" in made._test._words.text(), timeout=WAIT)
    made._test._button.click()
    made._test._work.join(5)
    assert not made._test.running and made._test._words.text() == "cancelled"
    assert made._test._lines.rows == ()


def test_that_the_keys_state_is_told_and_the_key_is_not(
    qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "core.vqa.endpoint.api_keys._from_keyring", lambda name: "sk-kept" if name == "google" else ""
    )
    monkeypatch.setenv("OPENAI_API_KEY", "sk-set")
    for key in ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    for name, says in (
        ("openai", "environment (OPENAI_API_KEY)"),
        ("google", "found in the keyring"),
        ("anthropic", "missing: set ANTHROPIC_API_KEY"),
        ("ollama", "no key is needed"),
    ):
        made = choice(qtbot, name)
        qtbot.waitUntil(lambda w=made, s=says: s in w.fields._key_words.text(), timeout=WAIT)
        assert "sk-" not in " ".join(w.text() for w in made.findChildren(QLabel))


@pytest.mark.parametrize("name", ["mine.toml", "replies.json", "openai+google", "http://localhost:9/v1"])
def test_that_what_no_list_holds_stays_as_it_was_written(qtbot: QtBot, name: str) -> None:
    assert choice(qtbot, name).applied(Settings()).answerer == name


def test_that_model_prompt_and_budget_go_into_the_settings(qtbot: QtBot) -> None:
    settings = Settings(
        answerer="http://localhost:9/v1", model="llava", prompt="structured", picture_size=512,
        max_calls=9, max_tokens=1000, max_dollars=2.5, max_seconds=60.0,
    )  # fmt: skip
    made = AnswererChoice(settings.answerer, settings)
    qtbot.addWidget(made)
    assert made.applied(Settings()) == settings
    made._limits.fields["max_calls"].setValue(0)
    assert made.applied(Settings()).max_calls is None


def test_that_a_secret_in_an_address_goes_no_further(qtbot: QtBot) -> None:
    made = choice(qtbot, "custom")
    made.fields._address.setText("https://me:sk-secret@host:8000/v1?key=sk-secret")
    assert made.applied(Settings()).answerer == "https://host:8000/v1"
    assert strip_credentials("openai+http://u:p@h/v1#x") == "openai+http://h/v1"
    with pytest.raises(BadValue, match="give the bare address") as caught:
        Settings(answerer="https://me:sk-secret@host/v1")
    assert "sk-secret" not in str(caught.value)


def setup(at: Driver) -> SetupDialog:
    at.ready()
    at.do("setup")
    dialog = at.controller.dialog
    assert isinstance(dialog, SetupDialog)
    return dialog


@pytest.mark.long
def test_that_a_prompt_is_read_copied_and_used_from_the_set_up(
    again: Opened, server: MockServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    looked_at: list[QUrl] = []
    monkeypatch.setattr(model_fields.QDesktopServices, "openUrl", looked_at.append)
    dialog = setup(again(answerer=server.url))
    dialog.answerer.fields._open_prompt(prompt_file)
    assert "yes/no questions" in Path(looked_at[0].toLocalFile()).read_text()
    assert dialog.settings.prompt == "dkprompt"
    dialog.answerer.fields._open_prompt(copy_prompt)
    assert Path(looked_at[1].toLocalFile()).stem == "my-dkprompt" in prompt_names()
    assert load_prompt("my-dkprompt").system == load_prompt().system
    assert dialog.settings.prompt == "my-dkprompt"
    dialog.reject()
