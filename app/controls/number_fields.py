"""Number fields that read what is typed as the command line does, whatever the language of the desktop."""

from __future__ import annotations

from PySide6.QtCore import QLocale, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QValidator
from PySide6.QtWidgets import QAbstractSpinBox, QDoubleSpinBox, QWidget

from app.controls.button import ENTER
from app.controls.layout import set_property
from app.controls.tooltip import show_tooltip
from app.theme import tokens as t
from core.errors import BadValue
from core.text.numbers import format_number, read_number, read_whole

DECIMALS = 6


class NumberField(QDoubleSpinBox):
    """A number. What cannot be read, or is out of range, stays in the field with its `fault` and counts for
    nothing: `value` is the one before. Enter refuses it, and leaving the field takes it back.
    """

    def __init__(self, name: str, low: float, high: float, value: float, step: float) -> None:
        super().__init__()
        self.fault = ""  # in one sentence, why what is typed counts for nothing
        self._kept = value
        self.setLocale(QLocale.c())
        self.setDecimals(DECIMALS)
        self.setRange(low, high)
        self.setSingleStep(step)
        self.setValue(value)
        self.setButtonSymbols(QAbstractSpinBox.ButtonSymbols.NoButtons)
        self.setAccessibleName(name)
        self.setFixedSize(88, t.H_CONTROL)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        line = self.lineEdit()
        line.setDragEnabled(False)
        line.setAcceptDrops(False)
        line.setTextMargins(5, 0, 0, 0)
        line.textChanged.connect(self._judge)
        self.editingFinished.connect(self._keep)

    def read(self, text: str) -> float:
        """Return what was typed. Raises BadValue."""
        return read_number(text)

    def value(self) -> float:
        return self._kept if self.fault else super().value()

    def setValue(self, value: float) -> None:
        super().setValue(value)
        self._keep()

    def stepBy(self, steps: int) -> None:
        super().stepBy(steps)
        self._keep()

    def _keep(self) -> None:
        self._kept = self.value()

    def _judge(self, text: str) -> None:
        before, self.fault = self.fault, self._fault_of(text)
        if bool(before) != bool(self.fault):
            set_property(self, "bad", bool(self.fault))
            self.valueChanged.emit(self.value())

    def _fault_of(self, text: str) -> str:
        if text == self.specialValueText() and text:
            return ""
        try:
            value = self.read(text)
        except BadValue as error:
            return str(error)
        low, high = self.minimum(), self.maximum()
        within = f"write a number from {format_number(low)} to {format_number(high)}"
        return "" if low <= value <= high else f"{text.strip()} is out of range: {within}."

    # --- what Qt asks ------------------------------------------------------------------------------------

    def validate(self, text: str, at: int) -> tuple[QValidator.State, str, int]:
        state = QValidator.State
        return (state.Intermediate if self._fault_of(text) else state.Acceptable), text, at

    def valueFromText(self, text: str) -> float:
        return self._kept if self._fault_of(text) else self._value_of(text)

    def _value_of(self, text: str) -> float:
        return self.minimum() if text == self.specialValueText() else self.read(text)

    def textFromValue(self, value: float) -> str:
        return format_number(value)

    def fixup(self, text: str) -> str:
        return format_number(self._kept)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER and self.fault:
            show_tooltip(self, self.fault)
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        if fault := self.fault:
            self.fault = ""
            super().setValue(self._kept)
            show_tooltip(self, f"{fault} {format_number(self._kept)} stays.")
        super().focusOutEvent(event)


class WholeField(NumberField):
    """A whole number."""

    def __init__(self, name: str, low: int, high: int, value: int) -> None:
        super().__init__(name, low, high, value, 1)
        self.setDecimals(0)

    def read(self, text: str) -> float:
        return read_whole(text)

    def value(self) -> int:
        return round(super().value())


def typing_fault(root: QWidget) -> str:
    """Return why the first of the shown number fields below `root` cannot be read, "" if all can."""
    fields = (f for f in root.findChildren(NumberField) if f.fault and f.isVisibleTo(root))
    return next((f"{field.accessibleName()}: {field.fault}" for field in fields), "")
