"""The four supervision levels and their presets, from the least supervision to the most."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QAction, QKeyEvent, QPainter
from PySide6.QtWidgets import QMenu, QPushButton, QSizePolicy

from app.controls.layout import Surface, row
from app.controls.painted import PaintedMixin
from app.controls.real_keys import ONE_PRESS
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.episode_state import EpisodeState
from core.ports import Embodiment
from core.supervision import LEVEL_DESCRIPTIONS, SUPERVISION_PRESETS, SupervisionLevel, SupervisionLevels

NAMES = {"ask": "Ask", "believe": "Believe", "replan": "Re-plan", "move": "Move"}
WORDS = tuple(level.name.capitalize() for level in SupervisionLevel)


class LevelSelector(PaintedMixin, QPushButton):
    """A supervision level as four segments; more filled segments leave more to the person. Left and Right
    change it.
    """

    turned = Signal(str, int)

    def __init__(self, name: str) -> None:
        super().__init__(NAMES[name])
        self._name, self._level, self._changed, self._least = (
            name,
            SupervisionLevel.ASSIST,
            False,
            SupervisionLevel.WATCH,
        )
        self.setFixedHeight(t.H_SUPERVISION - 1)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty(ONE_PRESS, True)
        self._menu = QMenu(self)
        self._menu.setToolTipsVisible(True)
        for level in SupervisionLevel:
            action = self._menu.addAction(f"{WORDS[level]}: {LEVEL_DESCRIPTIONS[name][level]}")
            action.setData(int(level))
            action.setCheckable(True)
        self._menu.triggered.connect(self._chosen)
        self.clicked.connect(self._open)

    def show_level(self, level: SupervisionLevel, changed: bool, least: SupervisionLevel) -> None:
        if (level, changed, least) == (self._level, self._changed, self._least) and self.accessibleName():
            return
        self._level, self._changed, self._least = level, changed, least
        for action in self._menu.actions():
            action.setChecked(action.data() == int(level))
            action.setEnabled(action.data() >= int(least))
            action.setToolTip("" if action.isEnabled() else "Not on a real robot")
        says = LEVEL_DESCRIPTIONS[self._name][level]
        self.setAccessibleName(f"{NAMES[self._name]}: {WORDS[level]}, {says}")
        set_tooltip(self, f"{NAMES[self._name]}: {says}. Click, or Left and Right.")
        self.update()

    def _open(self) -> None:
        self._menu.popup(self.mapToGlobal(QPoint(0, self.height())))

    def _chosen(self, action: QAction) -> None:
        self.turned.emit(self._name, action.data())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        elif self._least <= self._level + by <= SupervisionLevel.MANUAL:
            self.turned.emit(self._name, self._level + by)

    def draw(self, p: QPainter) -> None:
        w, h = self.width(), self.height()
        if self.underMouse() or self.hasFocus():
            paint.fill(p, 1, 0, w - 1, h, "raised")
        paint.fill(p, 0, 10, 1, h - 20, "hair")
        if self.hasFocus():
            paint.box(p, 1, 1, w - 2, h - 2, None, "accent")
        x = float(t.L)
        paint.text(p, x, 6, 60, 16, NAMES[self._name], "label", "ink")
        notch = x + 64
        for level in SupervisionLevel:
            on = level <= self._level
            ink = ("accent" if self._changed else "muted") if on else "hair"
            paint.box(p, notch + level * 17, 12, 14, 5, ink, None, 2)
        ink = "accent" if self._changed else "text"
        paint.text(p, notch + 76, 6, w - notch - 80, 16, WORDS[self._level], "label", ink)
        paint.text(p, x, 23, w - x - t.S, 16, LEVEL_DESCRIPTIONS[self._name][self._level], "small", "muted")


class PresetButton(PaintedMixin, QPushButton):
    """Sets all four levels at once."""

    def __init__(self) -> None:
        super().__init__("Supervision")
        self._words = ""
        self.setFixedSize(132, t.H_SUPERVISION - 1)
        self.menu_ = QMenu(self)
        for name in SUPERVISION_PRESETS:
            self.menu_.addAction(name).setData(name)
        self.clicked.connect(self._open)

    def _open(self) -> None:
        self.menu_.popup(self.mapToGlobal(QPoint(0, self.height())))

    def show_text(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self.setAccessibleName(f"Supervision: {words}")
            self.setToolTip("Sets all four levels. The program may raise a level; only you can lower one.")
            self.update()

    def draw(self, p: QPainter) -> None:
        if self.underMouse():
            p.fillRect(self.rect(), styling.colour("raised"))
        if self.hasFocus():
            paint.box(p, 0, 0, self.width(), self.height(), None, "accent")
        paint.text(p, t.L, 6, 110, 16, "Supervision", "caption", "muted")
        x = t.L + paint.text(p, t.L, 23, 94, 16, self._words, "label", "ink")
        icons.draw(p, "down", x + 4, 25, 13, "muted")


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
        self.setLayout(row(self._preset, *((selector, 1) for selector in self._all.values()), spacing=0))
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
