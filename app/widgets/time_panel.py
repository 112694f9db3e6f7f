"""The timeline with its head: pause, step, end, and what was picked."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.actions import Actions
from app.deeds import BY_ID, key_of
from app.naming import Naming
from app.parts.button import Button, Tool
from app.parts.layout import column
from app.widgets.panel import Panel
from app.widgets.timeline import Timeline
from app.words import clock, short
from core.episode_state import EpisodeState, TimelineMark, TimelineTrack

HEIGHT = 28


class TimePanel(Panel):
    def __init__(self, actions: Actions) -> None:
        self._buttons = tuple(Button(kind="quiet", height=24) for _ in ("pause", "step", "end"))
        for button, id in zip(self._buttons, ("pause", "step", "end"), strict=True):
            button.follow(actions[id], key_of(id) if id != "end" else "", BY_ID[id].glyph)
        bookmark = Tool("bookmark", "Bookmark (M)")
        bookmark.follow(actions["bookmark"])
        whole = Tool("expand", "The whole, and follow")
        super().__init__("Timeline", *self._buttons, bookmark, whole)
        self.header.setFixedHeight(HEIGHT)
        self.timeline = Timeline()
        self.timeline.picked.connect(self._picked)
        whole.clicked.connect(self.timeline.follow)
        body = QWidget()
        body.setLayout(column(self.timeline))
        self.fill(body)
        self._note = ""

    def speak(self, naming: Naming) -> None:
        self.naming = self.timeline.naming = naming

    def display(self, story: EpisodeState) -> None:
        self.timeline.display(story)
        picked = self.timeline.chosen
        if picked is None:
            self.header.note.say("live, click to inspect" if story.is_running else "click to inspect")

    def _picked(self, mark: TimelineMark) -> None:
        self.header.note.say(describe(mark, self.naming))

    def enter(self) -> None:
        self.timeline.setFocus()


def describe(mark: TimelineMark, naming: Naming) -> str:
    """A mark in words: when, what, how it went."""
    took = f", {short(mark.end - mark.start)}" if mark.end is not None else ""
    words = {
        TimelineTrack.TURN: mark.label,
        TimelineTrack.ACTION: f"{naming.said(mark.label)}, {mark.kind}{took}",
        TimelineTrack.QUESTION: f"{mark.label.strip('()')}: {mark.kind}"
        if mark.end is None
        else f"call to {mark.label}{took}",
        TimelineTrack.PLAN: f"plan {mark.label}" if mark.kind == "plan" else f"{mark.kind}: {mark.label}",
        TimelineTrack.OPERATOR: f"you: {mark.label or mark.kind}",
    }[mark.track]
    return f"{clock(mark.start)} · turn {mark.turn} · {words}"
