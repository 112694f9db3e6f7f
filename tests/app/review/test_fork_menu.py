"""The menu of a fork shows what the log would have it use."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.review.fork_controller import ForkController
from core.events import Record
from tests.core.log import made


def menu(qtbot: QtBot, settings: dict[str, str]) -> list[tuple[str, bool]]:
    anchor = QWidget()
    qtbot.addWidget(anchor)
    started = Record("e", 1, 0.0, 0.0, replace(made.started(), settings=settings))
    replay = SimpleNamespace(opened=SimpleNamespace(replay=SimpleNamespace(records=[started])), question=None)
    shown = ForkController(replay, "ada", anchor).menu()  # type: ignore[arg-type]
    return [(action.text(), action.isEnabled()) for action in shown.actions() if action.text()]


def test_that_files_and_addresses_are_shown_before_a_fork_uses_them(qtbot: QtBot) -> None:
    shown = menu(qtbot, {"answerer": "http://192.0.2.9/v1", "cache": "/tmp/x", "robot": "symbolic"})
    assert [text for text, enabled in shown if not enabled] == [
        "Uses the answerer http://192.0.2.9/v1",
        "Uses the cache /tmp/x",
    ]
    assert menu(qtbot, {"robot": "symbolic"}) == [(text, on) for text, on in shown if on]
