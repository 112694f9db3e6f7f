"""Theme, sounds and locked panels: applied at once and saved in the preferences."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer
from PySide6.QtWidgets import QApplication

from app.main_window import MainWindow
from app.preferences import Preferences
from app.theme import styling
from app.theme.styling import ColourMode

SOUNDS = ("waits", "doubt", "fault")
APART = 250  # ms between two beeps


class Appearance(QObject):
    def __init__(self, app: QApplication, window: MainWindow, preferences: Preferences) -> None:
        super().__init__(window)
        self._app, self._window, self._memory = app, window, preferences
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self._update_actions()

    def set_mode(self, mode: ColourMode) -> None:
        self._memory.mode = mode
        self._memory.save()
        styling.apply(self._app, mode)
        self._update_actions()

    def _system_changed(self) -> None:
        if self._memory.mode is ColourMode.SYSTEM:
            styling.apply(self._app, ColourMode.SYSTEM)

    def lock(self) -> None:
        self._memory.locked = not self._memory.locked
        self._memory.save()
        self._update_actions()

    def mute(self) -> None:
        self._memory.muted = not self._memory.muted
        self._memory.save()
        self._update_actions()

    def toggle_sound(self, kind: str) -> None:
        self._memory.sounds ^= {kind}
        self._memory.save()
        self._update_actions()

    def sound(self, kind: str) -> None:
        """Beep once for what waits, twice for a doubt, three times for a fault, if that is wanted."""
        if kind in self._memory.sounds and not self._memory.muted:
            for i in range(1 + SOUNDS.index(kind)):
                QTimer.singleShot(APART * i, self, QApplication.beep)

    def _update_actions(self) -> None:
        actions, preferences, bell = self._window.actions_, self._memory, self._window.top.mute
        for mode in ColourMode:
            actions[mode.value].setChecked(mode is preferences.mode)
        for kind in SOUNDS:
            actions[f"sound_{kind}"].setChecked(kind in preferences.sounds)
        actions["lock"].setChecked(preferences.locked)
        self._window.lock_panels(preferences.locked)
        actions["mute"].setChecked(preferences.muted)
        bell.setChecked(preferences.muted)
        name, icon = ("Muted", "mute") if preferences.muted else ("Mute", "bell")
        bell.rename(f"{name} (Ctrl+M)", icon)
