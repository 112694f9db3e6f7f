"""Correct the belief about any atom, even one that was never mentioned."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent

from app.controls.header import SearchField
from app.controls.layout import column, label, row
from app.controls.list_picker import ListPicker, PickerItem
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.presentation.candidates import atom_candidates
from app.presentation.what_if import effect_preview
from app.theme import tokens as t
from app.theme.states import SOURCE, VERDICT
from core.belief import Answer, Atom, BeliefSource, Verdict
from core.episode_state import EpisodeState
from core.planning_model import Problem
from core.policy import Policy
from core.text.vocabulary import Vocabulary

MOST = 300


class CorrectBeliefDialog(OverlayDialog):
    """Stays open so that several atoms can be set; each counts at once and can be undone."""

    corrected = Signal(object)  # tuple[Answer, ...]
    undone = Signal()

    def __init__(
        self,
        window: MainWindow,
        problem: Problem,
        method: Policy,
        vocabulary: Vocabulary,
        state: EpisodeState,
        by: str,
        first: Atom | None,
    ) -> None:
        hint = "what you set counts at once; undo works until motion starts"
        super().__init__(window, "Correct the belief", hint, QSize(640, 560))
        self._problem, self._method, self._vocabulary, self._by = problem, method, vocabulary, by
        self._state = state
        self._search = SearchField("Find an atom, such as: inside mug (/)")
        self._search.textChanged.connect(self._show)
        self._list = ListPicker("Atoms")
        self._list.moved.connect(self._moved)
        self._effect = label("", "small", "accent")
        self._effect.setMinimumHeight(t.H_CONTROL)
        self._effect.setContentsMargins(t.XL, 0, t.L, 0)
        self.set_body(column(row(self._search, margins=(t.XL, t.M, t.L, t.M)), self._list, self._effect))
        self._undo = self.button("Undo", self.undone.emit, "undo", "Ctrl+Z")
        self._undo.setEnabled(bool(state.undo_count))
        self._yes = self.button("Set yes", lambda: self._set(Verdict.YES), "disc", "Y")
        self._no = self.button("Set no", lambda: self._set(Verdict.NO), "ring", "N")
        self.button("Done", self.accept, primary=True)
        self._show()
        if first is not None:
            self._list.show_items(self._list.items, first)
        self.picker = self._list
        self.on_enter = self._list.setFocus  # from the search: its words are found, now the keys answer
        self._list.setFocus()

    def display(self, state: EpisodeState) -> None:
        """Update the list, because the belief may change while the dialog is open."""
        self._undo.setEnabled(bool(state.undo_count))
        if state.belief is not self._state.belief:
            self._state = state
            self._show()
        self._state = state

    def _show(self) -> None:
        keep = self._list.current.key if self._list.current else None
        found = atom_candidates(
            self._problem, self._state.belief, self._search.text(), self._vocabulary, MOST
        )
        self._list.show_items(tuple(self._item(a) for a in found), keep)

    def _item(self, atom: Atom) -> PickerItem:
        entry = self._state.belief.entry(atom)
        verdict, mine = VERDICT[entry.verdict], entry.source is BeliefSource.OPERATOR
        tail = f"{verdict.word}, {SOURCE[entry.source].word}"
        return PickerItem(self._vocabulary.describe_atom(atom), atom, "", verdict.icon, True, tail, mine)

    def _moved(self) -> None:
        item = self._list.current
        for button in (self._yes, self._no):
            button.setEnabled(item is not None)
        if item is None:
            self._effect.setText("")
            return
        atom = item.key
        assert isinstance(atom, Atom)
        other = Verdict.NO if self._state.belief.verdict(atom) is Verdict.YES else Verdict.YES
        effect = effect_preview(
            self._method, self._problem, self._state, (self._answer(atom, other),), self._vocabulary
        )
        self._effect.setText(f"{other.value}: {effect}" if effect else "")

    def _set(self, verdict: Verdict) -> None:
        item = self._list.current
        if item is not None and isinstance(item.key, Atom):
            self.corrected.emit((self._answer(item.key, verdict),))

    def _answer(self, atom: Atom, verdict: Verdict) -> Answer:
        frame = self._state.frame.id if self._state.frame else ""
        return Answer(atom, verdict, BeliefSource.OPERATOR, "set by hand", self._state.turn, frame, self._by)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        verdict = {Qt.Key.Key_Y: Verdict.YES, Qt.Key.Key_N: Verdict.NO}.get(Qt.Key(event.key()))
        if verdict is not None:
            self._set(verdict)
        elif event.key() == Qt.Key.Key_Slash:
            self._search.setFocus()
        elif event.key() == Qt.Key.Key_Z and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._undo.click()
        elif event.text().isprintable() and event.text().strip():  # a word begins
            self._search.setFocus()
            self._search.insert(event.text())
        else:
            super().keyPressEvent(event)
