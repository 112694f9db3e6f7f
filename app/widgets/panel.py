"""What every panel is: a head, a body, and a notice in its place when there is nothing to show."""

from __future__ import annotations

from PySide6.QtWidgets import QStackedLayout, QWidget

from app.naming import Naming
from app.parts.header import Header
from app.parts.layout import Surface
from app.widgets.notice import Notice
from core.episode_state import EpisodeState


class Panel(Surface):
    """`naming` says how things are called; whoever starts an episode sets it.

    `EMPTY` is the notice of a panel that has nothing to show: glyph, sentence, what comes.
    """

    EMPTY = ("info", "Nothing yet", "")

    def __init__(self, title: str, *tools: QWidget) -> None:
        super().__init__()
        self.title = title
        self.naming = Naming()
        self.header = Header(title, *tools)
        self.notice = Notice()
        self._stack = QStackedLayout(self)
        self.setAccessibleName(title)

    def fill(self, body: QWidget) -> None:
        self._stack.addWidget(body)
        self._stack.addWidget(self.notice)

    def tell(self, glyph: str, head: str, why: str = "", level: str = "", kept: str = "") -> None:
        """Show a notice instead of the body, without buttons until `notice.offer` adds some."""
        self.notice.offer()
        self.notice.show_as(glyph, head, why, level, kept)
        self._stack.setCurrentIndex(1)

    def untell(self) -> None:
        self._stack.setCurrentIndex(0)

    def clear(self) -> None:
        """Nothing of an earlier episode stays."""
        self.tell(*self.EMPTY)

    @property
    def telling(self) -> bool:
        return self._stack.currentIndex() == 1

    def display(self, story: EpisodeState) -> None:
        raise NotImplementedError

    def enter(self) -> None:
        """Take the keyboard."""
        self.setFocus()

    def search(self) -> None:
        """Put the cursor into the panel's search field, where it has one."""

    def move(self, by: int) -> None:  # type: ignore[override]
        """To the next or the previous card or row."""


class Unmade(Panel):
    """In the place of a panel that could not be made: says why, and never anything else."""

    def __init__(self, title: str, why: str) -> None:
        super().__init__(title)
        self.fill(QWidget())
        self.tell("fault", f"This panel cannot be made: {title}", why, "fault", "The rest goes on")

    def clear(self) -> None:
        """There is nothing."""

    def display(self, story: EpisodeState) -> None:
        """There is nothing."""
