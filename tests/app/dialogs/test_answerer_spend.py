"""A budget that is used up pauses the episode in the window, and asks; what was spent is always shown."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from app.dialogs.budget import BudgetDialog
from core.episode_state import Phase
from core.events import EpisodeResult
from core.vqa.budget import ModelBudget
from core.vqa.mock.faults import Fault, sequence
from core.vqa.mock.mock_server import MockServer, start_mock_server
from tests.app.conftest import Driver, Opened


@pytest.fixture
def server() -> Iterator[MockServer]:
    made = start_mock_server("perfect")
    yield made
    made.close()


def asked(at: Driver) -> BudgetDialog:
    at.until(lambda: isinstance(at.controller.dialog, BudgetDialog))
    dialog = at.controller.dialog
    assert isinstance(dialog, BudgetDialog)
    at.until(lambda: QGuiApplication.focusWindow() is dialog.windowHandle())
    return dialog


@pytest.mark.long
def test_that_raising_the_budget_lets_the_episode_go_on(again: Opened, server: MockServer) -> None:
    at = again(preset="Watch", answerer=server.url, task="halve_egg", max_calls=2)
    at.start("Watch")
    dialog = asked(at)
    at.phase(Phase.ASKING)
    assert at.state.is_running
    at.until(lambda: "budget of 2 calls is used up" in at.window.status._words.text())
    dialog.more.setValue(500)
    at.key(Qt.Key.Key_Return)
    state = at.over()
    assert state.ended is not None and state.ended.result is EpisodeResult.SUCCEEDED
    assert any("raised to 502 calls" in note.text for note in state.notices)
    parts = at.controller.session.components
    assert parts is not None and parts.meter.budget == ModelBudget(calls=502)
    spent = at.window.top._cost_summary
    assert spent.isVisible() and "of 502 calls" in spent._value.text()


def test_that_a_person_can_answer_instead(again: Opened, server: MockServer) -> None:
    at = again(preset="Watch", answerer=server.url, task="halve_egg", max_calls=1)
    at.start("Watch")
    asked(at)._decide(None)
    at.phase(Phase.REVIEWING)
    at.until(lambda: "used up" in at.state.cards[-1].error)
    at.do("end")
    at.over()


@pytest.mark.long
def test_that_the_episode_can_be_ended_there(again: Opened, server: MockServer) -> None:
    at = again(preset="Watch", answerer=server.url, task="halve_egg", max_tokens=1)
    at.start("Watch")
    asked(at)._decide(None, end=True)
    state = at.over()
    assert state.ended is not None and state.ended.result is EpisodeResult.ENDED


def test_that_a_stop_is_taken_while_the_budget_waits(again: Opened, server: MockServer) -> None:
    at = again(preset="Watch", answerer=server.url, task="halve_egg", max_calls=1)
    at.start("Watch")
    asked(at)
    at.key(Qt.Key.Key_Escape)
    at.phase(Phase.STOPPED)
    at.until(lambda: at.controller.dialog is None)
    at.do("end")
    at.over()


@pytest.mark.long
def test_that_the_window_closes_while_the_budget_waits(opened: Opened, server: MockServer) -> None:
    at = opened(preset="Watch", answerer=server.url, task="halve_egg", max_calls=1)
    at.start("Watch")
    asked(at)
    at.window.close()


@pytest.mark.long
def test_that_every_wait_is_told_in_the_window_with_its_reason(again: Opened, server: MockServer) -> None:
    server.faults, server.delay = sequence([Fault.BUSY]), 1.5
    at = again(preset="Watch", answerer=server.url, task="halve_egg")
    at.start("Watch")
    at.until(lambda: "Waiting 1.5 s, then trying" in at.window.status._note.toolTip())
    assert "HTTP 429" in at.window.status._note.toolTip()
    at.phase(Phase.ASKING)
    at.over()


@pytest.mark.long
def test_that_the_cost_of_earlier_episodes_is_shown_with_that_of_this_one(
    opened: Opened, server: MockServer
) -> None:
    at = opened(preset="Watch", answerer=server.url, task="halve_egg", openness=0.0)
    at.start("Watch")
    at.over()
    parts = at.controller.session.components
    assert parts is not None
    calls = parts.meter.usage.calls
    first = at.state.episode
    at.do("start")
    at.until(lambda: at.state.episode not in ("", first) and at.state.counts.calls > 0)
    at.over()
    summary = at.window.top._cost_summary
    at.until(lambda: f"since the window was opened: {calls} requests" in summary.toolTip())
