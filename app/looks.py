"""Colours, sound and locked panels: set at once, and remembered."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from app.memory import Memory
from app.theme import look
from app.theme.look import Mode
from app.window import Window


class Looks(QObject):
    def __init__(self, app: QApplication, window: Window, memory: Memory) -> None:
        super().__init__(window)
        self._app, self._window, self._memory = app, window, memory
        app.styleHints().colorSchemeChanged.connect(self._system_changed)
        self._show()

    def light(self) -> None:
        self._colour(Mode.LIGHT)

    def dark(self) -> None:
        self._colour(Mode.DARK)

    def system(self) -> None:
        self._colour(Mode.SYSTEM)

    def _colour(self, mode: Mode) -> None:
        self._memory.mode = mode
        self._memory.save()
        look.apply(self._app, mode)
        self._show()

    def _system_changed(self) -> None:
        if self._memory.mode is Mode.SYSTEM:
            look.apply(self._app, Mode.SYSTEM)

    def lock(self) -> None:
        self._memory.locked = not self._memory.locked
        self._memory.save()
        self._show()

    def mute(self) -> None:
        self._memory.muted = not self._memory.muted
        self._memory.save()
        self._show()

    def _show(self) -> None:
        actions, memory, bell = self._window.actions_, self._memory, self._window.top.bell
        for mode in Mode:
            actions[mode.value].setChecked(mode is memory.mode)
        actions["lock"].setChecked(memory.locked)
        self._window.lock_panels(memory.locked)
        actions["mute"].setChecked(memory.muted)
        bell.setChecked(memory.muted)
        bell.rename("Muted (Ctrl+M)" if memory.muted else "Mute (Ctrl+M)", "mute" if memory.muted else "bell")
