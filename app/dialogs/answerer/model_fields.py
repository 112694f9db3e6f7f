"""The fields for a model over HTTP: provider, name, address, key and prompt."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices
from PySide6.QtWidgets import QLineEdit, QWidget

from app.controls.button import Button
from app.controls.input_fields import ComboBox
from app.controls.layout import column, label, row, wrap_layout
from app.controls.text import TextField
from app.controls.tooltip import set_tooltip, show_tooltip
from app.theme import tokens as t
from core.errors import AnswererError, ConsoleError
from core.vqa.endpoint.api_keys import SERVICE
from core.vqa.endpoint.presets import load_preset, preset_names
from core.vqa.prompt import copy_prompt, prompt_file, prompt_names

OWN = "custom"
ANYTHING = "http://localhost:8000/v1"
SIDES = (128, 384, 512, 768, 1024)
WRITTEN = "An address; or a file (.toml, .json); or several answerers joined by +, which vote"


class ModelFields(QWidget):
    """`name`, `model` and `prompt` are values for `core.vqa.registry`.

    A key is stored only in the system's keyring and is never shown.
    """

    changed = Signal()

    def __init__(self, name: str, model: str = "", prompt: str = "dkprompt", side: int | None = None) -> None:
        super().__init__()
        self._side = ComboBox("Picture", 130)
        sizes = dict.fromkeys((None, *SIDES, side))
        self._side.show_items(((f"{n} × {n}" if n else "as it is", n) for n in sizes), side)
        self._side.setToolTip("In pixels; as it is, a robot's still has 256 × 256")
        self._preset, self._prompt = ComboBox("Provider"), ComboBox("Prompt", 140)
        self._preset.show_items((preset, preset) for preset in preset_names())
        self._name, self._address, self._key = TextField(), TextField(), TextField()
        self._address.setPlaceholderText(ANYTHING)
        self._address.setToolTip(WRITTEN)
        self._key.setPlaceholderText("for the keyring; never shown again")
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        self._fill_prompts(prompt)
        self._lay_out()
        self._set(name, model)
        self._show()
        for field in (self._name, self._address):
            field.textEdited.connect(self._edited)
        for combo in (self._preset, self._prompt, self._side):
            combo.currentIndexChanged.connect(self._edited)

    def _lay_out(self) -> None:
        where = (("Provider", self._preset), ("Model", self._name), ("Address", self._address))
        files = (("Read it…", "page", prompt_file), ("Copy to edit…", "pencil", copy_prompt))
        opens = [Button(words, icon, height=t.H_CONTROL) for words, icon, _ in files]
        for button, (_, _, file) in zip(opens, files, strict=True):
            button.activated.connect(partial(self._open_prompt, file))
        key = row((_named("Key", self._key), 1), 2, spacing=t.S)
        written = wrap_layout(column(1, row(*opens, spacing=t.XS)))
        prompt = (_named("Prompt", self._prompt), written, _named("Picture", self._side))
        place = row(*(_named(n, w) for n, w in where), spacing=t.S)
        self.setLayout(column(place, key, row(*prompt, 1), spacing=t.M))

    def _fill_prompts(self, wanted: str) -> None:
        names = dict.fromkeys((*prompt_names(), wanted))
        self._prompt.show_items(((name, name) for name in names), wanted)

    def _set(self, name: str, model: str) -> None:
        preset, _, own = name.partition(":")
        if preset in preset_names() and "+" not in name:
            self._preset.setCurrentIndex(self._preset.findData(preset))
            self._name.setText(own or model)
        else:
            self._preset.setCurrentIndex(self._preset.findData(OWN))
            self._address.setText(name)
            self._name.setText(model)

    # --- what is chosen ----------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        preset, model = str(self._preset.currentData()), self._name.text().strip()
        if preset == OWN and (address := strip_credentials(self._address.text())):
            return address
        return f"{preset}:{model}" if model else preset

    @property
    def model(self) -> str:
        """Return the model's name if `name` does not contain it."""
        own = self._preset.currentData() == OWN and self._address.text().strip()
        return self._name.text().strip() if own else ""

    @property
    def prompt(self) -> str:
        return str(self._prompt.currentData())

    @property
    def side(self) -> int | None:
        """Return the side of the picture in pixels, None for the original size."""
        data = self._side.currentData()
        return None if data is None else int(data)

    # --- showing -----------------------------------------------------------------------------------------

    def _edited(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        own = self._preset.currentData() == OWN
        self._address.setEnabled(own)
        try:
            preset = load_preset(str(self._preset.currentData()), self._name.text().strip())
            known = {load_preset(p).base_url for p in preset_names() if p != OWN}
        except ConsoleError:  # which the checks tell
            return
        self._name.setPlaceholderText(preset.model)
        set_tooltip(self._preset, preset.about)
        if not own:
            self._address.setText(preset.base_url)
        elif self._address.text() in known:
            self._address.clear()
        self._key.setEnabled(bool(preset.keys))

    # --- doing -------------------------------------------------------------------------------------------

    def _open_prompt(self, file: Callable[[str], Path]) -> None:
        """Open the file of the prompt in the desktop's editor; a copy of it is chosen."""
        try:
            path = file(self.prompt)
        except ConsoleError as error:
            show_tooltip(self._prompt, str(error))
            return
        self._fill_prompts(path.stem)
        self._edited()
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(path)))

    def keep_key(self) -> None:
        """Store the typed key in the system's keyring and clear the field. Raises AnswererError."""
        typed = self._key.text().strip()
        self._key.clear()
        if not typed:
            return
        import keyring
        from keyring.errors import KeyringError

        try:
            keyring.set_password(SERVICE, str(self._preset.currentData()), typed)
        except (KeyringError, OSError, RuntimeError) as error:
            raise AnswererError(
                "The key cannot be kept: this computer has no keyring. Set it in the environment instead."
            ) from error
        self._show()


def _named(name: str, field: QWidget) -> QWidget:
    field.setAccessibleName(name)
    return wrap_layout(column(label(name, "caption", "muted"), field, spacing=t.XS))


def strip_credentials(address: str) -> str:
    """Return the address without user, password, query and fragment, because the choice is logged
    and saved.
    """
    return "+".join(_bare(part.strip()) for part in address.split("+"))


def _bare(address: str) -> str:
    try:
        parts = urlsplit(address)
    except ValueError:
        return address
    if not parts.netloc:
        return address
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()
