"""Find a command by its name: all that the menus have, and in the review all of its keys."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, QTimer

from app.commands import Choice
from app.controls.header import SearchField
from app.controls.layout import column, row
from app.controls.list_picker import ListPicker, PickerItem
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.theme import tokens as t


class PaletteDialog(OverlayDialog):
    """Closes before it does what was picked."""

    def __init__(self, window: MainWindow, choices: Sequence[Choice]) -> None:
        super().__init__(window, "Commands", "what cannot be done now says why", QSize(640, 520))
        self._choices = choices
        self._search = SearchField("Find a command")
        self._search.textChanged.connect(self._show)
        self.picker = ListPicker("Commands")
        self.picker.picked.connect(self._picked)
        self.on_enter = self.picker.pick
        self.set_body(column(row(self._search, margins=(t.XL, t.M, t.L, t.M)), self.picker))
        self.button("Close", self.reject)
        self._show()
        self._search.setFocus()

    def _show(self) -> None:
        words = self._search.text().lower().split()
        found = [c for c in self._choices if all(w in f"{c.text} {c.tip} {c.key}".lower() for w in words)]
        found.sort(key=lambda c: (bool(c.reason), not c.text.lower().startswith(" ".join(words))))
        assert self.picker is not None
        self.picker.show_items(tuple(map(_item, found)))

    def _picked(self, choice: Choice) -> None:
        self.accept()
        QTimer.singleShot(0, self.window_, choice.act)  # once this is gone: it may open another dialog


def _item(choice: Choice) -> PickerItem:
    note = f"Not now: {choice.reason}." if choice.reason else f"{choice.tip}."
    return PickerItem(choice.text, choice, note, choice.icon, not choice.reason, choice.key)
