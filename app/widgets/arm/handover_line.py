"""One line about who moves an arm that several consoles share, and what can be asked or answered."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QTimer

from app.controls.badge import Icon
from app.controls.button import Button
from app.controls.layout import Surface, label, row, set_tone
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t
from core.arm.handover import HandoverChoice, SharesArm

_REFUSAL_SHOWN = 6000  # ms


class HandoverLine(Surface):
    """Visible only while another console moves the arm, asks for it, or was just answered."""

    def __init__(self, arm: SharesArm) -> None:
        super().__init__("surface", "b")
        self._arm, self._refused = arm, ""
        self._icon, self._words = Icon("person", size=14), label("", "label", wrap=True)
        self.buttons = {choice: Button(choice.value, height=t.H_CONTROL) for choice in HandoverChoice}
        for choice, button in self.buttons.items():
            button.hold = choice is HandoverChoice.TAKE
            button.activated.connect(partial(self._choose, choice))
        line = row(self._icon, self._words, *self.buttons.values(), margins=(t.M, t.S, t.M, t.S))
        line.setStretch(1, 1)
        self.setLayout(line)
        self.setMinimumHeight(t.H_CONTROL + 2 * t.S)
        self.setAccessibleName("Who moves the arm")
        self.hide()

    def poll(self) -> None:
        """Show the state of now."""
        shared = self._arm.shared
        words = "" if shared is None else self._refused or shared.sentence
        self.setVisible(bool(words))
        if shared is None or not words:
            return
        asked = shared.moves and bool(shared.asker)
        self._words.setText(words)
        self.setAccessibleDescription(words)
        set_tooltip(self, f"{shared.mover}, {shared.mover.since}." if shared.mover is not None else "")
        self._icon.show_as("person", "accent" if asked else "muted")
        set_tone(self._words, "accent" if asked else "text")
        for choice, button in self.buttons.items():
            button.setVisible(choice in shared.choices)

    def _choose(self, choice: HandoverChoice) -> None:
        reason = self._arm.choose(choice)
        if reason:
            self._refused = f"Not done: {reason}."
            QTimer.singleShot(_REFUSAL_SHOWN, self, self._forget)
        self.poll()

    def _forget(self) -> None:
        self._refused = ""
