"""Show the prompts as they are sent. Each is a file that can be opened or copied for editing."""

from __future__ import annotations

from html import escape

from PySide6.QtCore import QSize, QUrl, Signal
from PySide6.QtGui import QDesktopServices

from app.controls.layout import column, label, row
from app.controls.list_picker import ListPicker, PickerItem
from app.controls.text import ReadOnlyText
from app.dialogs.overlay_dialog import OverlayDialog
from app.main_window import MainWindow
from app.theme import tokens as t
from core.errors import ConsoleError
from core.vqa.data_files import RESOURCES
from core.vqa.prompt import Prompt, copy_prompt, load_prompt, prompt_file, prompt_names


class PromptDialog(OverlayDialog):
    """`over` is the dialog on which it opens, which stays open."""

    copied = Signal(str)  # the name of a new one

    def __init__(self, window: MainWindow, name: str = "", over: OverlayDialog | None = None) -> None:
        hint = "files; the log keeps name, version and fingerprint"
        super().__init__(window, "Prompts", hint, QSize(820, 600))
        self._over = over
        self._list = ListPicker("Prompts")
        self._list.setFixedWidth(250)
        self._page = ReadOnlyText("", "Prompt")
        self._where = label("", "caption", "muted", wrap=True)
        right = column(self._page, self._where, spacing=t.S, margins=(t.L, t.S, t.L, t.M))
        self.set_body(row(self._list, (right, 1), spacing=0))
        self._copy = self.button("Copy to edit", self._copy_it, "plus")
        self._open = self.button("Open the file", self._open_it, "page")
        self.button("Close", self.accept, primary=True)
        self._list.moved.connect(self._show)
        self._fill(name)

    def _fill(self, name: str) -> None:
        items = []
        names = [*prompt_names(), *([name] if name and name not in prompt_names() else [])]
        for one in names:
            try:
                prompt = load_prompt(one)
                items.append(PickerItem(one, one, prompt.about.partition(":")[0], "page"))
            except ConsoleError as error:
                items.append(PickerItem(one, one, str(error), "fault"))
        self._list.show_items(tuple(items), name)

    def _show(self) -> None:
        name = self._name
        if not name:
            return
        try:
            prompt = load_prompt(name)
            self._page.show_page(page(prompt))
            self._where.say(str(prompt_file(name)), "muted")
        except ConsoleError as error:
            self._page.show_page("")
            self._where.say(str(error), "fault")
        shipped = name in {p.stem for p in (RESOURCES / "prompts").glob("*.toml")}
        self._open.setToolTip("Shipped: copy it to edit it" if shipped else "")

    @property
    def _name(self) -> str:
        return str(self._list.current.key) if self._list.current else ""

    def _copy_it(self) -> None:
        try:
            path = copy_prompt(self._name)
        except ConsoleError as error:
            self._where.say(str(error), "fault")
            return
        self._fill(path.stem)
        self.copied.emit(path.stem)
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    def _open_it(self) -> None:
        try:
            QDesktopServices.openUrl(QUrl.fromLocalFile(str(prompt_file(self._name))))
        except ConsoleError as error:
            self._where.say(str(error), "fault")

    def _gone(self) -> None:
        if self._over is None:
            super()._gone()
        else:
            self._over.activateWindow()


def page(prompt: Prompt) -> str:
    """Return a prompt as an HTML page."""
    parts = (
        ("System", prompt.system),
        ("User, with the picture before it", prompt.user),
        ("Added when a reply cannot be read", prompt.stricter),
        *(("Word in the questions", f"“{new}” for “{old}”") for old, new in prompt.words.items()),
    )
    texts = "".join(
        f"<h4>{escape(head)}</h4><p>{escape(text.strip()).replace(chr(10), '<br>')}</p>"
        for head, text in parts
    )
    return f"<p><b>{escape(prompt.label)}</b><br>{escape(prompt.about)}</p>{texts}"
