"""The timeline of a replay: play, speed, jumps, fork; click or drag to be there."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.naming import Naming
from app.parts.button import Button, Tool
from app.parts.layout import column, gap
from app.theme import tokens as t
from app.widgets.panel import Panel
from app.widgets.time_panel import HEIGHT, describe
from app.widgets.timeline import Timeline
from app.words import clock
from core.episode_state import EpisodeState, TimelineMark

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
    hurried = Signal(int)  # speeds faster
    jumped = Signal(str)  # kind of moment
    forked = Signal()
    marked = Signal()  # a note at this moment
    sought = Signal(float)  # seconds
    picked = Signal(object)  # Mark

    def __init__(self) -> None:
        self._play = Button("Play", "play", "Space", "quiet", 24)
        self._back = Tool("back", "A record back (,)")
        self._step = Tool("step", "A record on (.)")
        self._speed = Button("1×", "clock", "", "quiet", 24)
        self._speed.setToolTip("Faster (+), slower (-)")
        self._fork = Button("Fork here", "fork", "F", "quiet", 24)
        self._jumps = tuple(Tool(glyph, f"Next {words} ({key})") for key, glyph, words in JUMPS.values())
        for tool, kind in zip(self._jumps, JUMPS, strict=True):
            tool.setProperty("kind", kind)
        note = Tool("bookmark", "A note at this moment (M)")
        buttons = (self._play, self._back, self._step, self._speed, gap(t.S), *self._jumps, gap(t.S))
        super().__init__("Timeline", *buttons, self._fork, note)
        self.header.setFixedHeight(HEIGHT)
        self.timeline = Timeline()
        self.timeline.scrubbed.connect(self.sought)
        self.timeline.picked.connect(self._picked)
        for tool in self._jumps:
            tool.clicked.connect(self._jump)
        note.clicked.connect(self.marked)
        self._play.clicked.connect(self.play)
        self._back.clicked.connect(self._one_back)
        self._step.clicked.connect(self._one_on)
        self._speed.clicked.connect(self._faster)
        self._fork.clicked.connect(self.forked)
        body = QWidget()
        body.setLayout(column(self.timeline))
        self.fill(body)
        self._all: tuple[TimelineMark, ...] = ()
        self._seconds = 0.0

    def speak(self, naming: Naming) -> None:
        self.naming = self.timeline.naming = naming

    def show_tape(self, seconds: float, marks: tuple[TimelineMark, ...]) -> None:
        """All that happened; the playhead comes with `display`."""
        self._seconds, self._all = seconds, marks
        self.timeline.length = seconds * 1.03  # the last marks have room
        self.timeline.follow()

    def hide_later(self, words: str) -> None:
        """Cover what comes after the playhead; "": nothing."""
        if words != self.timeline.hidden:
            self.timeline.hidden = words
            self.timeline.update()

    def display(self, story: EpisodeState) -> None:
        marks = story.marks if self.timeline.hidden else self._all
        self.timeline.display(replace(story, marks=marks))
        at = f"{clock(story.now)} of {clock(self._seconds)} · turn {story.turn}"
        self.header.note.say("later is hidden until you answer" if self.timeline.hidden else at)

    def show_play(self, playing: bool, speed: float) -> None:
        self._play.relabel("Pause" if playing else "Play", "pause" if playing else "play")
        self._speed.relabel(f"{speed:g}×")

    def _picked(self, mark: TimelineMark) -> None:
        self.picked.emit(mark)
        self.header.note.say(describe(mark, self.naming))

    def _jump(self) -> None:
        self.jumped.emit(self.sender().property("kind"))

    def _one_back(self) -> None:
        self.stepped.emit(-1)

    def _one_on(self) -> None:
        self.stepped.emit(1)

    def _faster(self) -> None:
        self.hurried.emit(1)

    def enter(self) -> None:
        self.timeline.setFocus()
