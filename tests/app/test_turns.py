"""A change is shown panel by panel, each in a turn of the event loop, so that Esc waits for one at most."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent

from app.widgets.panel import Panel
from core.episode_state import EpisodeState
from tests.app.conftest import Opened


def before(monkeypatch: pytest.MonkeyPatch, panel: Panel, act: Callable[[EpisodeState], object]) -> None:
    """Act before the panel shows a state."""
    display = panel.display

    def displayed(state: EpisodeState) -> None:
        act(state)
        display(state)

    monkeypatch.setattr(panel, "display", displayed)


def test_that_esc_comes_between_two_panels(again: Opened, monkeypatch: pytest.MonkeyPatch) -> None:
    at = again()
    at.ready()
    at.controller.refresh()  # no part of a change is left to be shown
    order: list[str] = []
    esc = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, Qt.KeyboardModifier.NoModifier)

    def press(_: EpisodeState) -> None:
        if not order:
            order.append("press")
            QCoreApplication.postEvent(at.window.windowHandle(), esc)

    monkeypatch.setattr(at.console.stop_key, "_stop", lambda: order.append("stop"))
    before(monkeypatch, at.window.camera, press)
    before(monkeypatch, at.window.time, lambda _: order.append("timeline"))
    at.until(lambda: "timeline" in order)
    assert order == ["press", "stop", "timeline"]


def test_that_a_decision_answers_what_every_panel_shows(
    again: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = again()
    at.ready()
    decided_on: list[EpisodeState] = []  # when a panel showed that the episode has begun
    before(monkeypatch, at.window.time, lambda shown: decided_on.append(at.state) if shown.started else None)
    at.start("Approve")
    at.until(lambda: at.state.started)
    assert decided_on[0].started is None
