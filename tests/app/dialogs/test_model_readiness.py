"""Before the start, the set-up compares a model's name with what the server itself lists."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from app.dialogs.setup import settings_checker
from app.dialogs.setup.domain_probe import SetupCheck
from app.dialogs.setup.settings_checker import check_settings
from app.dialogs.setup.setup_dialog import readiness
from core.config import Settings
from core.stop_token import StopToken
from core.vqa.mock.mock_server import MockServer, start_mock_server
from tests.app.conftest import probe_here


@pytest.fixture
def server() -> Iterator[MockServer]:
    made = start_mock_server("perfect")
    yield made
    made.close()


@pytest.fixture(autouse=True)
def probed_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings_checker, "probe_domain", probe_here)


def answerer(url: str, model: str, logs: Path) -> SetupCheck:
    settings = Settings("halve_egg", robot="symbolic", answerer=url, model=model)
    (found,) = (c for c in check_settings(settings, StopToken(), logs).checks if c.name == "Answerer")
    return found


@pytest.mark.parametrize("model", ["", "default", "perfect"])
def test_that_a_model_that_is_served_is_ready(server: MockServer, tmp_path: Path, model: str) -> None:
    assert answerer(server.url, model, tmp_path).state == "ready"


def test_that_a_name_that_the_server_does_not_list_is_said_before_the_start(
    server: MockServer, tmp_path: Path
) -> None:
    found = answerer(server.url, "emulated", tmp_path)
    assert found.state == "doubt"
    assert found.text.endswith("lists no model 'emulated': it has perfect")


def test_that_a_model_that_cannot_answer_about_a_picture_is_not_ready(tmp_path: Path) -> None:
    with closing(start_mock_server("silent")) as silent:
        found = answerer(silent.url, "", tmp_path)
    assert found.state == "doubt" and "was asked one question with a picture: " in found.text
    assert readiness((found,)) == "You can start, with 1 doubt: see the right side"


def test_that_a_server_that_is_not_there_is_no_green_tick(server: MockServer, tmp_path: Path) -> None:
    server.close()
    found = answerer(server.url, "", tmp_path)
    assert found.state == "doubt" and "does not say now which models it has: is it running?" in found.text
