"""Choose the facts of the next episode's goal."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Signal

from app.controls.header import SearchField
from app.controls.layout import Separator, column, label
from app.controls.list_picker import ListPicker, PickerItem
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.presentation.candidates import goal_candidates
from app.presentation.formatting import spaced
from app.theme import tokens as t
from core.planning_model import Literal, Problem
from core.text.vocabulary import Vocabulary

MOST = 60  # facts that are listed
FIND = "Find a fact to add or remove, such as: mug not inside"
EMPTY = "Empty: add a fact, or the episode ends at once"


class GoalDialog(OverlayDialog):
    decided = Signal(object)  # tuple[Literal, ...], or None: the task's own

    def __init__(
        self, window: MainWindow, problem: Problem, own: tuple[Literal, ...], vocabulary: Vocabulary
    ) -> None:
        super().__init__(window, "Goal of the next episode", f"task {spaced(problem.name)}", QSize(640, 600))
        self._problem, self._own, self._vocabulary = problem, own, vocabulary
        self.goal = problem.goal
        self._search = SearchField(FIND)
        self._search.textChanged.connect(self._list_facts)
        self._facts = ListPicker("Facts")
        self._facts.picked.connect(self._toggle)
        self.picker, self.on_enter = self._facts, self._facts.pick
        self._words = label("", "strong", "ink", wrap=True)
        words = column(self._words, margins=(t.XL, t.M, t.XL, t.M))
        search = column(self._search, margins=(t.XL, 0, t.L, t.S))
        self.set_body(column(words, search, Separator(), (self._facts, 1)))
        self.button("Reset to the task's goal", lambda: self._show(own))
        self.button("Cancel", self.reject)
        self._use = self.button("Use for the next episode", self._decide, "check", primary=True)
        self._show(self.goal)
        self._search.setFocus()

    def _show(self, goal: tuple[Literal, ...]) -> None:
        self.goal = goal
        words = ", and ".join(map(self._vocabulary.describe_literal, goal))
        self._words.say(words or EMPTY, "ink" if goal else "fault")
        self._use.allow("" if goal else EMPTY)
        self._list_facts()

    def _list_facts(self) -> None:
        """List the facts of the goal, then other facts."""
        search, kept = self._search.text(), self._facts.current
        facts = goal_candidates(self._problem, self._vocabulary, search, MOST)
        found = tuple(fact for fact in facts if fact not in self.goal)
        items = [self._item(fact, "check", "in the goal") for fact in self.goal]
        others = (self._item(fact, "plus", "") for fact in found)
        self._facts.show_items((*items, *others), none="No fact has these words.")
        if search and kept is None and found:
            self._facts.step(len(items))

    def _item(self, fact: Literal, icon: str, tail: str) -> PickerItem:
        return PickerItem(self._vocabulary.describe_literal(fact), fact, "", icon, True, tail, bool(tail))

    def _toggle(self, fact: Literal) -> None:
        """Add the fact to the goal in place of its negation, or remove it."""
        opposite = replace(fact, positive=not fact.positive)
        rest = tuple(f for f in self.goal if f not in (fact, opposite))
        self._show(rest if fact in self.goal else (*rest, fact))

    def _decide(self) -> None:
        self.decided.emit(None if set(self.goal) == set(self._own) else self.goal)
        self.accept()
