"""The base of every panel: a header, a body, and a placeholder when there is nothing to show."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QStackedLayout, QWidget

from app.controls.badge import Icon
from app.controls.button import Button
from app.controls.header import Header
from app.controls.layout import Item, Surface, clear_layout, column, label, row, wrap_layout
from app.theme import tokens as t
from app.theme.states import LEVEL
from core.episode_state import EpisodeState
from core.text.vocabulary import Vocabulary


class EmptyState(Surface):
    """An icon, a sentence, its cause with what is kept, and buttons, the first of which is the remedy."""

    def __init__(self) -> None:
        super().__init__()
        self._icon = Icon(size=22)
        self._head = label("", "title", "ink", wrap=True)
        self._why = label("", "body", "text", wrap=True)
        self._buttons = row(1, spacing=t.S)
        parts = (self._icon, self._head, self._why, self._buttons)
        self.setLayout(column(*parts, 1, spacing=t.S, margins=(t.XL, t.XL, t.XL, t.M)))

    def show_as(self, icon: str, head: str, reason: str = "", level: str = "") -> None:
        self.show_bar(level)
        self._icon.show_as(icon, f"{level}_fill" if level in ("doubt", "fault") else "muted")
        self._head.setText(head)
        self._why.setText(reason)
        self._why.setVisible(bool(reason))
        self.setAccessibleName(f"{LEVEL[level].word if level else ''} {head} {reason}".strip())

    def set_actions(self, *actions: tuple[QAction, str, str]) -> None:
        """Show a button for each (action, icon, key). The first is the primary one."""
        clear_layout(self._buttons, keep=1)
        for i, (action, icon, key) in enumerate(actions):
            button = Button(kind="plain" if i else "primary", height=32)
            button.bind_action(action, key, icon)
            self._buttons.insertWidget(i, button)


class Panel(Surface):
    """`vocabulary` names objects and steps; it is set when an episode starts.

    `EMPTY` is the placeholder of an empty panel: icon, sentence, explanation.
    """

    EMPTY = ("info", "Nothing yet", "")

    def __init__(self, title: str, *tools: QWidget) -> None:
        super().__init__()
        self.title = title
        self.vocabulary = Vocabulary()
        self.header = Header(title, *tools)
        self.empty_state = EmptyState()
        self._stack = QStackedLayout()
        self._column = column(self._stack)
        self.setLayout(self._column)
        self.setAccessibleName(title)

    def set_body(self, *items: Item) -> None:
        """Set the widgets and layouts of the body, one below the other."""
        self._stack.addWidget(wrap_layout(column(*items)))
        self._stack.addWidget(self.empty_state)

    def set_foot(self, widget: QWidget) -> None:
        """Add a widget below, which stays when the placeholder is shown."""
        self._column.addWidget(widget)

    def add_below(self, widget: QWidget) -> None:
        """Add a widget below the body."""
        body = self._stack.widget(0)
        assert body is not None
        body.layout().addWidget(widget)  # type: ignore[union-attr]

    def show_placeholder(self, icon: str, head: str, reason: str = "", level: str = "") -> None:
        """Show a placeholder instead of the body, without buttons until `empty_state.offer` adds some."""
        self.empty_state.set_actions()
        self.empty_state.show_as(icon, head, reason, level)
        self._stack.setCurrentIndex(1)

    def hide_placeholder(self) -> None:
        self._stack.setCurrentIndex(0)

    def clear(self) -> None:
        """Clear what is left of an earlier episode."""
        self.header.note.set_note("")
        self.show_placeholder(*self.EMPTY)

    @property
    def has_placeholder(self) -> bool:
        return self._stack.currentIndex() == 1

    def display(self, state: EpisodeState) -> None:
        raise NotImplementedError

    def enter(self) -> None:
        """Take the keyboard focus."""
        self.setFocus()

    def select_relative(self, by: int) -> bool:
        """Select the next or the previous card or row. Return False if there is none."""
        return False


class UnavailablePanel(Panel):
    """Replaces a panel that could not be made, and says why."""

    def __init__(self, title: str, reason: str) -> None:
        super().__init__(title)
        self.set_body()
        head = f"This panel cannot be made: {title}"
        self.show_placeholder("fault", head, f"{reason}\nThe other panels continue.", "fault")

    def clear(self) -> None:
        """Do nothing."""

    def display(self, state: EpisodeState) -> None:
        """Do nothing."""
