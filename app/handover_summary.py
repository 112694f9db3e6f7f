"""The summary below the plan for a person who comes back: what happened meanwhile, each line a link."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Qt, Signal

from app.console_controller import ConsoleController
from app.controls.button import Button, ToolButton
from app.controls.layout import Surface, clear_layout, column, label, row
from app.presentation.decision_summary import status_text
from app.presentation.formatting import age, waits_for_person
from app.theme import tokens as t
from core.episode_state import EpisodeState, TimelineMark, TimelineTrack
from core.text.plural import plural
from core.text.vocabulary import Vocabulary

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


LINES = 5
# Of what is counted, the most urgent first: its marks, what it is called, icon and tone, and the words after.
KINDS = (
    (("stop",), None, "stop", "stop", "text", ""),
    (("contradiction",), None, "contradiction", "diamond", "doubt", ""),
    (("failed", "halted"), TimelineTrack.ACTION, "failed step", "cross", "fault", ""),
    (("plan", "no plan", "revised"), TimelineTrack.PLAN, "new plan", "replan", "accent", ""),
    (("override",), None, "override", "person", "accent", ""),
    (("done",), TimelineTrack.ACTION, "step", "check", "text", " done"),
)


@dataclass(frozen=True)
class HandoverText:
    """One line and its icon with its colour; `turn` is where it is to be seen."""

    text: str
    icon: str
    tone: str
    turn: int


def handover(state: EpisodeState, since: float, vocabulary: Vocabulary) -> tuple[HandoverText, ...]:
    """Return the lines for all that happened after `since`, in seconds since the episode began.

    The most urgent come first; without any event there is none.
    """
    new = [m for m in state.marks if (m.end if m.end is not None else m.start) > since]
    if not new:
        return ()
    lines = [_now(state, vocabulary), *(_some(new, *kind) for kind in KINDS)]
    return tuple(line for line in lines if line is not None)[:LINES]


def _now(state: EpisodeState, vocabulary: Vocabulary) -> HandoverText | None:
    """Return what the episode waits for, or how it ended; None while it goes on by itself."""
    if state.ended is None and not waits_for_person(state):
        return None
    told = status_text(state, vocabulary)
    words = told.text if state.ended else f"Waiting for you, {age(state.now - state.since)}"
    return HandoverText(words, told.icon, told.level or ("accent" if told.mine else "text"), state.turn)


def _some(
    marks: Sequence[TimelineMark],
    kinds: Sequence[str],
    track: TimelineTrack | None,
    thing: str,
    icon: str,
    tone: str,
    after: str,
) -> HandoverText | None:
    """Return how many marks of these kinds there are and in which turns, None if there is none."""
    found = [m for m in marks if m.kind in kinds and track in (m.track, None)]
    if not found:
        return None
    first, last = found[0].turn, found[-1].turn
    where = f"turn {first}" if first == last else f"turns {first} to {last}"
    return HandoverText(f"{plural(len(found), thing)}{after}, {where}", icon, tone, first)
