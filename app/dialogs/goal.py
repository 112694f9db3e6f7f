"""Edit the goal of the next episode, from a list of facts or as PDDL; each view follows the other."""

from __future__ import annotations

import re
from dataclasses import replace

from PySide6.QtCore import QSize, Signal

from app.controls.header import SearchField
from app.controls.layout import Separator, column, label
from app.controls.list_picker import ListPicker, PickerItem
from app.controls.text import NoDragTextEdit
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.presentation.candidates import goal_candidates
from app.presentation.formatting import spaced
from app.theme import tokens as t
from core.errors import ConsoleError
from core.planning.pddl.reader import parse_problem
from core.planning.pddl.writer import write_problem
from core.planning.runnable import check_runnable
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
        self._goal: tuple[Literal, ...] | None = problem.goal
        self._search = SearchField(FIND)
        self._search.textChanged.connect(self._list_facts)
        self._facts = ListPicker("Facts")
        self._facts.picked.connect(self._toggle)
        self.picker, self.on_enter = self._facts, self._facts.pick
        self._text = NoDragTextEdit(goal_pddl(problem.goal), "Goal in PDDL")
        self._text.setFixedHeight(104)
        self._text.textChanged.connect(self._check)
        self._words = label("", "strong", "ink", wrap=True)
        margins = (t.XL, t.M, t.XL, t.M)
        words = column(label("In words", "label", "ink"), self._words, spacing=t.XS, margins=margins)
        search = column(self._search, margins=(t.XL, 0, t.XL, t.S))
        pddl = column(label("In PDDL", "label", "ink"), self._text, spacing=t.XS, margins=margins)
        self.set_body(column(words, search, Separator(), (self._facts, 1), Separator(), pddl))
        self.button("Reset to the task's goal", lambda: self._text.setPlainText(goal_pddl(own)))
        self.button("Cancel", self.reject)
        self._use = self.button("Use for the next episode", self._decide, "check", primary=True)
        self._check()
        self._search.setFocus()

    def _check(self) -> None:
        """Check the text in the field."""
        try:
            self._goal = read_goal(self._problem, self._text.toPlainText())
        except ConsoleError as error:
            self._goal, words = None, str(error)
        else:
            words = ", and ".join(map(self._vocabulary.describe_literal, self._goal)) or EMPTY
        self._words.say(words, "ink" if self._goal else "fault")
        self._use.allow("" if self._goal else words.rstrip("."))
        self._list_facts()

    def _list_facts(self) -> None:
        """List the facts of the goal, then other facts."""
        goal, search = self._goal or (), self._search.text()
        others = goal_candidates(self._problem, self._vocabulary, search, MOST)
        found = tuple(fact for fact in others if fact not in goal)
        kept = self._facts.current
        items = [self._item(fact, "check", "in the goal") for fact in goal]
        self._facts.show_items((*items, *(self._item(fact, "plus", "") for fact in found)))
        if search and kept is None and found:
            self._facts.step(len(items))

    def _item(self, fact: Literal, icon: str, tail: str) -> PickerItem:
        return PickerItem(self._vocabulary.describe_literal(fact), fact, "", icon, True, tail, bool(tail))

    def _toggle(self, fact: Literal) -> None:
        """Add the fact to the goal in place of its negation, or remove it."""
        goal = self._goal or ()
        opposite = replace(fact, positive=not fact.positive)
        rest = tuple(f for f in goal if f not in (fact, opposite))
        self._text.setPlainText(goal_pddl(rest if fact in goal else (*rest, fact)))

    def _decide(self) -> None:
        if self._goal:
            self.decided.emit(None if set(self._goal) == set(self._own) else self._goal)
            self.accept()


def goal_pddl(goal: tuple[Literal, ...]) -> str:
    return "(and\n" + "\n".join(f"  {literal}" for literal in goal) + ")"


def read_goal(problem: Problem, text: str) -> tuple[Literal, ...]:
    """Parse a goal and check it against the problem's predicates and objects. Raises BadDomain.

    Only objects that the text names are declared for the parser, because parsing a large problem at every key
    press would block the GUI thread.
    """
    named = set(re.findall(r"[^\s()]+", text.lower()))
    objects = tuple(o for o in problem.objects if o.name in named)
    empty = write_problem(replace(problem, goal=(), state=frozenset(), objects=objects))
    head, _, _ = empty.rpartition("(:goal")
    read = parse_problem(f"{head}(:goal {text}))", problem.domain, "the goal")
    check_runnable(read)
    return read.goal
