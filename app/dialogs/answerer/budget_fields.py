"""The fields for a model's budget in an episode; each may be "no limit"."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.input_fields import decimal, number
from app.controls.layout import column, label, row, wrap_layout
from app.theme import tokens as t
from core.vqa.budget import ModelBudget

MOST = 100_000_000
NONE = "no limit"


class BudgetFields(QWidget):
    """Four limits. When one is reached, the episode pauses and asks a person."""

    changed = Signal()

    def __init__(self, budget: ModelBudget) -> None:
        super().__init__()
        self._calls = number("Call limit", 0, MOST, budget.calls or 0)
        self._tokens = number("Token limit", 0, MOST, budget.tokens or 0)
        self._dollars = decimal("Cost limit in US dollars", 0, MOST, budget.dollars or 0.0, 0.5)
        self._seconds = number("Limit of waiting in seconds", 0, MOST, round(budget.seconds or 0))
        fields = (
            ("Calls", self._calls),
            ("Tokens", self._tokens),
            ("US dollars", self._dollars),
            ("Seconds", self._seconds),
        )
        for _, field in fields:
            field.setSpecialValueText(NONE)
            field.setToolTip("Per episode; 0 is no limit. At the limit the episode pauses and asks you.")
            field.valueChanged.connect(self.changed)
        boxes = (wrap_layout(column(label(n, "caption", "muted"), w, spacing=t.XS)) for n, w in fields)
        self.setLayout(row(*boxes, 1, spacing=t.S))

    @property
    def budget(self) -> ModelBudget:
        return ModelBudget(
            self._calls.value() or None,
            self._tokens.value() or None,
            self._dollars.value() or None,
            float(self._seconds.value()) or None,
        )
