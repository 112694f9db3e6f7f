"""The goal of the next episode: in PDDL, checked as it is written, and said in words."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QSize, Signal

from app.naming import Naming
from app.parts.layout import column, label, retone
from app.parts.text import Written
from app.sheets.sheet import Sheet
from app.theme import tokens as t
from app.window import Window
from core.errors import ConsoleError
from core.planning.read import parse_problem
from core.planning.write import write_problem
from core.problem import Literal, Problem


class GoalSheet(Sheet):
    decided = Signal(object)  # tuple[Literal, ...], or None: the task's own

    def __init__(self, window: Window, problem: Problem, own: tuple[Literal, ...], naming: Naming) -> None:
        super().__init__(window, "Goal of the next episode", f"task {problem.name}", QSize(600, 420))
        self._problem, self._own, self._naming = problem, own, naming
        self._goal: tuple[Literal, ...] | None = problem.goal
        self._text = Written(written(problem.goal), "Goal in PDDL")
        self._text.textChanged.connect(self._check)
        self._words = label("", "body", "text", wrap=True)
        self.put(
            column(
                label("In PDDL", "label", "ink"),
                self._text,
                label("In words", "label", "ink"),
                self._words,
                spacing=t.S,
                margins=(t.XL, t.L, t.XL, t.L),
            )
        )
        self.button("The task's own").done.connect(self._reset)
        self.button("Cancel").done.connect(self.reject)
        self._use = self.button("Use it next time", "check", primary=True)
        self._use.done.connect(self._decide)
        self._check()

    def _check(self) -> None:
        try:
            self._goal = read_goal(self._problem, self._text.toPlainText())
        except ConsoleError as error:
            self._goal = None
            self._words.setText(str(error))
            retone(self._words, "fault")
        else:
            self._words.setText(said(self._goal, self._naming))
            retone(self._words, "text")
        self._use.setEnabled(self._goal is not None)
        self._use.setToolTip("" if self._goal is not None else self._words.text())

    def _reset(self) -> None:
        self._text.setPlainText(written(self._own))

    def _decide(self) -> None:
        if self._goal is not None:
            self.decided.emit(None if set(self._goal) == set(self._own) else self._goal)
            self.accept()


def written(goal: tuple[Literal, ...]) -> str:
    return "(and\n" + "\n".join(f"  {literal}" for literal in goal) + ")"


def said(goal: tuple[Literal, ...], naming: Naming) -> str:
    return ", and ".join(naming.fact(g) for g in goal)


def read_goal(problem: Problem, text: str) -> tuple[Literal, ...]:
    """The goal in a text, checked against the problem's predicates and objects. Raises BadDomain."""
    empty = write_problem(replace(problem, goal=()))
    head, _, _ = empty.rpartition("(:goal")
    return parse_problem(f"{head}(:goal {text}))", problem.domain, "the goal").goal
