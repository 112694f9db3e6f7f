"""Fork an episode at the playhead: the menu with the changed answer and the pace."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu, QWidget

from app.controls.layout import open_menu
from app.review.replay_page import ReplayPage
from core.belief import Verdict
from core.errors import ConsoleError
from core.events import EpisodeStarted
from core.log.rerun_settings import external_references
from core.review.fork import Fork, fork_at_answer, fork_at_record
from core.text.untrusted_text import one_line

# Seconds for each second of the robot. The steps up to the fork are executed again first, at the same pace.
PACES = ((0.0, "as fast as possible"), (0.1, "ten times as fast"), (1.0, "in real time"))

ASKED = 200  # characters of a question in the menu


class ForkController(QObject):
    """Makes forks of the episode in `replay`; its menu opens below the button `anchor`. GUI thread only."""

    forked = Signal(object)  # Fork: run on from there
    reported = Signal(str)  # for the title
    failed = Signal(str)  # one sentence

    def __init__(self, replay: ReplayPage, by: str, anchor: QWidget) -> None:
        super().__init__(anchor)
        self._replay, self._by, self._anchor = replay, by, anchor
        self.pace = 0.1

    def open_menu(self) -> None:
        """Offer a fork with the same belief, or with the question on the card answered differently."""
        if self._replay.opened is None:
            return
        open_menu(self.menu(), self._anchor)

    def menu(self) -> QMenu:
        replay = self._replay
        question = replay.question
        menu = QMenu(self._anchor)
        self._show_references(menu)
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
        paces.triggered.connect(self._set_pace)
        return menu

    def _show_references(self, menu: QMenu) -> None:
        """Begin the menu with the files and addresses that the log names, since a fork uses them."""
        records = self._replay.opened.replay.records if self._replay.opened is not None else ()
        if records and isinstance(started := records[0].event, EpisodeStarted):
            for name, word in external_references(started):
                menu.addAction(one_line(f"Uses the {name} {word}", ASKED)).setEnabled(False)
            menu.addSeparator()

    def _set_pace(self, action: QAction) -> None:
        self.pace = action.data()
        self.reported.emit(f"A fork runs {dict(PACES)[self.pace]}")

    def here(self) -> None:
        opened, index = self._replay.opened, self._replay.player.index
        if opened is not None and index:
            number = opened.replay.records[index - 1].number
            self._fork(lambda pace: fork_at_record(opened.replay.records, number, pace=pace))

    def _answered(self) -> None:
        self.answer(self.sender().property("verdict"))

    def answer(self, verdict: Verdict) -> None:
        """Fork with this verdict about the text of the question on the card."""
        opened, q = self._replay.opened, self._replay.question
        if opened is not None and q is not None:
            about, by = q.query.atom_verdict(verdict), self._by
            records = opened.replay.records
            self._fork(lambda pace: fork_at_answer(records, q.number, q.place, about, by, pace=pace))

    def _fork(self, make: Callable[[float], Fork]) -> None:
        try:
            self.forked.emit(make(self.pace))
        except ConsoleError as error:
            self.failed.emit(str(error))
