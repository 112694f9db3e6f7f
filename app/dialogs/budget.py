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

    raised = Signal(object)  # ModelBudget
    mine = Signal()  # a person answers these questions
    ended = Signal()

    def __init__(
        self, window: MainWindow, spent: BudgetExceeded, meter: Meter, waiting: Callable[[], object]
    ) -> None:
        """`waiting` returns the exhausted budget that the loop waits for, None if it no longer waits."""
        super().__init__(
            window, "The model's budget is used up", "nothing is asked until you decide", QSize(760, 300)
        )
        self._spent, self._meter, self._waiting = spent, meter, waiting
        before = getattr(meter.budget, spent.quantity) or 1  # as much again
        money = spent.quantity == "dollars"
        self.more = (
            NumberField("More", 0.01, MOST, before, 0.5)
            if money
            else WholeField("More", 1, MOST, round(before))
        )
        about = cost_summary(meter)
        lines = [label(line, "body", "text", wrap=True) for line in (about.lines if about else ())]
        self.set_body(
            column(
                row(
                    Icon("diamond", "doubt_fill", 20),
                    label(str(spent).split(":")[0] + ".", "strong", "ink"),
                    1,
                ),
                *lines,
                row(
                    label("Allow", "body", "text"),
                    self.more,
                    label(f"{UNITS[spent.quantity]} more", "body", "text"),
                    1,
                ),
                1,
                spacing=t.M,
                margins=(t.XL, t.L, t.L, t.M),
            )
        )
        self.button("End episode", "flag").activated.connect(self._end)
        self.button("Answer these myself", "person").activated.connect(self._answer)
        self.button("Raise and continue", "check", "Enter", primary=True).activated.connect(self._raise)
        self.on_enter = self._raise
        self.more.setFocus()
        self.more.selectAll()

    def display(self, state: EpisodeState) -> None:
        if self._waiting() is not self._spent:
            self.reject()

    def _raise(self) -> None:
        if fault := typing_fault(self):
            self.hint.setText(fault)
            return
        budget: ModelBudget = self._meter.with_more(self._spent.quantity, self.more.value())
        self.raised.emit(budget)
        self.accept()

    def _answer(self) -> None:
        self.mine.emit()
        self.accept()

    def _end(self) -> None:
        self.ended.emit()
        self.accept()
