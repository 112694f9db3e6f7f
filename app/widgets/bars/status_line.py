"""The status line: what the program waits for, and whether everything is recorded."""

from __future__ import annotations

import time
from collections import deque
from itertools import takewhile

from PySide6.QtCore import Signal
from PySide6.QtGui import QMouseEvent, QResizeEvent

from app.controls.badge import Icon
from app.controls.layout import Surface, label, row, set_tone
from app.controls.tooltip import set_tooltip
from app.presentation.formatting import StatusText, clock, money, status_text
from app.theme import paint
from app.theme import tokens as t
from app.theme.states import LEVEL
from core.episode_state import EpisodeState
from core.events import Notice
from core.text.plural import plural
from core.text.vocabulary import Vocabulary

KEPT = 100  # messages
SAID = 4.0  # seconds for which the answer to a key stays
MARGINS = 120  # px: of the line, and between its parts


class StatusLine(Surface):
    opened = Signal()  # the note was clicked: show them all

    def __init__(self) -> None:
        super().__init__("surface", "t")
        self.vocabulary = Vocabulary()
        self._icon, self._words = Icon("check", size=14), label("", "small")
        self._note_icon, self._note = Icon("info", size=13), label("", "caption", "muted")
        self._log = label("", "caption", "muted")
        bar = row(
            self._icon,
            self._words,
            1,
            self._note_icon,
            self._note,
            self._log,
            spacing=6,
            margins=(t.M, 1, t.M, 0),
        )
        bar.insertSpacing(5, t.L)
        self.setLayout(bar)
        self.setFixedHeight(t.H_STATUS)
        self._note_icon.hide()
        self._words.setMinimumWidth(200)
        self._note.setMinimumWidth(1)
        self._whole_note = ""
        self._said_until = self._now = 0.0
        self._latest: Notice | None = None
        self.messages: deque[tuple[str, Notice]] = deque(maxlen=KEPT)  # with the time in the episode

    def say(self, words: str, doubt: bool = False) -> None:
        """Answer a key for a few seconds, in place of what the program waits for; a fault is not hidden."""
        self._said_until = 0.0
        self._remember(Notice("doubt" if doubt else "info", words))
        self.show_status(StatusText(words, "diamond" if doubt else "check", "doubt" if doubt else "", True))
        self._said_until = time.monotonic() + SAID

    def display(self, state: EpisodeState) -> None:
        if state.started is not None:
            self.show_status(status_text(state, self.vocabulary))
        self._collect(state)
        self._show_note(state.notices[-1] if state.notices else None)

    def _remember(self, note: Notice) -> None:
        self.messages.append((clock(self._now), note))

    def _collect(self, state: EpisodeState) -> None:
        """Keep what is new among the notices, with the time."""
        self._now, latest = state.now, self._latest
        fresh = list(takewhile(lambda note: note is not latest, reversed(state.notices)))
        for note in reversed(fresh):
            self._remember(note)
        self._latest = state.notices[-1] if state.notices else None

    def show_status(self, now: StatusText) -> None:
        if time.monotonic() < self._said_until and now.level != "fault":
            return
        tone = now.level or ("accent" if now.mine else "text")
        self._icon.show_as(now.icon, f"{now.level}_fill" if now.level else tone if now.mine else "muted")
        if now.text != self._words.text():
            self._words.setText(now.text)
            self._words.setAccessibleName(now.text)
        set_tone(self._words, tone)

    def show_log(self, records: int, state: EpisodeState) -> None:
        c = state.counts
        spent = money(c.cost) if c.cost else ""
        words = (f"{plural(records, 'record')}", plural(c.calls, "call") if c.calls else "", spent)
        self._log.setText(" · ".join(filter(None, words)) if records else "")

    def _show_note(self, note: Notice | None) -> None:
        self._note_icon.setVisible(note is not None)
        if note is None:
            self._whole_note = ""
            self._fit_note()
            return
        level = note.level if note.level in ("doubt", "fault") else ""
        self._note_icon.show_as(LEVEL[level].icon, f"{level}_fill" if level else "muted")
        self._whole_note = note.text
        self._fit_note()
        set_tooltip(self._note, note.text)
        set_tone(self._note, level or "muted")

    def _fit_note(self) -> None:
        """Show as much of the note as the other words leave room for."""
        if not self._whole_note:
            self._note.clear()
            return
        others = max(200, self._words.sizeHint().width()) + self._log.sizeHint().width() + MARGINS
        self._note.setText(paint.elided(self._whole_note, "caption", max(240, self.width() - others)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_note()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.position().x() > self._note_icon.x() - 4:
            self.opened.emit()
