"""An earlier moment of the running episode, read back from the log and shown as in a replay.

It stands in the docks of camera, questions, belief and plan; all else stays as it is now.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from app.console_controller import ConsoleController
from app.controls.layout import set_property
from app.presentation.formatting import clock
from app.presentation.what_if import operator_answer
from app.review.loaded_episode import LoadedEpisode, open_episode, with_pixels
from app.review.log_worker import LogWorker
from app.review.player import Player
from app.review.replay_camera import ReplayCamera
from app.widgets.belief.belief_panel import BeliefPanel
from app.widgets.panel import Panel
from app.widgets.plan.plan_panel import PlanPanel
from app.widgets.questions.card_view import CardView
from app.widgets.questions.question_panel import QuestionPanel
from core.belief import Verdict
from core.episode_state import EpisodeState, TimelineMark, TimelineTrack
from core.review.recording import Recording


class PastQuestions(QuestionPanel):
    """The cards of an earlier moment; a verdict corrects what is believed now, if it rests on that answer."""

    AHEAD = 0  # it is made while the episode runs

    def __init__(self) -> None:
        super().__init__()
        self.live = EpisodeState()
        self.reask.hide()

    def _judged(self, view: CardView, verdict: Verdict) -> None:
        card = view.card
        if card is None or card.model is None:
            return
        self._focus.focus(view)
        about = card.query.atom_verdict(verdict)
        if not self.live.is_running or not card.counts_in(self.live.belief):
            self.header.note.set_note("this answer no longer counts", "doubt")
        elif about is not Verdict.UNKNOWN:
            self.corrected.emit((operator_answer(card, about, self.by, turn=self.live.turn),))


PANELS: dict[str, Callable[[], Panel]] = {  # by the name of the dock, in the order in which they are shown
    "questions": PastQuestions,
    "camera": ReplayCamera,
    "belief": BeliefPanel,
    "plan": PlanPanel,
}
IDLE = 1500  # ms between two panels that are made ahead, while the episode begins


class PastView(QObject):
    """Follows the timeline's clicks and `past`. Makes and shows one panel at a time, so that nothing stalls.

    The live panels go on below with their drafts, so that the strip and its keys stay those of now.
    """

    corrected = Signal(object)  # tuple[Answer, ...]

    def __init__(self, controller: ConsoleController, past: LivePast) -> None:
        super().__init__(controller)
        self.past = past
        self._controller, self._window = controller, controller.window
        self.panels: dict[str, Panel] = {}  # by the name of the dock
        time = self._window.time
        time.picked.connect(self._picked)
        time.scrubbed.connect(lambda seconds: past.show_time(controller.state, seconds))
        self._window.actions_.set_view_reason("now", "now is what you see")
        past.none.connect(lambda reason: self._window.status.say(f"{reason}.", doubt=True))
        past.changed.connect(self._show)
        past.failed.connect(lambda reason: time.header.note.set_note(reason, "fault"))
        controller.shown.connect(self._follow)
        self._idle = QTimer(self, interval=IDLE, singleShot=True)
        self._idle.timeout.connect(self._make_next)
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._show_next)
        self._to_show: list[str] = []  # docks that do not show the moment yet

    def step(self, by: int) -> None:
        """Show the turn after the one shown, or before it."""
        self.past.show_turn_beside(self._controller.state, by)

    def _picked(self, mark: TimelineMark) -> None:
        live = self._controller.state
        if mark.track is TimelineTrack.TURN:
            self.past.show_turn(live, mark.turn)
        else:
            self.past.show_record(live, mark.record, mark.end if mark.end is not None else mark.start)

    def _follow(self) -> None:
        """Keep up with now: another episode ends the view of the past."""
        live, opened = self._controller.state, self.past.opened
        if opened is not None and opened.summary.episode != live.episode:
            self.past.show_now()
        if isinstance(questions := self.panels.get("questions"), PastQuestions):
            questions.live = live
        at_present = self.past.opened is None
        self._window.actions_.set_view_reason("now", "now is what you see" if at_present else "")
        if live.turn and len(self.panels) < len(PANELS) and not self._idle.isActive():
            self._idle.start()

    def _make_next(self) -> None:
        missing = [name for name in PANELS if name not in self.panels]
        if missing:
            self._panel(missing[0])

    def _panel(self, name: str) -> Panel:
        """Return the panel of this dock, made if it is not there yet."""
        if name not in self.panels:
            panel = self.panels[name] = PANELS[name]()
            set_property(panel.header, "ground", "accent_soft")
            if isinstance(panel, PastQuestions):
                panel.corrected.connect(self.corrected)
                panel.by = self._controller.by
                panel.live = self._controller.state
            elif isinstance(panel, BeliefPanel):
                panel.undo.hide()
        return self.panels[name]

    def _show(self) -> None:
        state = self.past.state
        self._window.time.show_past(state)
        self._follow()
        if state is None:
            self._turn.stop()
            self._window.uncover_docks()
        else:
            self._to_show = list(PANELS)
            self._turn.start()

    def _show_next(self) -> None:
        state, opened = self.past.state, self.past.opened
        if state is None or opened is None or not self._to_show:
            self._turn.stop()
            return
        name = self._to_show.pop(0)
        panel = self._panel(name)
        panel.vocabulary = opened.vocabulary
        panel.display(state)
        panel.header.note.set_note(f"turn {state.turn}, {clock(state.now)}")
        self._window.docks[name].cover(panel)


Place = Callable[[Recording], int]  # where to go, as a number of records


class LivePast(QObject):
    """The moment that is shown in place of now, or none. GUI thread only.

    Records and pictures are read on the log's thread, anew only for a moment that was not yet read.
    """

    changed = Signal()
    failed = Signal(str)  # one sentence
    none = Signal(str)  # why there is no such turn

    def __init__(self, parent: QObject, path: Path) -> None:
        super().__init__(parent)
        self._worker = LogWorker(path)
        self._worker.failed.connect(self.failed)
        self._player = Player(self)
        self._opened: LoadedEpisode | None = None
        self._shown = False

    @property
    def state(self) -> EpisodeState | None:
        """Return the state at the moment shown, with the pixels of its picture; None for now."""
        if not self._shown or self._opened is None:
            return None
        return with_pixels(self._player.state, self._opened)

    @property
    def opened(self) -> LoadedEpisode | None:
        return self._opened if self._shown else None

    def show_time(self, live: EpisodeState, seconds: float) -> None:
        """Show this moment, in seconds since the episode began."""
        if seconds >= live.now:
            self.show_now()
        else:
            self._go(live, seconds, lambda replay: max(1, replay.index_at(seconds)))

    def show_record(self, live: EpisodeState, number: int, seconds: float) -> None:
        """Show the moment right after this record, which came at `seconds`."""
        self._go(live, seconds, lambda replay: replay.index_of_record(number))

    def show_turn(self, live: EpisodeState, turn: int) -> None:
        """Show the end of a turn, with all its answers; the current turn is now."""
        after = next((m for m in live.marks if m.track is TimelineTrack.TURN and m.turn > turn), None)
        if after is None or turn < 1:
            self.show_now()
        else:
            self._go(live, after.start, lambda replay: replay.index_of_record(after.record) - 1)

    def show_turn_beside(self, live: EpisodeState, by: int) -> None:
        """Show the turn before the one shown, or after it; say so where there is none."""
        turn = (self.state or live).turn + by
        if 1 <= turn <= live.turn:
            self.show_turn(live, turn)
        else:
            self.none.emit("There is no turn before this one" if by < 0 else "This is the latest turn")

    def show_now(self) -> None:
        self._worker.cancel("past")
        if self._shown:
            self._shown = False
            self.changed.emit()

    def close(self) -> bool:
        """Stop reading the log; return True once the reading thread has ended. GUI thread only."""
        return self._worker.close()

    def _go(self, live: EpisodeState, seconds: float, place: Place) -> None:
        """Go to a place that is at `seconds`, once it is read."""
        opened = self._opened
        if opened is not None and opened.summary.episode == live.episode and seconds <= opened.replay.seconds:
            self._worker.cancel("past")
            self._show(place)
            return

        def read(opened: LoadedEpisode) -> None:
            self._opened = opened
            self._player.load(opened.replay)
            self._show(place)

        episode = live.episode
        self._worker.submit(lambda d, progress: open_episode(d, episode, progress), read, key="past")

    def _show(self, place: Place) -> None:
        self._player.go(place(self._player.replay))
        self._shown = True
        self.changed.emit()
