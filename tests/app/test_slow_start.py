"""A robot that takes minutes to start: what the window shows of it, and how a person ends it."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from time import sleep

from PySide6.QtWidgets import QLabel

import main
from app.episode.session import START_CANCELLED
from core.config import EpisodeComponents, Settings
from core.supervision import SupervisionLevels
from tests.app.conftest import Opened


def test_that_a_slow_start_is_shown_and_can_be_cancelled_and_tried_again(opened: Opened) -> None:
    is_quick = Event()

    def make(
        settings: Settings, notify: Callable[[str], None], supervision: SupervisionLevels
    ) -> EpisodeComponents:
        while not is_quick.is_set():
            notify("compiling shaders")
            sleep(0.01)
        return main.make_components(settings, notify, supervision)

    at = opened(make=make)
    status, bar = at.window.status._words, at.window.decision
    at.until(lambda: status.text() == "compiling shaders")
    at.until(lambda: [b.text() for b in bar.others if b.isVisible()] == ["Cancel", "Set up…", "Goal…"])
    assert "connecting…" in (words := [label.text() for label in at.window.top.findChildren(QLabel)]), words
    bar.others[0].click()
    at.until(lambda: status.text() == START_CANCELLED)
    assert "not connected" in (words := [label.text() for label in at.window.top.findChildren(QLabel)])
    assert "connecting…" not in words
    at.until(lambda: not at.window.actions_["cancel_start"].isEnabled())
    is_quick.set()
    at.do("start")
    at.until(lambda: at.state.started)
