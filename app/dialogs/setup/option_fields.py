"""Fields for a component's own options, as its entry describes them, and for numbers of `Settings`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from app.controls.input_fields import CheckBox, ComboBox
from app.controls.layout import Item, clear_layout, column, label, row, set_property, wrap_layout
from app.controls.number_fields import NumberField, WholeField
from app.controls.text import TextField
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from core.config import Settings
from core.errors import BadValue
from core.parameters import Parameter, ParameterType, format_value, parameters_of, parameters_of_fields
from core.registry import Entry
from core.text.numbers import read_number

NAME, FIELD = 130, 150  # px of an option's name, and of its field
FAR = 100_000_000  # where a number has no limit


class OptionFields(QWidget):
    """One row for each option; hidden for a component without options."""

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._entry: Entry[Any] | None = None
        self._fields: dict[str, tuple[Parameter, QWidget, Callable[[], str]]] = {}
        self._column = column(spacing=t.XS)
        self.setLayout(self._column)
        self.hide()

    def show_for(self, entry: Entry[Any] | None, values: Mapping[str, str] | None = None) -> None:
        """Show the options of this entry with these values; the fields of an unchanged entry are kept.

        With None the fields are hidden.
        """
        if entry is self._entry:
            return
        self._entry, self._fields = entry, {}
        clear_layout(self._column)
        for parameter in parameters_of(entry.options) if entry else ():
            field, read = self._made(parameter, (values or {}).get(parameter.name, parameter.default))
            set_tooltip(field, parameter.help)
            field.setAccessibleDescription(parameter.help)
            self._fields[parameter.name] = (parameter, field, read)
            self._column.addWidget(_named(parameter, field))
        self.setVisible(bool(self._fields))

    @property
    def values(self) -> dict[str, str]:
        """Return the options that differ from their defaults, as written on the command line."""
        found = {name: (read(), of.default) for name, (of, _, read) in self._fields.items()}
        return {name: value for name, (value, default) in found.items() if value != default}

    @property
    def fault(self) -> str:
        """Return in a sentence which value is invalid, "" if none is, and mark its field."""
        reason = ""
        try:
            if self._entry is not None:
                self._entry.read_options(self.values)
        except BadValue as error:
            reason = str(error)
        for name, (_, field, _) in self._fields.items():
            if isinstance(field, QLineEdit):
                set_property(field, "bad", bool(re.search(rf" option {re.escape(name)}\b", reason)))
        return reason

    def _made(self, parameter: Parameter, value: str) -> tuple[QWidget, Callable[[], str]]:
        """Return a field with this value, and what reads it."""
        name = parameter.title
        if parameter.kind is ParameterType.BOOLEAN:
            check = CheckBox(name, value in ("true", "True", "yes", "1"))
            check.setFixedWidth(NAME + t.S + FIELD)
            check.toggled.connect(self.changed)
            return check, lambda: format_value(check.isChecked())
        if parameter.kind is ParameterType.CHOICE:
            combo = ComboBox(name, FIELD)
            combo.addItems(list(parameter.choices))
            combo.setCurrentIndex(max(0, combo.findText(value)))
            combo.currentIndexChanged.connect(self.changed)
            return combo, combo.currentText
        if parameter.kind in (ParameterType.INTEGER, ParameterType.NUMBER) and parameter.default:
            with suppress(BadValue):  # what is no number can be mended as text
                spin = number_field(parameter, read_number(value))
                spin.setFixedWidth(FIELD)
                spin.valueChanged.connect(self.changed)
                return spin, lambda: format_value(round(spin.value(), 6))
        line = TextField(value, name)
        placeholders = {ParameterType.TEXT: "", ParameterType.LIST: "comma-separated"}
        line.setPlaceholderText(placeholders.get(parameter.kind, parameter.allowed_values))
        line.setFixedWidth(FIELD)
        line.textEdited.connect(self.changed)
        return line, lambda: line.text().strip()


def number_field(parameter: Parameter, value: float, least: str = "") -> NumberField:
    """Return a field for a number option within its bounds; `least` are words that stand for none, or 0."""
    low = 0 if least else -FAR if parameter.minimum is None else parameter.minimum
    high = FAR if parameter.maximum is None else parameter.maximum
    if parameter.kind is ParameterType.INTEGER:
        return WholeField(parameter.title, int(low), int(high), round(value), least)
    return NumberField(parameter.title, low, high, value, _step(low, high), least)


def _named(parameter: Parameter, field: QWidget) -> QWidget:
    """Return a row with name, field and help; a check box shows its name itself."""
    help_ = label(parameter.help, "caption", "muted", wrap=True)
    if isinstance(field, CheckBox):
        return wrap_layout(row(field, (help_, 1)))
    name = label(parameter.title, "caption", "muted")
    name.setFixedWidth(NAME)
    return wrap_layout(row(name, field, (help_, 1)))


def _step(low: float, high: float) -> float:
    return 0.05 if high - low <= 1 else 0.25 if high - low <= 10 else 1.0


PACES = (("at once", 0.0), ("4 × faster", 0.25), ("2 × faster", 0.5), ("real time", 1.0))
VIDEO = "Record live video: what each camera shows, in the log"
NO_LIMIT = "no limit"
ABOUT = {parameter.name: parameter for parameter in parameters_of_fields(Settings)}


class NumberFields(QWidget):
    """A field for each of these numbers, below its title; where None is allowed, 0 stands for it."""

    changed = Signal()

    def __init__(self, settings: Settings, names: Sequence[str], *more: Item) -> None:
        super().__init__()
        least = {name: "" if ABOUT[name].default else NO_LIMIT for name in names}
        self.fields = {n: number_field(ABOUT[n], getattr(settings, n) or 0, least[n]) for n in names}
        for field in self.fields.values():
            field.valueChanged.connect(self.changed)
        self.setLayout(row(*(titled(name, field) for name, field in self.fields.items()), *more, 1))

    @property
    def values(self) -> dict[str, Any]:
        return {n: field.value() or (0 if ABOUT[n].default else None) for n, field in self.fields.items()}


def titled(name: str, field: QWidget) -> QWidget:
    """Return the field of a setting below its title."""
    set_tooltip(field, ABOUT[name].help)
    return wrap_layout(column(label(ABOUT[name].title, "caption", "muted"), field, spacing=t.XS))


class RunFields(QWidget):
    changed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.pace, self.video = ComboBox("Pace"), CheckBox(VIDEO, settings.live_video)
        nearest = min((pace for _, pace in PACES), key=lambda pace: abs(pace - settings.pace))
        self.pace.show_items(PACES, nearest)
        names = ("seed", "openness", "max_steps", "failure_limit")
        self._form = NumberFields(settings, names, titled("pace", self.pace))
        self.numbers = self._form.fields
        self.setLayout(column(self._form, row(self.video, 1), spacing=t.M))
        self._form.changed.connect(self.changed)
        self.pace.currentIndexChanged.connect(self.changed)
        self.video.toggled.connect(self.changed)

    def applied(self, settings: Settings) -> Settings:
        """Return the settings with these values. Raises BadValue."""
        pace, video = self.pace.currentData(), self.video.isChecked()
        return replace(settings, pace=pace, live_video=video, **self._form.values)
