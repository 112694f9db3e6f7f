"""Number fields that read what is typed as the command line does, whatever the language of the desktop."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from app.controls.button import ENTER
from app.controls.layout import set_property
from app.controls.text import TextField
from app.controls.tooltip import show_tooltip
from app.theme import tokens as t
from core.errors import BadValue
from core.text.numbers import format_number, read_number, read_whole


class NumberField(TextField):
    """A number. What cannot be read, or is out of range, stays in the field with its `fault` and counts for
    nothing: `value` is the one before. Enter refuses it, and leaving the field takes it back. Up and Down
    change it by a step. `least` are words that stand for the lowest value.
    """

    valueChanged = Signal(float)  # also when it can no longer be read, or can again

    def __init__(
        self, name: str, low: float, high: float, value: float, step: float, least: str = ""
    ) -> None:
        super().__init__("", name)
        self.low, self.high, self.fault = low, high, ""
        self._value = self._kept = value
        self._step, self._least = step, least
        self.setText(self._written)
        self.setFixedSize(88, t.H_CONTROL)
        self.textChanged.connect(self._judge)

    def read(self, text: str) -> float:
        """Return what was typed. Raises BadValue."""
        return read_number(text)

    def value(self) -> float:
        return self._kept if self.fault else self._value

    def setValue(self, value: float) -> None:
        self._value = self._kept = value
        self.setText(self._written)

    @property
    def _written(self) -> str:
        return self._least if self._least and self._value == self.low else format_number(self._value)

    def _judge(self, text: str) -> None:
        self.fault = ""
        try:
            value = self.low if self._least and text == self._least else self.read(text)
            if self.low <= value <= self.high:
                self._value = value
            else:
                within = f"write a number from {format_number(self.low)} to {format_number(self.high)}"
                self.fault = f"{text.strip()} is out of range: {within}."
        except BadValue as error:
            self.fault = str(error)
        set_property(self, "bad", bool(self.fault))
        self.valueChanged.emit(self.value())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Up: self._step, Qt.Key.Key_Down: -self._step}.get(Qt.Key(event.key()))
        if by is not None:
            self.setValue(round(min(self.high, max(self.low, self._value + by)), 6))
        elif event.key() in ENTER and self.fault:
            show_tooltip(self, self.fault)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        fault = self.fault
        self.setValue(self.value())
        if fault:
            show_tooltip(self, f"{fault} {self._written} stays.")
        super().focusOutEvent(event)


class WholeField(NumberField):
    """A whole number."""

    def __init__(self, name: str, low: int, high: int, value: int, least: str = "") -> None:
        super().__init__(name, low, high, value, 1, least)

    def read(self, text: str) -> float:
        return read_whole(text)

    def value(self) -> int:
        return round(super().value())


def typing_fault(root: QWidget) -> str:
    """Return why the first of the shown number fields below `root` cannot be read, "" if all can."""
    fields = (f for f in root.findChildren(NumberField) if f.fault and f.isVisibleTo(root))
    return next((f"{field.accessibleName()}: {field.fault}" for field in fields), "")
