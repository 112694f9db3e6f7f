"""The fields for seed, openness, pace, step limit, failure limit and live video."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.input_fields import CheckBox, ComboBox
from app.controls.layout import column, label, row, wrap_layout
from app.controls.number_fields import NumberField, WholeField
from app.theme import tokens as t
from core.config import OPENNESS_LIMIT, Settings

PACES = (("at once", 0.0), ("4 × faster", 0.25), ("2 × faster", 0.5), ("real time", 1.0))
VIDEO = "Record live video"
SIZE = "what each camera shows, in the log"


class RunFields(QWidget):
    changed = Signal()

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.seed = WholeField("Seed", 0, 999_999, settings.seed)
        self.steps = WholeField("Step limit", 1, 10_000, settings.max_steps)
        self.failures = WholeField("Failures before asking", 0, 100, settings.failure_limit)
        self.failures.setToolTip("A step that failed so often for the same reason waits for you; 0: never")
        self.openness = NumberField("Openness", 0, OPENNESS_LIMIT, settings.openness, 0.25)
        self.openness.setToolTip("How often something goes wrong: 0 never, 1 as in the paper's Table 6")
        self.pace = ComboBox("Pace")
        self.pace.addItems([words for words, _ in PACES])
        nearest = min(range(len(PACES)), key=lambda i: abs(PACES[i][1] - settings.pace))
        self.pace.setCurrentIndex(nearest)
        self.video = CheckBox(VIDEO, SIZE, settings.live_video)
        fields = (
            ("Seed", self.seed),
            ("Failures (openness)", self.openness),
            ("Pace", self.pace),
            ("Step limit", self.steps),
            ("Ask after failures", self.failures),
        )
        named = (wrap_layout(column(label(n, "caption", "muted"), w, spacing=t.XS)) for n, w in fields)
        self.setLayout(column(row(*named, 1, spacing=t.L), row(self.video, 1), spacing=t.M))
        for spin in (self.seed, self.openness, self.steps, self.failures):
            spin.valueChanged.connect(self.changed)
        self.pace.currentIndexChanged.connect(self.changed)
        self.video.toggled.connect(self.changed)

    def applied(self, settings: Settings) -> Settings:
        """Return the settings with these values. Raises BadValue."""
        return replace(
            settings,
            seed=self.seed.value(),
            openness=self.openness.value(),
            pace=PACES[self.pace.currentIndex()][1],
            max_steps=self.steps.value(),
            failure_limit=self.failures.value(),
            live_video=self.video.isChecked(),
        )
