"""Choose the answerer: a simulated one with known error rates, or a model at an address."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.controls.button import Button
from app.controls.input_fields import ComboBox
from app.controls.layout import column, label, row, wrap_layout
from app.dialogs.answerer.model_fields import ModelFields
from app.dialogs.setup.option_fields import NumberFields, OptionFields
from app.theme import tokens as t
from core.config import Settings
from core.errors import ConsoleError
from core.vqa.answerers.profiles import load_profile, profile_names
from core.vqa.registry import OTHER_ANSWERERS, answerer_entry

LIMITS = ("max_calls", "max_tokens", "max_dollars", "max_seconds")
DEFAULT_CHOICE = "default: the eye where it was trained on the task's questions, else perfect"
HTTP, BY_HTTP = "http", "A model over HTTP: OpenAI, Gemini, Claude, or a server of your own"
FIRST = "openai"  # shown where a simulated answerer was chosen before


class AnswererChoice(QWidget):
    """The answerer's part of the set-up dialog; `applied` enters the choice into settings."""

    changed = Signal()
    tested = Signal()  # the checks are to ask the model as well

    def __init__(self, name: str, settings: Settings | None = None) -> None:
        super().__init__()
        settings = settings or Settings()
        self._profile = ComboBox("Answerer", 320)
        profiles = [(_about(profile), profile) for profile in profile_names()]
        others = [(f"{entry.name}: {entry.summary}", entry.name) for entry in OTHER_ANSWERERS]
        self._profile.show_items(((DEFAULT_CHOICE, ""), *others, *profiles, (BY_HTTP, HTTP)), name)
        listed = self._profile.findData(name) >= 0
        if not listed:
            self._profile.setCurrentIndex(self._profile.findData(HTTP))
        asking = settings.model, settings.prompt, settings.picture_size
        self.fields = ModelFields(FIRST if listed else name, *asking)
        self._limits, test = NumberFields(settings, LIMITS), Button("Test it", "pulse", height=t.H_CONTROL)
        test.activated.connect(self.tested)
        limits = label("Limits per episode; at a limit the episode pauses and asks you", "caption", "muted")
        tested = "asks ten questions about a picture; the right side says what came back"
        below = (
            self.fields,
            column(limits, self._limits, spacing=t.XS),
            row(test, label(tested, "caption", "muted"), 1),
        )
        self._below = wrap_layout(column(*below, spacing=t.M, margins=(0, t.S, 0, 0)))
        self.options, self._shown = OptionFields(), ""
        self.setLayout(column(row(self._profile, 1), self.options, self._below, spacing=6))
        self._named, self._given = name, settings.options_for("answerer")
        self._show()
        self._profile.currentIndexChanged.connect(self._edited)
        self.options.changed.connect(self.changed)
        self.fields.changed.connect(self._edited)
        self._limits.changed.connect(self.changed)

    @property
    def name(self) -> str:
        """Return the answerer's name for `core.vqa.registry`."""
        return self.fields.name if self._over_http else str(self._profile.currentData())

    @property
    def _over_http(self) -> bool:
        return bool(self._profile.currentData() == HTTP)

    def applied(self, settings: Settings) -> Settings:
        fields = self.fields
        model = fields.model if self._over_http else ""
        asking = replace(settings, model=model, prompt=fields.prompt, picture_size=fields.side)
        return replace(asking, answerer=self.name, **self._limits.values)

    def _edited(self) -> None:
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        self._below.setVisible(self._over_http)
        name = self.name
        if name != self._shown:
            self._shown = name
            try:
                entry = answerer_entry(name)
            except ConsoleError:  # an address on its way, or a profile that cannot be read
                entry = None
            self.options.show_for(entry, self._given if name == self._named else None)

    def keep_key(self) -> None:
        """Store a typed key in the keyring. Raises AnswererError."""
        if self._over_http:
            self.fields.keep_key()


def _about(profile: str) -> str:
    try:
        return f"{profile}: {load_profile(profile).about}"
    except ConsoleError as error:
        return str(error)
