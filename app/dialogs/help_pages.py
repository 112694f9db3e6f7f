"""Find a command by its name, a page with all keys, one about this program, and the last messages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QSize, QTimer

from app.actions import help_page
from app.commands import Choice
from app.controls.header import SearchField
from app.controls.layout import column, row
from app.controls.list_picker import ListPicker, PickerItem
from app.controls.text import ReadOnlyText
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.presentation.candidates import matches
from app.theme import tokens as t
from app.theme.states import LEVEL
from core.events import Notice
from core.install_paths import version

ABOUT = f"""<p>Version {version()}. A robot that plans, looks, asks a vision-language model whether the
world agrees, and plans again when it does not. The method is DKPROMPT (Zhang et al.).</p>
<p>STOP MOTION is a software stop. It is no emergency stop: that is the red button on the robot.</p>
<p>GPL-3.0-or-later. The typeface is Inter, under the SIL Open Font License.</p>"""


class PageDialog(OverlayDialog):
    """All keys, or what this program is."""

    def __init__(self, window: MainWindow, keys: bool, here: Iterable[Choice] = ()) -> None:
        hint = "single letters act only where no text is typed" if keys else "DKPROMPT Console"
        title, size = ("Keys", QSize(720, 640)) if keys else ("About", QSize(560, 300))
        super().__init__(window, title, hint, size)
        text = ReadOnlyText(help_page(here) if keys else ABOUT, title)
        self.set_body(column(text, margins=(t.L, t.L, t.L, t.L)))
        self.button("Close", self.accept, key="Enter", primary=True)


class MessagesDialog(OverlayDialog):
    """Messages with their times in the episode; what is not normal has its sign."""

    def __init__(self, window: MainWindow, messages: Sequence[tuple[str, Notice]]) -> None:
        super().__init__(window, "Messages", "the latest first", QSize(720, 520))
        self.picker = ListPicker("Messages")
        latest = tuple(reversed(messages))
        icons = (LEVEL.get(note.level, LEVEL[""]).icon for _, note in latest)
        items = (
            PickerItem(note.text, i, icon=icon, trailing_text=at)
            for i, (icon, (at, note)) in enumerate(zip(icons, latest, strict=True))
        )
        self.picker.show_items(tuple(items), none="There are no messages yet.")
        self.set_body(column(self.picker))
        self.button("Close", self.accept, key="Enter", primary=True)


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
        search = self._search.text()
        found = [c for c in self._choices if matches(search, c.text, c.tip, c.key)]
        found.sort(key=lambda c: (bool(c.reason), not c.text.lower().startswith(search.lower().strip())))
        assert self.picker is not None
        self.picker.show_items(tuple(map(_item, found)), none="No command has these words.")

    def _picked(self, choice: Choice) -> None:
        self.accept()
        QTimer.singleShot(0, self.window_, choice.act)  # once this is gone: it may open another dialog


def _item(choice: Choice) -> PickerItem:
    note = f"Not now: {choice.reason}." if choice.reason else f"{choice.tip}."
    return PickerItem(choice.text, choice, note, choice.icon or "dot", not choice.reason, choice.key)
