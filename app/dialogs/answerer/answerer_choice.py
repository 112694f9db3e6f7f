"""Choose the answerer: a simulated one with known error rates, or a model at an address."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QWidget

from app.controls.input_fields import ComboBox, RadioButton
from app.controls.layout import column, label, wrap_layout
from app.dialogs.answerer.model_fields import ModelFields
from app.dialogs.answerer.model_test import ModelTest
from app.dialogs.setup.option_fields import OptionFields
from app.dialogs.setup.run_fields import NumberFields
from app.theme import tokens as t
from core.config import Settings
from core.errors import ConsoleError
from core.vqa.answerers.profiles import load_profile, profile_names
from core.vqa.registry import OTHER_ANSWERERS, answerer_entry

LIMITS = ("max_calls", "max_tokens", "max_dollars", "max_seconds")
DEFAULT_CHOICE = "default: the eye where it was trained on the task's questions, else perfect"
FIRST = "openai"  # shown where a simulated answerer was chosen before


class AnswererChoice(QWidget):
    """The answerer's part of the set-up dialog; `applied` enters the choice into settings."""

    changed = Signal()

    def __init__(self, name: str, settings: Settings | None = None) -> None:
        super().__init__()
        settings = settings or Settings()
        note = "free, no network; a simulated one reads the truth, and errs as its profile says"
        own = len(OTHER_ANSWERERS.names()) > 1
        title = "Simulated answerer, the eye, or one of your own" if own else "Simulated answerer, or the eye"
        self._simulated = RadioButton(title, note)
        self._by_http = RadioButton("A model over HTTP", "OpenAI, Gemini, Claude, or a server of your own")
        both = QButtonGroup(self)
        both.addButton(self._simulated)
        both.addButton(self._by_http)
        self._profile = ComboBox("Profile")
        profiles = [(_about(profile), profile) for profile in profile_names()]
        others = [(f"{entry.name}: {entry.summary}", entry.name) for entry in OTHER_ANSWERERS]
        self._profile.show_items(((DEFAULT_CHOICE, ""), *profiles, *others), name)
        at = self._profile.findData(name)
        self._simulated.setChecked(at >= 0)
        self._by_http.setChecked(at < 0)
        self.fields = ModelFields(
            FIRST if at >= 0 else name, settings.model, settings.prompt, settings.picture_size
        )
        self._limits, self._test = NumberFields(settings, LIMITS), ModelTest()
        limits = label("Limits per episode; at a limit the episode pauses and asks you", "caption", "muted")
        below = (self.fields, column(limits, self._limits, spacing=t.XS), self._test)
        self._below = wrap_layout(column(*below, spacing=t.M, margins=(0, t.S, 0, 0)))
        self.options, self._shown = OptionFields(), ""
        simulated = (self._simulated, self._profile, self.options)
        self.setLayout(column(*simulated, self._by_http, self._below, spacing=6))
        self._named, self._given = name, settings.options_for("answerer")
        self._show()
        both.buttonClicked.connect(self._edited)
        self._profile.currentIndexChanged.connect(self._edited)
        self.options.changed.connect(self.changed)
        self.fields.changed.connect(self._edited)
        self._limits.changed.connect(self.changed)
        self._test.wanted.connect(self._try)

    @property
    def name(self) -> str:
        """Return the answerer's name for `core.vqa.registry`."""
        return str(self._profile.currentData()) if self._simulated.isChecked() else self.fields.name

    def applied(self, settings: Settings) -> Settings:
        fields = self.fields
        model = "" if self._simulated.isChecked() else fields.model
        asking = replace(settings, model=model, prompt=fields.prompt, picture_size=fields.side)
        return replace(asking, answerer=self.name, **self._limits.values)

    def _edited(self) -> None:
        self._test.reset()  # what was found held for another choice
        self._show()
        self.changed.emit()

    def _show(self) -> None:
        self._profile.setVisible(self._simulated.isChecked())
        self._below.setVisible(not self._simulated.isChecked())
        name = self.name
        if name != self._shown:
            self._shown = name
            try:
                entry = answerer_entry(name)
            except ConsoleError:  # an address on its way, or a profile that cannot be read
                entry = None
            self.options.show_for(entry, self._given if name == self._named else None)

    def _try(self) -> None:
        """Test the model. A typed key is stored first, so that the test finds it where an episode will."""
        try:
            self.keep_key()
        except ConsoleError as error:
            self._test.fail(str(error))
            return
        self._test.start(self.fields.name, self.fields.model, self.fields.prompt)

    def keep_key(self) -> None:
        """Store a typed key in the keyring. Raises AnswererError."""
        if self._by_http.isChecked():
            self.fields.keep_key()

    def close_work(self) -> None:
        """Cancel the background work because the dialog closes."""
        self.fields.close_work()
        self._test.close_work()


def _about(profile: str) -> str:
    try:
        return f"{profile}: {load_profile(profile).about}"
    except ConsoleError as error:
        return str(error)
