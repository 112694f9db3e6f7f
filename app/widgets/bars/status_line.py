"""The status line: what the program waits for, and whether everything is recorded."""

from __future__ import annotations

import time
from collections import deque

from PySide6.QtCore import Signal
from PySide6.QtGui import QMouseEvent

from app.controls.badge import Icon
from app.controls.layout import ElidedLabel, Surface, label, row
from app.controls.tooltip import set_tooltip
from app.presentation.decision_summary import status_text
from app.presentation.formatting import StatusText, clock
from app.theme import tokens as t
from app.theme.states import LEVEL
from core.episode_state import EpisodeState
from core.events import Notice
from core.text.plural import plural
from core.text.vocabulary import Vocabulary

KEPT = 100  # messages
SAID = 4.0  # seconds for which the answer to a key stays


class StatusLine(Surface):
    opened = Signal()  # the note was clicked: show them all
    noted = Signal(str)  # the level of a new message of the episode

    def __init__(self) -> None:
        super().__init__("surface", "t")
        self.vocabulary = Vocabulary()
        self._icon, self._words = Icon("check", size=14), ElidedLabel("small", least=200)
        self._note_icon, self._note = Icon("info", size=13), ElidedLabel("caption", "muted", 120)
        self._log = label("", "caption", "muted")
        notes = (self._note_icon, self._note, self._log)
        bar = row(self._icon, self._words, 1, *notes, spacing=6, margins=(t.M, 1, t.M, 0))
        bar.insertSpacing(5, t.L)
        self.setLayout(bar)
        self.setFixedHeight(t.H_STATUS)
        self._show_note(None)
        self._said_until = self._now = 0.0
        self._kept: tuple[Notice, ...] = ()  # of the episode, as last displayed
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
        kept, self._now, self._kept = set(map(id, self._kept)), state.now, state.notices
        for note in state.notices:
            if id(note) not in kept:
                self._remember(note)
                self.noted.emit(note.level)

    def show_status(self, now: StatusText) -> None:
        if time.monotonic() < self._said_until and now.level != "fault":
            return
        tone = now.level or ("accent" if now.mine else "text")
        self._icon.show_as(now.icon, f"{now.level}_fill" if now.level else tone if now.mine else "muted")
        self._words.say(now.text, tone)
        self._words.setAccessibleName(now.text)
        set_tooltip(self._words, now.text)

    def show_log(self, records: int) -> None:
        self._log.setText(plural(records, "record") if records else "")

    def _show_note(self, note: Notice | None) -> None:
        for part in (self._note_icon, self._note):
            part.setVisible(note is not None)
        if note is not None:
            level = note.level if note.level in ("doubt", "fault") else ""
            self._note_icon.show_as(LEVEL[level].icon, f"{level}_fill" if level else "muted")
            self._note.say(note.text, level or "muted")
            set_tooltip(self._note, note.text)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.position().x() > self._note_icon.x() - 4:
            self.opened.emit()
