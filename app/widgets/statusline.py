"""The line at the bottom: what the program is waiting for, and whether all of it is recorded."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QMouseEvent

from app.naming import Naming
from app.parts.badge import Sign
from app.parts.layout import Surface, label, retone, row
from app.parts.tip import set_tooltip
from app.theme import tokens as t
from app.theme.states import LEVEL
from app.words import Status, count, money, status
from core.episode_state import EpisodeState
from core.events import Notice


class StatusLine(Surface):
    opened = Signal()  # the note was clicked: show them all

    def __init__(self) -> None:
        super().__init__("surface", "t")
        self.naming = Naming()
        self._sign, self._words = Sign("check", size=14), label("", "small")
        self._note_sign, self._note = Sign("info", size=13), label("", "caption", "muted")
        self._log = label("", "caption", "muted")
        bar = row(
            self._sign,
            self._words,
            1,
            self._note_sign,
            self._note,
            self._log,
            spacing=6,
            margins=(t.M, 1, t.M, 0),
        )
        bar.insertSpacing(5, t.L)
        self.setLayout(bar)
        self.setFixedHeight(t.H_STATUS)
        self._note_sign.hide()
        self._words.setMinimumWidth(200)

    def display(self, story: EpisodeState) -> None:
        if story.started is not None:
            self.say(status(story, self.naming))
        self._show_note(story.notices[-1] if story.notices else None)

    def say(self, now: Status) -> None:
        tone = now.level or ("accent" if now.mine else "text")
        self._sign.show_as(now.glyph, f"{now.level}_fill" if now.level else tone if now.mine else "muted")
        if now.words != self._words.text():
            self._words.setText(now.words)
            self._words.setAccessibleName(now.words)
        retone(self._words, tone)

    def show_log(self, records: int, story: EpisodeState) -> None:
        c = story.counts
        spent = money(c.cost) if c.cost else ""
        words = (f"{count(records, 'record')}", count(c.calls, "call") if c.calls else "", spent)
        self._log.setText(" · ".join(filter(None, words)) if records else "")

    def _show_note(self, note: Notice | None) -> None:
        self._note_sign.setVisible(note is not None)
        if note is None:
            self._note.setText("")
            return
        level = note.level if note.level in ("doubt", "fault") else ""
        self._note_sign.show_as(LEVEL[level].glyph, f"{level}_fill" if level else "muted")
        self._note.setText(note.text if len(note.text) < 90 else note.text[:88] + "…")
        set_tooltip(self._note, note.text)
        retone(self._note, level or "muted")

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.position().x() > self._note_sign.x() - 4:
            self.opened.emit()
