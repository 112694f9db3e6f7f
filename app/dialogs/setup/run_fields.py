"""The fields for numbers of `Settings`, as it describes them, and for pace and live video."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.input_fields import CheckBox, ComboBox
from app.controls.layout import Item, column, label, row, wrap_layout
from app.controls.tooltip import set_tooltip
from app.dialogs.setup.option_fields import number_field
from app.theme import tokens as t
from core.config import Settings
from core.parameters import parameters_of_fields

PACES = (("at once", 0.0), ("4 × faster", 0.25), ("2 × faster", 0.5), ("real time", 1.0))
VIDEO = "Record live video: what each camera shows, in the log"
NO_LIMIT = "no limit"
ABOUT = {parameter.name: parameter for parameter in parameters_of_fields(Settings)}


class NumberFields(QWidget):
    """A field for each of these numbers, below its title; where None is allowed, 0 stands for it."""

    changed = Signal()

    def __init__(self, settings: Settings, names: Sequence[str], *more: Item) -> None:
        super().__init__()
        self.fields = {name: number_field(ABOUT[name], getattr(settings, name) or 0) for name in names}
        for name, field in self.fields.items():
            if not ABOUT[name].default:
                field.setMinimum(0)
                field.setSpecialValueText(NO_LIMIT)
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
        self.pace.addItems([words for words, _ in PACES])
        nearest = min(range(len(PACES)), key=lambda i: abs(PACES[i][1] - settings.pace))
        self.pace.setCurrentIndex(nearest)
        names = ("seed", "openness", "max_steps", "failure_limit")
        self._form = NumberFields(settings, names, titled("pace", self.pace))
        self.numbers = self._form.fields
        self.setLayout(column(self._form, row(self.video, 1), spacing=t.M))
        self._form.changed.connect(self.changed)
        self.pace.currentIndexChanged.connect(self.changed)
        self.video.toggled.connect(self.changed)

    def applied(self, settings: Settings) -> Settings:
        """Return the settings with these values. Raises BadValue."""
        pace, video = PACES[self.pace.currentIndex()][1], self.video.isChecked()
        return replace(settings, pace=pace, live_video=video, **self._form.values)
