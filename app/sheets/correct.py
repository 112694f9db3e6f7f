"""Correct the belief: any atom, also one that nobody has spoken of yet."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent

from app.choices import atoms
from app.foresight import foresee
from app.naming import Naming
from app.parts.button import Button
from app.parts.header import Search
from app.parts.layout import column, label, retone, row
from app.parts.pick import Item, Pick
from app.sheets.sheet import Sheet
from app.theme import tokens as t
from app.theme.states import SOURCE, VERDICT
from app.window import Window
from core.belief import Answer, Atom, BeliefSource, Verdict
from core.episode_state import EpisodeState
from core.planning_model import Problem
from core.policy import Policy

MOST = 300


class CorrectSheet(Sheet):
    """Stays open, so that several atoms can be set; each counts at once, and can be undone."""

    corrected = Signal(object)  # tuple[Answer, ...]
    undone = Signal()

    def __init__(
        self,
        window: Window,
        problem: Problem,
        method: Policy,
        naming: Naming,
        story: EpisodeState,
        by: str,
        first: Atom | None,
    ) -> None:
        super().__init__(
            window,
            "Correct the belief",
            "what you set counts at once; undo works until motion starts",
            QSize(640, 560),
        )
        self._problem, self._method, self._naming, self._by = problem, method, naming, by
        self._story = story
        self._search = Search("Find an atom, such as: inside mug")
        self._search.textChanged.connect(self._show)
        self._list = Pick("Atoms")
        self._list.moved.connect(self._moved)
        self._effect = label("", "small", "accent")
        self._effect.setMinimumHeight(t.H_CONTROL)
        self._effect.setContentsMargins(t.XL, 0, t.L, 0)
        self.put(column(row(self._search, margins=(t.XL, t.M, t.L, t.M)), self._list, self._effect))
        undo = self.button("Undo", "undo")
        undo.done.connect(self.undone)
        self._yes = self._setter("Set yes", "disc", "Y", Verdict.YES)
        self._no = self._setter("Set no", "ring", "N", Verdict.NO)
        close = self.button("Done", primary=True)
        close.done.connect(self.accept)
        self._show()
        if first is not None:
            self._list.show_items(self._list.items, first)
        self._list.setFocus()

    def _setter(self, words: str, glyph: str, key: str, verdict: Verdict) -> Button:
        button = self.button(words, glyph, key)
        button.setProperty("verdict", verdict)
        button.clicked.connect(self._set_clicked)
        return button

    def display(self, story: EpisodeState) -> None:
        """The belief may change under it."""
        if story.belief is not self._story.belief:
            self._story = story
            self._show()
        self._story = story

    def _show(self) -> None:
        keep = self._list.current.key if self._list.current else None
        found = atoms(self._problem, self._story.belief, self._search.text(), self._naming, MOST)
        self._list.show_items(tuple(self._item(a) for a in found), keep)

    def _item(self, atom: Atom) -> Item:
        entry = self._story.belief.entry(atom)
        source = SOURCE[entry.source]
        tail = f"{VERDICT[entry.verdict].word}, {source.word}"
        mine = entry.source is BeliefSource.OPERATOR
        return Item(self._naming.atom(atom), atom, glyph=VERDICT[entry.verdict].glyph, tail=tail, mine=mine)

    def _moved(self) -> None:
        item = self._list.current
        for button in (self._yes, self._no):
            button.setEnabled(item is not None)
        if item is None:
            self._effect.setText("")
            return
        atom = item.key
        assert isinstance(atom, Atom)
        other = Verdict.NO if self._story.belief.verdict(atom) is Verdict.YES else Verdict.YES
        effect = foresee(self._method, self._problem, self._story, (self._answer(atom, other),), self._naming)
        self._effect.setText(f"{other.value}: {effect}" if effect else "")
        retone(self._effect, "accent")

    def _set_clicked(self) -> None:
        self._set(self.sender().property("verdict"))

    def _set(self, verdict: Verdict) -> None:
        item = self._list.current
        if item is not None and isinstance(item.key, Atom):
            self.corrected.emit((self._answer(item.key, verdict),))

    def _answer(self, atom: Atom, verdict: Verdict) -> Answer:
        frame = self._story.frame.id if self._story.frame else ""
        return Answer(atom, verdict, BeliefSource.OPERATOR, "set by hand", self._story.turn, frame, self._by)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        verdict = {Qt.Key.Key_Y: Verdict.YES, Qt.Key.Key_N: Verdict.NO}.get(Qt.Key(event.key()))
        if verdict is not None:
            self._set(verdict)
        elif event.key() == Qt.Key.Key_Slash:
            self._search.setFocus()
        elif event.key() == Qt.Key.Key_Z and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.undone.emit()
        else:
            super().keyPressEvent(event)
