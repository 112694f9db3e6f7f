"""Running on from the playhead's moment: what it asks, and at which pace."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from core.belief import Verdict
from core.errors import ConsoleError
from core.review.fork import Fork, fork_at_answer, fork_at_record
from core.untrusted_text import one_line

if TYPE_CHECKING:
    from app.review.review_window import ReviewWindow

# Seconds for each of the robot's. The steps done until then are done again first, at the same pace.
PACES = ((0.0, "as fast as it can"), (0.1, "ten times as fast"), (1.0, "in real time"))

ASKED = 200  # characters of a question in the menu


class ForkController(QObject):
    """Screen's thread only."""

    forked = Signal(object)  # Fork: run on from there

    def __init__(self, room: ReviewWindow) -> None:
        super().__init__(room)
        self._room = room
        self.pace = 0.1

    def open_menu(self) -> None:
        """From this moment as it is, or with the question on the card answered otherwise."""
        room = self._room
        if room.replay.opened is None:
            return
        menu = self.menu()
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(room.bar.header.mapToGlobal(room.bar.header.rect().topLeft()))

    def menu(self) -> QMenu:
        replay = self._room.replay
        question = replay.question
        menu = QMenu(self._room)
        menu.addAction("From this moment, with the same belief").triggered.connect(self.here)
        if question is not None and not replay.blind:
            about, asked = question.query.atom_verdict, one_line(question.query.text, ASKED)
            for verdict in (Verdict.YES, Verdict.NO):
                if about(verdict) is not question.model.verdict:
                    action = menu.addAction(f"With “{asked}” answered {verdict.value}")
                    action.setProperty("verdict", verdict)
                    action.triggered.connect(self._answered)
        paces = menu.addMenu("Pace")
        for pace, words in PACES:
            action = QAction(words, paces, checkable=True, checked=pace == self.pace)
            action.setData(pace)
            paces.addAction(action)
        paces.triggered.connect(self._paced)
        return menu

    def _paced(self, action: QAction) -> None:
        self.pace = action.data()
        self._room.show_title(f"A fork runs {dict(PACES)[self.pace]}")

    def here(self) -> None:
        opened, index = self._room.replay.opened, self._room.replay.player.index
        if opened is not None and index:
            number = opened.tape.records[index - 1].number
            self._fork(lambda pace: fork_at_record(opened.tape.records, number, pace=pace))

    def _answered(self) -> None:
        self.answer(self.sender().property("verdict"))

    def answer(self, verdict: Verdict) -> None:
        """With the question on the card answered so, about its text."""
        opened, q = self._room.replay.opened, self._room.replay.question
        if opened is not None and q is not None:
            about, by = q.query.atom_verdict(verdict), self._room.by
            records = opened.tape.records
            self._fork(lambda pace: fork_at_answer(records, q.number, q.place, about, by, pace=pace))

    def _fork(self, make: Callable[[float], Fork]) -> None:
        try:
            self.forked.emit(make(self.pace))
        except ConsoleError as error:
            self._room.show_fault(str(error))
