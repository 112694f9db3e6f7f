"""Ask what to do when the model's budget is exhausted: raise it, answer instead, or end the episode."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Signal

from app.controls.badge import Icon
from app.controls.layout import column, label, row
from app.controls.number_fields import NumberField, WholeField, typing_fault
from app.dialogs.overlay_dialog import OverlayDialog
from app.episode.budget_prompt import cost_summary
from app.main_window import MainWindow
from app.theme import tokens as t
from core.episode_state import EpisodeState
from core.vqa.budget import UNITS, BudgetExceeded, Meter, ModelBudget

MOST = 10_000_000


class BudgetDialog(OverlayDialog):
    """Closes when the loop no longer waits. Esc stops the motion, as everywhere."""

    decided = Signal(object)  # a ModelBudget; None: a person answers these questions
    ended = Signal()

    def __init__(
        self, window: MainWindow, spent: BudgetExceeded, meter: Meter, waiting: Callable[[], object]
    ) -> None:
        """`waiting` returns the exhausted budget that the loop waits for, None if it no longer waits."""
        hint = "nothing is asked until you decide"
        super().__init__(window, "The model's budget is used up", hint, QSize(760, 300))
        self._spent, self._meter, self._waiting = spent, meter, waiting
        before = getattr(meter.budget, spent.quantity) or 1  # as much again
        money = spent.quantity == "dollars"
        whole = WholeField("More", 1, MOST, round(before))
        self.more = NumberField("More", 0.01, MOST, before, 0.5) if money else whole
        about = cost_summary(meter)
        lines = [label(line, "body", "text", wrap=True) for line in (about.lines if about else ())]
        used_up = label(str(spent).split(":")[0] + ".", "strong", "ink")
        head = row(Icon("diamond", "doubt_fill", 20), used_up, 1)
        more = row(label("Allow"), self.more, label(f"{UNITS[spent.quantity]} more"), 1)
        self.set_body(column(head, *lines, more, 1, spacing=t.M, margins=(t.XL, t.L, t.L, t.M)))
        self.button("End episode", lambda: self._decide(None, end=True), "flag")
        self.button("Answer these myself", lambda: self._decide(None), "person")
        self.button("Raise and continue", self._raise, "check", "Enter", primary=True)
        self.more.setFocus()
        self.more.selectAll()

    def display(self, state: EpisodeState) -> None:
        if self._waiting() is not self._spent:
            self.reject()

    def _raise(self) -> None:
        if fault := typing_fault(self):
            self.hint.setText(fault)
            return
        self._decide(self._meter.with_more(self._spent.quantity, self.more.value()))

    def _decide(self, budget: ModelBudget | None, end: bool = False) -> None:
        self.ended.emit() if end else self.decided.emit(budget)
        self.accept()
