"""The timeline panel: pause, step, end, and the picked mark."""

from __future__ import annotations

from app.actions import Actions
from app.commands import BY_ID, key_of
from app.controls.button import Button, ToolButton
from app.presentation.formatting import clock, duration
from app.presentation.vocabulary import Vocabulary
from app.widgets.panel import Panel
from app.widgets.timeline.timeline import Timeline
from core.episode_state import EpisodeState, TimelineMark, TimelineTrack

HEIGHT = 28


class TimelinePanel(Panel):
    def __init__(self, actions: Actions) -> None:
        self._buttons = tuple(Button(kind="quiet", height=24) for _ in ("pause", "step", "end"))
        for button, id in zip(self._buttons, ("pause", "step", "end"), strict=True):
            button.bind_action(actions[id], key_of(id) if id != "end" else "", BY_ID[id].icon)
        bookmark = ToolButton("bookmark", "Bookmark (M)")
        bookmark.bind_action(actions["bookmark"])
        whole = ToolButton("expand", "Show everything and follow")
        super().__init__("Timeline", *self._buttons, bookmark, whole)
        self.header.setFixedHeight(HEIGHT)
        self.timeline = Timeline()
        self.timeline.picked.connect(self._picked)
        whole.clicked.connect(self.timeline.follow_latest)
        self.set_body(self.timeline)

    def set_vocabulary(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = self.timeline.vocabulary = vocabulary

    def display(self, state: EpisodeState) -> None:
        self.timeline.display(state)
        picked = self.timeline.chosen
        if picked is None:
            self.header.note.set_note("live, click to inspect" if state.is_running else "click to inspect")

    def _picked(self, mark: TimelineMark) -> None:
        self.header.note.set_note(describe(mark, self.vocabulary))

    def enter(self) -> None:
        self.timeline.setFocus()


def describe(mark: TimelineMark, vocabulary: Vocabulary) -> str:
    """Return a mark's time, name and result as text."""
    took = f", {duration(mark.end - mark.start)}" if mark.end is not None else ""
    words = {
        TimelineTrack.TURN: mark.label,
        TimelineTrack.ACTION: f"{vocabulary.describe_written_step(mark.label)}, {mark.kind}{took}",
        TimelineTrack.QUESTION: f"{mark.label.strip('()')}: {mark.kind}"
        if mark.end is None
        else f"call to {mark.label}{took}",
        TimelineTrack.PLAN: f"plan {mark.label}" if mark.kind == "plan" else f"{mark.kind}: {mark.label}",
        TimelineTrack.OPERATOR: f"you: {mark.label or mark.kind}",
    }[mark.track]
    return f"{clock(mark.start)} · turn {mark.turn} · {words}"
