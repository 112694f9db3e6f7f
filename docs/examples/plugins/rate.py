"""An example panel: questions per minute. docs/write-a-panel.md explains it."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QWidget

from app.controls.layout import column, label
from app.theme import tokens as t
from app.widgets.panel import Panel
from core.episode_state import EpisodeState
from core.registry import Entry


def per_minute(state: EpisodeState) -> float:
    """Return the questions per minute since the episode began; 0 at its first moment."""
    return 60 * state.counts.questions / state.now if state.now > 0 else 0.0


class RatePanel(Panel):
    """Shows the rate of questions, from the episode state only."""

    EMPTY = ("eye", "No questions yet", "They are counted as soon as an episode runs.")

    def __init__(self) -> None:
        super().__init__("Rate")
        self._figure = label("", "title", "ink")
        self._words = label("", "body", "muted", wrap=True)
        body = QWidget()
        body.setLayout(column(self._figure, self._words, 1, spacing=t.S, margins=(t.L, t.L, t.L, t.L)))
        self.set_body(body)
        self.clear()

    def display(self, state: EpisodeState) -> None:
        if state.started is None:
            return
        self.hide_placeholder()
        self._figure.setText(f"{per_minute(state):.1f} questions a minute")
        self._words.setText(f"{state.counts.questions} in {state.now:.0f} s, {state.counts.calls} calls")


def make(**_: Any) -> RatePanel:
    return RatePanel()


ENTRIES = {"panels": [Entry("rate", "Rate", "An example: questions per minute.", make)]}
