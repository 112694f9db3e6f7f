"""Keep the layout of the panels under a name, and take one that was kept."""

from __future__ import annotations

from PySide6.QtCore import QByteArray, QSize

from app.controls.layout import Separator, column, row
from app.controls.list_picker import ListPicker, PickerItem
from app.controls.text import TextField
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.preferences import Preferences
from app.theme import tokens as t
from core.text.untrusted_text import one_line


class LayoutsDialog(OverlayDialog):
    def __init__(self, window: MainWindow, preferences: Preferences) -> None:
        hint = "Enter takes one, or keeps the present one under a new name"
        super().__init__(window, "Layouts", hint, QSize(560, 420))
        self._preferences, self._layout = preferences, window.layout_
        self.list = self.picker = ListPicker("Layouts")
        self.list.picked.connect(self._take)
        self.name = TextField(name="Name for the present layout")
        self.name.setPlaceholderText("a name for the present layout")
        self.set_body(column((self.list, 1), Separator(), row(self.name, margins=(t.XL, t.S, t.L, t.S))))
        self.button("Close", self.reject)
        self._remove = self.button("Remove", self._forget, "close")
        self._keep = self.button("Keep", self._save, "disk")
        self._use = self.button("Take it", self.list.pick, "check", "Enter", primary=True)
        self.name.textChanged.connect(self._allow)
        self.on_enter = lambda: self._save() if self._name else self.list.pick()
        self._show()
        (self.list if self._preferences.layouts else self.name).setFocus()

    @property
    def _name(self) -> str:
        return one_line(self.name.text(), 40)

    def _show(self) -> None:
        names = sorted(self._preferences.layouts)
        items = (PickerItem(name, name, icon="expand") for name in names)
        self.list.show_items(tuple(items), none="No layout is kept yet.")
        self._allow()

    def _allow(self, *_: object) -> None:
        none = "" if self._preferences.layouts else "no layout is kept yet"
        self._remove.allow(none)
        self._use.allow(none)
        self._keep.allow("" if self._name else "it has no name yet")

    def _save(self) -> None:
        if self._name:
            state = self._layout.save().toBase64().data()
            self._preferences.layouts[self._name] = bytes(state).decode()
            self._preferences.save()
            self.name.clear()
            self._show()

    def _forget(self) -> None:
        if self.list.current is not None:
            self._preferences.layouts.pop(str(self.list.current.key), None)
            self._preferences.save()
            self._show()

    def _take(self, name: object) -> None:
        self.accept()
        self._layout.take(QByteArray.fromBase64(self._preferences.layouts[str(name)].encode()))
