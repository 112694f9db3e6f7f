"""Control a player on its timeline: play, speed, jumps, fork; a click or a drag seeks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QMenu

from app.commands import with_keys
from app.controls.button import Button, ToolButton
from app.controls.layout import open_menu, row, wrap_layout
from app.presentation.formatting import clock
from app.presentation.signals import belief_signal, signal, signal_names
from app.review.keys import PLAY
from app.review.player import Player
from app.theme import tokens as t
from app.widgets.panel import Panel
from app.widgets.timeline.timeline import Timeline
from app.widgets.timeline.timeline_panel import HEIGHT, describe
from core.belief import Atom
from core.episode_state import EpisodeState, TimelineMark
from core.text.vocabulary import Vocabulary


class ReplayBar(Panel):
    """Controls a player, whatever it plays."""

    forked = Signal()
    marked = Signal()  # a note at this moment

    def __init__(self, player: Player, of_episode: bool = True) -> None:
        self.player = player
        self._play = Button("Play", "play", "Space", "quiet", 24)
        self._speed = Button("1×", "clock", "", "quiet", 24)
        self._speed.setToolTip("Faster (+), slower (-)")
        self.fork = Button("Fork here", "fork", "F", "quiet", 24)
        tools = {c.id: ToolButton(c.icon, f"{c.text} ({c.key})") for c in with_keys(PLAY) if c.icon}
        back, step, *jumps = tools.values()
        note = ToolButton("bookmark", "Add a note at this moment (M)")
        self._plot_button = plot = ToolButton("pulse", "Plot a signal of the log below the tracks (P)")
        plot.clicked.connect(self.choose_signal)
        self.selected: Callable[[], Atom | None] = lambda: None  # whose belief can be plotted
        to = wrap_layout(row(*jumps, spacing=t.XS, margins=(t.S, 0, t.S, 0)))
        buttons = (self._play, back, step, self._speed, to)
        super().__init__("Timeline", *buttons, self.fork, plot, note)
        self.header.set_height(HEIGHT)
        self.timeline = Timeline()
        self.set_body(self.timeline)
        does = {"play": self._play, "faster": self._speed, **tools}
        for command in (c for c in PLAY if c.id in does):
            does[command.id].clicked.connect(partial(command.act, self))
        self.fork.clicked.connect(self.forked)
        note.clicked.connect(self.marked)
        for part in (self.fork, note, plot):
            part.setVisible(of_episode)
        self.timeline.scrubbed.connect(player.seek)
        self.timeline.picked.connect(self._picked)
        player.moved.connect(self._moved)
        player.state_changed.connect(self._show_play)

    def set_vocabulary(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = self.timeline.vocabulary = vocabulary

    def show_timeline(self) -> None:
        """Show the marks of all that the player has loaded."""
        self.timeline.show_signal("", ())
        self.timeline.length = self.player.replay.seconds * 1.03  # the last marks have room
        self.timeline.follow_latest()
        self._moved()

    def display(self, state: EpisodeState) -> None:
        final = self.player.replay.final_state
        known = {"marks": final.marks, "missed_effects": final.missed_effects, "waits": final.waits}
        self.timeline.display(replace(state, **known))  # type: ignore[arg-type]

    def choose_signal(self) -> None:
        """Offer what changed in the episode, and the belief in the atom that is selected."""
        menu, readings, atom = QMenu(self), self.player.replay.readings, self.selected()
        show = self.timeline.show_signal
        menu.addAction("Nothing").triggered.connect(lambda: show("", ()))
        for name in signal_names(self.player.replay):
            menu.addAction(name).triggered.connect(partial(self._plot, name))
        if atom is not None:
            words = self.vocabulary.describe_atom(atom)
            plotted = partial(belief_signal, readings, atom)
            menu.addAction(f"believed: {words}").triggered.connect(lambda: show(words, plotted()))
        open_menu(menu, self._plot_button)

    def _plot(self, name: str) -> None:
        self.timeline.show_signal(name, signal(self.player.replay, name))

    def jump(self, kind: str, back: bool = False) -> None:
        """Go to the next moment of this kind, or the previous one, or say that there is none."""
        if not self.player.jump(kind, back):
            self.header.note.set_note(f"no {kind} {'before' if back else 'after'} this")

    def _moved(self) -> None:
        player = self.player
        state = player.state
        self.display(state)
        at = f"{clock(state.now)} of {clock(player.replay.seconds)}"
        self.header.note.set_note(f"{at} · {player.replay.text_at(player.index)}")

    def _show_play(self) -> None:
        playing, speed = self.player.playing, self.player.speed
        self._play.relabel("Pause" if playing else "Play", "pause" if playing else "play")
        self._speed.relabel(f"{speed:g}×")

    def _picked(self, mark: TimelineMark) -> None:
        self.player.pause()
        self.player.go(self.player.replay.index_of_record(mark.record))
        self.header.note.set_note(describe(mark, self.vocabulary, self.timeline.state))

    def enter(self) -> None:
        self.timeline.setFocus()
