"""The four supervision levels and their presets, from the least supervision to the most."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QMenu, QProgressBar, QPushButton, QSizePolicy

from app.controls.badge import Icon
from app.controls.layout import Separator, Surface, column, label, open_menu_below, row, set_property
from app.controls.real_keys import ONE_PRESS
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from core.episode_state import EpisodeState
from core.ports import Embodiment
from core.supervision import LEVEL_DESCRIPTIONS, SUPERVISION_PRESETS, SupervisionLevel, SupervisionLevels

NAMES = {"ask": "Ask", "believe": "Believe", "replan": "Re-plan", "move": "Move"}
WORDS = tuple(level.name.capitalize() for level in SupervisionLevel)


class LevelSelector(QPushButton):
    """A supervision level as four segments; more filled segments leave more to the person. Left and Right
    change it.
    """

    turned = Signal(str, int)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name, self._level, self._least = name, SupervisionLevel.ASSIST, SupervisionLevel.WATCH
        self._notches = QProgressBar(maximum=len(SupervisionLevel), textVisible=False)
        self._notches.setFixedSize(68, 5)
        self._word, self._says = label("", "label"), label("", "small", "muted")
        named = label(NAMES[name], "label", "ink")
        named.setFixedWidth(56)
        self._says.setMinimumWidth(1)
        level = row(named, self._notches, (self._word, 1))
        self.setLayout(column(level, self._says, spacing=1, margins=(t.L, 4, t.XS, 4)))
        self.setFixedHeight(t.H_SUPERVISION - 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty(ONE_PRESS, True)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        for level_ in SupervisionLevel:
            action = self._menu.addAction(f"{WORDS[level_]}: {LEVEL_DESCRIPTIONS[name][level_]}")
            action.setData(int(level_))
            action.setCheckable(True)
        self._menu.triggered.connect(lambda action: self.turned.emit(name, action.data()))
        self.clicked.connect(lambda: open_menu_below(self._menu, self))

    def show_level(self, level: SupervisionLevel, changed: bool, least: SupervisionLevel) -> None:
        self._level, self._least = level, least
        for action in self._menu.actions():
            action.setChecked(action.data() == int(level))
            action.setEnabled(action.data() >= int(least))
            action.setToolTip("" if action.isEnabled() else "Not on a real robot")
        says = LEVEL_DESCRIPTIONS[self._name][level]
        self._notches.setValue(level + 1)
        set_property(self._notches, "changed", changed)
        self._word.say(WORDS[level], "accent" if changed else "text")
        self._says.setText(says)
        self.setAccessibleName(f"{NAMES[self._name]}: {WORDS[level]}, {says}")
        set_tooltip(self, f"{NAMES[self._name]}: {says}. Click, or Left and Right.")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        elif self._least <= self._level + by <= SupervisionLevel.MANUAL:
            self.turned.emit(self._name, self._level + by)


class PresetButton(QPushButton):
    """Sets all four levels at once."""

    def __init__(self) -> None:
        super().__init__()
        self._words = label("", "label", "ink")
        value = row(self._words, Icon("down", size=13), 1, spacing=t.XS)
        head = label("Supervision", "caption", "muted")
        self.setLayout(column(head, value, spacing=1, margins=(t.L, 4, t.XS, 4)))
        self.setFixedSize(132, t.H_SUPERVISION - 1)
        self.setToolTip("Sets all four levels. The program may raise a level; only you can lower one.")
        self.menu_ = QMenu(self)
        for name in SUPERVISION_PRESETS:
            self.menu_.addAction(name).setData(name)
        self.clicked.connect(lambda: open_menu_below(self.menu_, self))

    def show_text(self, words: str) -> None:
        self._words.setText(words)
        self.setAccessibleName(f"Supervision: {words}")


class SupervisionBar(Surface):
    changed = Signal(object)  # SupervisionLevels

    def __init__(self) -> None:
        super().__init__("surface", "b")
        self.levels, self._world, self._base = SupervisionLevels(), Embodiment.SIM, "Assist"
        self._preset = PresetButton()
        self._preset.menu_.triggered.connect(self._preset_chosen)
        self._all = {name: LevelSelector(name) for name in NAMES}
        for selector in self._all.values():
            selector.turned.connect(self._turned)
        bar = row(self._preset, spacing=0)
        for selector in self._all.values():
            bar.addWidget(Separator(vertical=True))
            bar.addWidget(selector, 1)
        self.setLayout(bar)
        self.setFixedHeight(t.H_SUPERVISION)
        self.show_levels(self.levels)

    def display(self, state: EpisodeState) -> None:
        if state.started is not None:
            self._world = Embodiment(state.embodiment)
            self.show_levels(state.supervision)

    def show_levels(self, levels: SupervisionLevels) -> None:
        self.levels = levels
        if levels.preset_name:
            self._base = levels.preset_name
        base = SUPERVISION_PRESETS[self._base].allowed_for(self._world)
        self._preset.show_text(self._base + ("" if levels == base else ", changed"))
        least = SupervisionLevels(*[SupervisionLevel.WATCH] * 4).allowed_for(self._world)
        for name, selector in self._all.items():
            level = getattr(levels, name)
            selector.show_level(level, level != getattr(base, name), getattr(least, name))

    def _turned(self, name: str, level: int) -> None:
        self._set(replace(self.levels, **{name: SupervisionLevel(level)}))

    def _preset_chosen(self, action: QAction) -> None:
        self._base = action.data()
        self._set(SUPERVISION_PRESETS[action.data()])

    def _set(self, levels: SupervisionLevels) -> None:
        self.show_levels(levels.allowed_for(self._world))
        self.changed.emit(self.levels)
