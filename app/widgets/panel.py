"""The base of every panel: a header, a body, and a placeholder when there is nothing to show."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedLayout, QWidget

from app.controls.header import Header
from app.controls.layout import Item, Surface, column, wrap_layout
from app.presentation.vocabulary import Vocabulary
from app.widgets.empty_state import EmptyState
from core.episode_state import EpisodeState


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
        self._stack = QStackedLayout(self)
        self.setAccessibleName(title)

    def set_body(self, *items: Item) -> None:
        """Set the widgets and layouts of the body, one below the other."""
        self._stack.addWidget(wrap_layout(column(*items)))
        self._stack.addWidget(self.empty_state)

    def show_placeholder(self, icon: str, head: str, why: str = "", level: str = "", kept: str = "") -> None:
        """Show a placeholder instead of the body, without buttons until `empty_state.offer` adds some."""
        self.empty_state.set_actions()
        self.empty_state.show_as(icon, head, why, level, kept)
        self._stack.setCurrentIndex(1)

    def hide_placeholder(self) -> None:
        self._stack.setCurrentIndex(0)

    def clear(self) -> None:
        """Clear what is left of an earlier episode."""
        self.show_placeholder(*self.EMPTY)

    @property
    def has_placeholder(self) -> bool:
        return self._stack.currentIndex() == 1

    def display(self, state: EpisodeState) -> None:
        raise NotImplementedError

    def enter(self) -> None:
        """Take the keyboard focus."""
        self.setFocus()

    def focus_search(self) -> None:
        """Focus the panel's search field, if it has one."""

    def select_relative(self, by: int) -> None:
        """Select the next or the previous card or row."""


class UnavailablePanel(Panel):
    """Replaces a panel that could not be made, and says why."""

    def __init__(self, title: str, why: str) -> None:
        super().__init__(title)
        self.set_body()
        self.show_placeholder(
            "fault", f"This panel cannot be made: {title}", why, "fault", "The other panels continue"
        )

    def clear(self) -> None:
        """Do nothing."""

    def display(self, state: EpisodeState) -> None:
        """Do nothing."""
