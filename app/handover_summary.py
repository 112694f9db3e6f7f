"""The summary below the plan for a person who comes back: what happened meanwhile, each line a link."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal

from app.console_controller import ConsoleController
from app.controls.button import Button, ToolButton
from app.controls.layout import Surface, clear_layout, column, label, row
from app.presentation.formatting import age
from app.presentation.handover import HandoverText, handover
from app.theme import tokens as t
from core.episode_state import EpisodeState

AWAY = 10.0  # seconds without the focus after which somebody has to be told


class HandoverView(Surface):
    """Hidden while there is nothing to tell."""

    picked = Signal(int)  # turn

    def __init__(self) -> None:
        super().__init__("accent_soft", "t")
        self._head, close = label("", "label", "ink"), ToolButton("close", "Close the summary")
        close.clicked.connect(self.hide)
        self._links, self._shown = column(spacing=0), list[Button]()
        head = row((self._head, 1), close, spacing=0)
        self.setLayout(column(head, self._links, margins=(t.M, t.XS, t.XS, t.XS)))
        self.setAccessibleName("What happened meanwhile")
        self.hide()

    @property
    def links(self) -> tuple[Button, ...]:
        return tuple(self._shown)

    def show_lines(self, head: str, lines: tuple[HandoverText, ...]) -> None:
        clear_layout(self._links)
        self._shown.clear()
        self._head.setText(head)
        for line in lines:
            link = Button(line.text, line.icon, "", "quiet", 24)
            link.clicked.connect(self._link_to(line.turn))
            link.setMinimumWidth(1)  # no line widens the panel
            self._shown.append(link)
            self._links.addWidget(link, 0, Qt.AlignmentFlag.AlignLeft)
        self.setAccessibleDescription(". ".join(line.text for line in lines))
        self.setVisible(bool(lines))

    def _link_to(self, turn: int) -> Callable[[], None]:
        return lambda: self.picked.emit(turn)


class HandoverSummary(QObject):
    """Notes when the window loses the focus, and tells what happened when it comes back. GUI thread only."""

    def __init__(self, controller: ConsoleController, show_turn: Callable[[EpisodeState, int], None]) -> None:
        super().__init__(controller)
        self._controller, self._show_turn = controller, show_turn
        self._left: tuple[str, float] | None = None  # the episode and its time, without the focus since then
        self.view = HandoverView()
        self.view.picked.connect(lambda turn: self._show_turn(controller.state, turn))
        controller.window.plan.add_below(self.view)

    def on_focus_changed(self, focused: bool) -> None:
        """Note when the window loses the focus, and show what has changed when it gets it back."""
        state = self._controller.state
        if not focused:
            if self._left is None:
                self._left = (state.episode, state.now)
                self.view.hide()
            return
        left, self._left = self._left, None
        if left is None or not state.episode:
            return
        since = left[1] if left[0] == state.episode else 0.0
        gone = state.now - since
        if gone >= AWAY:
            self.show_since(since, f"While you were away, {age(gone)}")

    def show_since_mark(self) -> None:
        """Tell what happened since your last bookmark, or since the episode began."""
        marks = [m.start for m in self._controller.state.marks if m.kind == "bookmark"]
        self.show_since(max(marks, default=0.0), "Since your bookmark" if marks else "Since the beginning")

    def show_since(self, since: float, head: str) -> None:
        state = self._controller.state
        self.view.show_lines(head, handover(state, since, self._controller.window.plan.vocabulary))
