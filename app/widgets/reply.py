"""The raw reply below the questions, on one line."""

from __future__ import annotations

from PySide6.QtGui import QPaintEvent

from app.controls.layout import Surface
from app.controls.tooltip import set_tooltip
from app.theme import paint
from app.theme import tokens as t
from core.untrusted_text import one_line, sanitise


class Footer(Surface):
    """The call behind the cards: its raw reply, duration and cost."""

    def __init__(self) -> None:
        super().__init__("sunken", "t")
        self._said, self._cost, self._line = "", "", "none"
        self.setFixedHeight(t.H_CONTROL)
        self.setAccessibleName("Raw reply")

    def show_text(self, said: str, cost: str) -> None:
        if (said, cost) != (self._said, self._cost):
            self._said, self._cost = said, cost
            self._line = one_line(said) or "none"
            set_tooltip(self, said)
            self.setAccessibleDescription(sanitise(said))
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with paint.painter(self) as p:
            w, h = self.width(), self.height()
            x = t.M + paint.text(p, t.M, 0, 80, h, "Raw reply", "caption", "muted") + t.S
            paint.text(p, 0, 0, w - t.M, h, self._cost, "caption", "muted", paint.RIGHT)
            room = w - x - t.L - paint.width(self._cost, "caption")
            paint.text(p, x, 0, room, h, self._line, "mono_small", "text")
