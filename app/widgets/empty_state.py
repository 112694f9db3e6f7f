"""The placeholder of a panel that is empty or broken: what, why and the remedy. Never a dialog."""

from __future__ import annotations

from PySide6.QtGui import QAction, QPaintEvent

from app.controls.badge import Icon
from app.controls.button import Button
from app.controls.layout import Surface, clear_layout, column, label, row
from app.theme import paint, styling
from app.theme import tokens as t
from app.theme.states import LEVEL


class EmptyState(Surface):
    """An icon, a sentence, its cause, buttons (the first is the remedy), and what is kept."""

    def __init__(self) -> None:
        super().__init__()
        self._level = ""
        self._icon = Icon(size=22)
        self._head = label("", "title", "ink", wrap=True)
        self._why = label("", "body", "text", wrap=True)
        self._kept = label("", "caption", "muted", wrap=True)
        self._tick = Icon("check", "muted", 13)
        self._buttons = row(1, spacing=t.S)
        kept = row(self._tick, (self._kept, 1), spacing=6)
        self.setLayout(
            column(
                self._icon,
                self._head,
                self._why,
                self._buttons,
                kept,
                1,
                spacing=t.S,
                margins=(t.XL, t.XL, t.XL, t.M),
            )
        )

    def show_as(self, icon: str, head: str, why: str = "", level: str = "", kept: str = "") -> None:
        self._level = level
        self._icon.show_as(icon, f"{level}_fill" if level in ("doubt", "fault") else "muted")
        self._head.setText(head)
        self._why.setText(why)
        self._why.setVisible(bool(why))
        self._kept.setText(kept)
        self._kept.setVisible(bool(kept))
        self._tick.setVisible(bool(kept))
        self.setAccessibleName(f"{LEVEL[level].word if level else ''} {head} {why}".strip())
        self.update()

    def set_actions(self, *actions: tuple[QAction, str, str]) -> None:
        """Show a button for each (action, icon, key). The first is the primary one."""
        clear_layout(self._buttons, keep=1)
        for i, (action, icon, key) in enumerate(actions):
            button = Button(kind="plain" if i else "primary", height=32)
            button.bind_action(action, key, icon)
            self._buttons.insertWidget(i, button)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._level in ("doubt", "fault"):
            fill = styling.colour(f"{self._level}_fill")
            paint.fill(paint.painter(self), 0, 0, t.BAR, self.height(), fill)
