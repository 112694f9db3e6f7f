"""What every panel is: a head, a body, and a notice in its place when there is nothing to show."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedLayout, QWidget

from app.controls.header import Header
from app.controls.layout import Surface
from app.presentation.vocabulary import Vocabulary
from app.widgets.empty_state import EmptyState
from core.episode_state import EpisodeState


class Panel(Surface):
    """`vocabulary` says how things are called; whoever starts an episode sets it.

    `EMPTY` is the notice of a panel that has nothing to show: glyph, sentence, what comes.
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

    def set_body(self, body: QWidget) -> None:
        self._stack.addWidget(body)
        self._stack.addWidget(self.empty_state)

    def show_placeholder(self, icon: str, head: str, why: str = "", level: str = "", kept: str = "") -> None:
        """Show a notice instead of the body, without buttons until `empty_state.offer` adds some."""
        self.empty_state.set_actions()
        self.empty_state.show_as(icon, head, why, level, kept)
        self._stack.setCurrentIndex(1)

    def hide_placeholder(self) -> None:
        self._stack.setCurrentIndex(0)

    def clear(self) -> None:
        """Nothing of an earlier episode stays."""
        self.show_placeholder(*self.EMPTY)

    @property
    def has_placeholder(self) -> bool:
        return self._stack.currentIndex() == 1

    def display(self, story: EpisodeState) -> None:
        raise NotImplementedError

    def enter(self) -> None:
        """Take the keyboard."""
        self.setFocus()

    def focus_search(self) -> None:
        """Put the cursor into the panel's search field, where it has one."""

    def select_relative(self, by: int) -> None:
        """To the next or the previous card or row."""


class UnavailablePanel(Panel):
    """In the place of a panel that could not be made: says why, and never anything else."""

    def __init__(self, title: str, why: str) -> None:
        super().__init__(title)
        self.set_body(QWidget())
        self.show_placeholder(
            "fault", f"This panel cannot be made: {title}", why, "fault", "The other panels continue"
        )

    def clear(self) -> None:
        """There is nothing."""

    def display(self, story: EpisodeState) -> None:
        """There is nothing."""
