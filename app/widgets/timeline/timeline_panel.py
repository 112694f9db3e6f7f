"""The timeline panel: pause, step, end, and the picked mark."""

from __future__ import annotations

from PySide6.QtCore import Signal

from app.actions import Actions
from app.commands import BY_ID
from app.controls.button import Button, ToolButton
from app.presentation.formatting import clock, duration
from app.widgets.panel import Panel
from app.widgets.timeline.timeline import Timeline
from app.widgets.timeline.tracks import action_kind
from core.belief import Answer
from core.episode_state import EpisodeState, TimelineMark, TimelineTrack
from core.text.vocabulary import Vocabulary

HEIGHT = 28


class TimelinePanel(Panel):
    picked = Signal(object)  # Mark
    scrubbed = Signal(float)  # seconds

    def __init__(self, actions: Actions) -> None:
        self._buttons = tuple(Button(kind="quiet", height=24) for _ in ("pause", "step", "end"))
        for button, id in zip(self._buttons, ("pause", "step", "end"), strict=True):
            button.bind_action(actions[id], BY_ID[id].key if id != "end" else "", BY_ID[id].icon)
        bookmark = ToolButton("bookmark", "Bookmark (M)")
        bookmark.bind_action(actions["bookmark"])
        whole = ToolButton("expand", "Show everything and follow")
        self._now = Button(kind="primary", height=24)
        self._now.bind_action(actions["now"], BY_ID["now"].key, BY_ID["now"].icon)
        self._now.hide()
        super().__init__("Timeline", self._now, *self._buttons, bookmark, whole)
        self.header.set_height(HEIGHT)
        self.timeline = Timeline()
        self.timeline.picked.connect(self._picked)
        self.timeline.scrubbed.connect(self.scrubbed)
        whole.clicked.connect(self.timeline.follow_latest)
        self.set_body(self.timeline)

    def set_vocabulary(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = self.timeline.vocabulary = vocabulary

    def display(self, state: EpisodeState) -> None:
        self.timeline.display(state)
        if self.timeline.chosen is None and self.timeline.past is None:
            self.header.note.set_note("live, click to inspect" if state.is_running else "click to inspect")

    def highlight(self, answer: Answer, words: str) -> None:
        """Mark the moment of an answer and say these words about it; the panels stay where they are."""
        self.timeline.highlight_answer(answer)
        self.header.note.set_note(words)

    def show_past(self, state: EpisodeState | None) -> None:
        """Mark the earlier moment that the other panels show; None if they show now."""
        self.timeline.show_past(None if state is None else state.now)
        self._now.setVisible(state is not None)
        if state is None:
            self.timeline.choose(None)
        elif self.timeline.chosen is None:
            self.header.note.set_note(f"the panels show turn {state.turn}, {clock(state.now)}")

    def _picked(self, mark: TimelineMark) -> None:
        self.header.note.set_note(describe(mark, self.vocabulary, self.timeline.state))
        self.picked.emit(mark)

    def enter(self) -> None:
        self.timeline.setFocus()


def describe(mark: TimelineMark, vocabulary: Vocabulary, state: EpisodeState) -> str:
    """Return a mark's time, name and result as text."""
    took = f", {duration(mark.end - mark.start)}" if mark.end is not None else ""
    step = vocabulary.describe_written_step(mark.label)
    words = {
        TimelineTrack.TURN: mark.label,
        TimelineTrack.ACTION: f"{step}, {action_kind(mark, state)}{took}",
        TimelineTrack.QUESTION: _answered(mark, vocabulary)
        if mark.end is None
        else f"call to {mark.label}{took}",
        TimelineTrack.PLAN: f"plan {mark.label}" if mark.kind == "plan" else f"{mark.kind}: {mark.label}",
        TimelineTrack.OPERATOR: f"you: {vocabulary.in_words(mark.label or mark.kind)}",
    }[mark.track]
    return f"{clock(mark.start)} · turn {mark.turn} · {words}"


def _answered(mark: TimelineMark, vocabulary: Vocabulary) -> str:
    """Return question and answer, such as "Is the cabinet open? yes", or the fact and what became of it."""
    words = vocabulary.in_words(mark.label).strip("()")
    return f"{words} {mark.kind}" if words.endswith("?") else f"{words}: {mark.kind}"
