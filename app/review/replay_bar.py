"""The timeline of a replay: play, speed, jumps, fork; a click or a drag seeks."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal

from app.controls.button import Button, ToolButton
from app.controls.layout import spacer
from app.presentation.formatting import clock
from app.theme import tokens as t
from app.widgets.panel import Panel
from app.widgets.timeline.timeline import Timeline
from app.widgets.timeline.timeline_panel import HEIGHT, describe
from core.episode_state import EpisodeState, TimelineMark
from core.text.vocabulary import Vocabulary

# kind of moment: its key, its glyph, what it is called
JUMPS = {
    "override": ("O", "hexagon", "override"),
    "contradiction": ("D", "diamond", "contradiction"),
    "failure": ("X", "cross", "failed step"),
    "stop": ("H", "stop", "stop"),
    "re-plan": ("R", "replan", "re-plan"),
}


class ReplayBar(Panel):
    play = Signal()
    stepped = Signal(int)  # records
    speed_changed = Signal(int)  # speeds faster
    jumped = Signal(str)  # kind of moment
    forked = Signal()
    marked = Signal()  # a note at this moment
    seek_requested = Signal(float)  # seconds
    picked = Signal(object)  # Mark

    def __init__(self) -> None:
        self._play = Button("Play", "play", "Space", "quiet", 24)
        self._back = ToolButton("back", "Previous record (,)")
        self._step = ToolButton("step", "Next record (.)")
        self._speed = Button("1×", "clock", "", "quiet", 24)
        self._speed.setToolTip("Faster (+), slower (-)")
        self.fork = Button("Fork here", "fork", "F", "quiet", 24)
        self._jumps = tuple(ToolButton(icon, f"Next {words} ({key})") for key, icon, words in JUMPS.values())
        for tool, kind in zip(self._jumps, JUMPS, strict=True):
            tool.setProperty("kind", kind)
        note = ToolButton("bookmark", "Add a note at this moment (M)")
        buttons = (self._play, self._back, self._step, self._speed, spacer(t.S), *self._jumps, spacer(t.S))
        super().__init__("Timeline", *buttons, self.fork, note)
        self.header.setFixedHeight(HEIGHT)
        self.timeline = Timeline()
        self.timeline.scrubbed.connect(self.seek_requested)
        self.timeline.picked.connect(self._picked)
        for tool in self._jumps:
            tool.clicked.connect(self._jump)
        note.clicked.connect(self.marked)
        self._play.clicked.connect(self.play)
        self._back.clicked.connect(lambda: self.stepped.emit(-1))
        self._step.clicked.connect(lambda: self.stepped.emit(1))
        self._speed.clicked.connect(lambda: self.speed_changed.emit(1))
        self.fork.clicked.connect(self.forked)
        self.set_body(self.timeline)
        self._final = EpisodeState()
        self._seconds = 0.0

    def set_vocabulary(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = self.timeline.vocabulary = vocabulary

    def show_timeline(self, seconds: float, final: EpisodeState) -> None:
        """Show the marks of the whole episode; `display` sets the playhead."""
        self._seconds, self._final = seconds, final
        self.timeline.length = seconds * 1.03  # the last marks have room
        self.timeline.follow_latest()

    def display(self, state: EpisodeState) -> None:
        final = self._final
        known = {"marks": final.marks, "missed_effects": final.missed_effects, "waits": final.waits}
        self.timeline.display(replace(state, **known))  # type: ignore[arg-type]
        self.header.note.set_note(f"{clock(state.now)} of {clock(self._seconds)} · turn {state.turn}")

    def show_play(self, playing: bool, speed: float) -> None:
        self._play.relabel("Pause" if playing else "Play", "pause" if playing else "play")
        self._speed.relabel(f"{speed:g}×")

    def _picked(self, mark: TimelineMark) -> None:
        self.picked.emit(mark)
        self.header.note.set_note(describe(mark, self.vocabulary, self.timeline.state))

    def _jump(self) -> None:
        self.jumped.emit(self.sender().property("kind"))

    def enter(self) -> None:
        self.timeline.setFocus()
