"""The four supervision levels and their presets, from the least supervision to the most."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, Signal

from app.controls.input_fields import ComboBox
from app.controls.layout import Item, Separator, Surface, label, row, set_property
from app.controls.real_keys import ONE_PRESS
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from core.episode_state import EpisodeState
from core.ports import Embodiment
from core.supervision import LEVEL_DESCRIPTIONS, SUPERVISION_PRESETS, SupervisionLevel, SupervisionLevels

NAMES = {"ask": "Ask", "believe": "Believe", "replan": "Re-plan", "move": "Move"}
TIP = "Sets all four levels. The program may raise a level; only you can lower one."


class SupervisionBar(Surface):
    """A list of presets, and one of levels for each of what is decided."""

    changed = Signal(object)  # SupervisionLevels

    def __init__(self) -> None:
        super().__init__("surface", "b")
        self.levels, self._world, self._base = SupervisionLevels(), Embodiment.SIM, "Assist"
        self._preset = ComboBox("Supervision", 96)
        self._preset.show_items((name, name) for name in SUPERVISION_PRESETS)
        self._preset.activated.connect(self._preset_chosen)
        set_tooltip(self._preset, TIP)
        self._all = {name: ComboBox(words, 60) for name, words in NAMES.items()}
        parts: list[Item] = [label("Supervision", "label", "ink"), self._preset]
        for name, box in self._all.items():
            said = zip(SupervisionLevel, LEVEL_DESCRIPTIONS[name], strict=True)
            box.show_items((f"{level.name.capitalize()}: {words}", level) for level, words in said)
            box.setProperty(ONE_PRESS, True)
            box.activated.connect(partial(self._turned, name))
            parts += [Separator(vertical=True), label(NAMES[name], "label", "ink"), (box, 1)]
        for box in (self._preset, *self._all.values()):  # by mouse it takes no keys, which answer questions
            box.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setLayout(row(*parts, margins=(t.L, 0, t.M, 0)))
        self.setFixedHeight(t.H_SUPERVISION)
        self.show_levels(self.levels)

    def display(self, state: EpisodeState) -> None:
        if state.started is not None:
            self._world = Embodiment(state.embodiment)
            self.show_levels(state.supervision)

    def show_levels(self, levels: SupervisionLevels) -> None:
        self.levels, self._base = levels, levels.preset_name or self._base
        base = SUPERVISION_PRESETS[self._base].allowed_for(self._world)
        self._preset.setCurrentText(self._base)
        set_property(self._preset, "tone", "" if levels == base else "accent")
        least = SupervisionLevels(*[SupervisionLevel.WATCH] * 4).allowed_for(self._world)
        for name, box in self._all.items():
            level = getattr(levels, name)
            low = range(getattr(least, name))
            box.disable_items(dict.fromkeys(map(SupervisionLevel, low), "not on a real robot"))
            box.setCurrentIndex(level)
            set_property(box, "tone", "" if level == getattr(base, name) else "accent")
            set_tooltip(box, f"{NAMES[name]}: {LEVEL_DESCRIPTIONS[name][level]}")

    def _turned(self, name: str, level: int) -> None:
        self._set(replace(self.levels, **{name: SupervisionLevel(level)}))

    def _preset_chosen(self) -> None:
        self._base = str(self._preset.currentData())
        self._set(SUPERVISION_PRESETS[self._base])

    def _set(self, levels: SupervisionLevels) -> None:
        self.show_levels(levels.allowed_for(self._world))
        self.changed.emit(self.levels)
