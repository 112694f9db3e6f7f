"""The fields for seed, openness, pace, limits and live video, as `Settings` describes them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.input_fields import CheckBox, ComboBox
from app.controls.layout import column, label, row, wrap_layout
from app.controls.tooltip import set_tooltip
from app.dialogs.setup.option_fields import number_field
from app.theme import tokens as t
from core.config import Settings
from core.parameters import parameters_of_fields

PACES = (("at once", 0.0), ("4 × faster", 0.25), ("2 × faster", 0.5), ("real time", 1.0))
VIDEO = "Record live video: what each camera shows, in the log"
ABOUT = {parameter.name: parameter for parameter in parameters_of_fields(Settings)}


class RunFields(QWidget):
    changed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        numbers = ("seed", "openness", "max_steps", "failure_limit")
        self.numbers = {name: number_field(ABOUT[name], getattr(settings, name)) for name in numbers}
        self.pace = ComboBox("Pace")
        self.pace.addItems([words for words, _ in PACES])
        nearest = min(range(len(PACES)), key=lambda i: abs(PACES[i][1] - settings.pace))
        self.pace.setCurrentIndex(nearest)
        self.video = CheckBox(VIDEO, settings.live_video)
        fields = {**self.numbers, "pace": self.pace}
        for name, field in fields.items():
            set_tooltip(field, ABOUT[name].help)
        order = ("seed", "openness", "pace", "max_steps", "failure_limit")
        named = (
            wrap_layout(column(label(ABOUT[n].title, "caption", "muted"), fields[n], spacing=t.XS))
            for n in order
        )
        self.setLayout(column(row(*named, 1, spacing=t.L), row(self.video, 1), spacing=t.M))
        for spin in self.numbers.values():
            spin.valueChanged.connect(self.changed)
        self.pace.currentIndexChanged.connect(self.changed)
        self.video.toggled.connect(self.changed)

    def applied(self, settings: Settings) -> Settings:
        """Return the settings with these values. Raises BadValue."""
        numbers: dict[str, Any] = {name: field.value() for name, field in self.numbers.items()}
        pace, video = PACES[self.pace.currentIndex()][1], self.video.isChecked()
        return replace(settings, pace=pace, live_video=video, **numbers)
