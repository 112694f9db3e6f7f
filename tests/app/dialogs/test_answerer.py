"""Choosing a model in the window: its key's state, a test of it, its prompt and its budget."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QUrl
from pytestqt.qtbot import QtBot

from app.dialogs.answerer import model_fields
from app.dialogs.answerer.answerer_choice import AnswererChoice
from app.dialogs.answerer.model_fields import strip_credentials
from app.dialogs.setup.domain_probe import SetupCheck
from app.dialogs.setup.settings_checker import check_settings
from app.dialogs.setup.setup_dialog import SetupDialog
from core.config import Settings
from core.errors import BadValue
from core.stop_token import StopToken
from core.vqa.mock.mock_server import MockServer, start_mock_server
from core.vqa.prompt import copy_prompt, load_prompt, prompt_file, prompt_names
from tests.app.conftest import Driver, Opened


@pytest.fixture
def server() -> Iterator[MockServer]:
    made = start_mock_server("perfect")
    yield made
    made.close()


def choice(qtbot: QtBot, name: str, **settings: object) -> AnswererChoice:
    made = AnswererChoice(name, Settings(answerer=name, **settings))  # type: ignore[arg-type]
    qtbot.addWidget(made)
    return made


def found_by_a_test(name: str, logs: Path) -> list[SetupCheck]:
    settings = Settings("halve_egg", robot="symbolic", answerer=name)
    found = check_settings(settings, StopToken(), logs, test=True)
    return [check for check in found.checks if check.name in ("Test", "Answerer")]


def test_that_a_test_says_what_came_back_how_fast_and_at_what_cost(
    server: MockServer, tmp_path: Path
) -> None:
    found = found_by_a_test(server.url, tmp_path)
    said = " | ".join(check.text for check in found)
    for words in ("10 of 10 right", "Time and cost", "s, the first", "cost not known", "Log-probabilities"):
        assert words in said
    assert {check.state for check in found} == {"ready"}


def test_that_a_test_says_what_is_wrong_and_how_to_mend_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr("core.vqa.endpoint.api_keys._from_keyring", lambda name: "")
    first, *_ = found_by_a_test("openai", tmp_path)
    assert first.state == "doubt" and "set OPENAI_API_KEY in the environment" in first.text


def test_that_the_button_asks_the_model_and_another_choice_ends_that(
    again: Opened, server: MockServer
) -> None:
    dialog = setup(again(answerer=server.url))
    dialog.answerer.tested.emit()
    assert dialog.summary._checks.rows[0].text == "asking the model"
    dialog.numbers.numbers["seed"].setValue(8)
    assert dialog.summary._checks.rows[0].text == "checking again"
    dialog.reject()


def test_that_the_keys_state_is_told_and_the_key_is_not(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(
        "core.vqa.endpoint.api_keys._from_keyring", lambda name: "sk-kept" if name == "google" else ""
    )
    monkeypatch.setenv("OPENAI_API_KEY", "sk-set")
    for key in ("ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.delenv(key, raising=False)
    for name, says in (
        ("openai", "found in the environment (OPENAI_API_KEY)"),
        ("google", "found in the keyring"),
        ("anthropic", "set ANTHROPIC_API_KEY"),
    ):
        settings = Settings("halve_egg", robot="symbolic", answerer=name)
        said = " ".join(check.text for check in check_settings(settings, StopToken(), tmp_path).checks)
        assert says in said and "sk-" not in said


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
