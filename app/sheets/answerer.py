"""Who answers: a simulated answerer with known errors, or a model behind an address."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QLineEdit, QWidget

from app.parts.combo import Combo
from app.parts.layout import column, holder, label, row
from app.parts.radio import Radio
from app.theme import tokens as t

OWN = "custom"


class AnswererChoice(QWidget):
    """`name` is what `core.asking.choose` takes. A key goes to the system's keyring, never elsewhere."""

    changed = Signal()

    def __init__(self, name: str) -> None:
        super().__init__()
        from core.asking.presets import presets
        from core.asking.profiles import load_profile, profiles

        self._simulated = Radio("Simulated answerer", "free, no network; it errs as measured")
        self._model = Radio("A model by HTTP", "OpenAI, Gemini, Claude, or a server of your own")
        both = QButtonGroup(self)
        both.addButton(self._simulated)
        both.addButton(self._model)
        self._profile, self._preset = Combo("Profile"), Combo("Provider")
        for profile in profiles():
            self._profile.addItem(f"{profile}: {load_profile(profile).about}", profile)
        for preset in presets():
            self._preset.addItem(preset, preset)
        self._name, self._address, self._key = QLineEdit(), QLineEdit(), QLineEdit()
        self._name.setPlaceholderText("the preset's own")
        self._address.setPlaceholderText("http://localhost:8000/v1")
        self._key.setPlaceholderText("kept in the keyring")
        self._key.setEchoMode(QLineEdit.EchoMode.Password)
        for field in (self._name, self._address, self._key):
            field.setDragEnabled(False)
            field.setAcceptDrops(False)
            field.textEdited.connect(self._edited)
        fields = (
            ("Provider", self._preset),
            ("Model", self._name),
            ("Address", self._address),
            ("Key", self._key),
        )
        self._fields = holder(
            row(
                *(holder(column(label(n, "caption", "muted"), w, spacing=t.XS)) for n, w in fields),
                spacing=t.S,
            )
        )
        for n, w in fields:
            w.setAccessibleName(n)
        self.setLayout(column(self._simulated, self._profile, self._model, self._fields, spacing=6))
        self._set(name)
        self._show()
        both.buttonClicked.connect(self._edited)
        self._profile.currentIndexChanged.connect(self._edited)
        self._preset.currentIndexChanged.connect(self._edited)

    def _set(self, name: str) -> None:
        at = self._profile.findData(name)
        self._simulated.setChecked(at >= 0)
        self._model.setChecked(at < 0)
        if at >= 0:
            self._profile.setCurrentIndex(at)
        elif "://" in name:
            self._preset.setCurrentIndex(max(0, self._preset.findData(OWN)))
            self._address.setText(name)
        else:
            preset, _, model = name.partition(":")
            self._preset.setCurrentIndex(max(0, self._preset.findData(preset)))
            self._name.setText(model)

    @property
    def name(self) -> str:
        if self._simulated.isChecked():
            return str(self._profile.currentData())
        preset = str(self._preset.currentData())
        if preset == OWN and self._address.text().strip():
            return self._address.text().strip()
        model = self._name.text().strip()
        return f"{preset}:{model}" if model else preset

    def _edited(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        simulated = self._simulated.isChecked()
        self._profile.setVisible(simulated)
        self._fields.setVisible(not simulated)
        self._address.setEnabled(self._preset.currentData() == OWN)

    def keep_key(self) -> None:
        """Put the key that was typed into the system's keyring, and forget it here."""
        typed = self._key.text().strip()
        self._key.clear()
        if not typed or self._simulated.isChecked():
            return
        import keyring
        from keyring.errors import KeyringError

        from core.asking.keys import SERVICE
        from core.errors import AnswererError

        try:
            keyring.set_password(SERVICE, str(self._preset.currentData()), typed)
        except (KeyringError, OSError, RuntimeError) as error:
            raise AnswererError(
                "The key cannot be kept: this computer has no keyring. Set it in the environment instead."
            ) from error
