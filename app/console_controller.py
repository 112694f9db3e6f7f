"""Make, refresh and close the sessions that the window shows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from app.dialogs.overlay_dialog import OverlayDialog
from app.episode.session import EpisodeSession, SessionStage
from app.main_window import MainWindow
from app.preferences import Preferences
from app.presentation.decision_section import DecisionSection
from app.session_display import SessionDisplay
from app.welcome import contradicts, slowed
from core.config import ComponentFactory, Settings
from core.episode_state import EpisodeState, Phase
from core.events import PROGRAM, Event
from core.log.knowledge_store import KnowledgeStore
from core.log.recorder import Recorder
from core.planning_model import Literal
from core.stop.heartbeat import HEARTBEAT_PERIOD, Heartbeat
from core.supervision import SUPERVISION_PRESETS, SupervisionLevels
from core.vqa.budget import Meter


class SessionSignals(QObject):
    """Emits what a session reports from its threads; connect queued to receive it on the GUI thread."""

    changed = Signal()  # the episode state or the stage changed
    failed = Signal(str)  # one sentence for a person

    def on_changed(self) -> None:
        self.changed.emit()

    def on_failed(self, reason: str) -> None:
        self.failed.emit(reason)


FRAME = 40  # ms between two displays at least
TICK = 250  # ms: ages and running times go on while nothing happens
CLOSING = 8.0  # seconds that a robot has to let go
OVER = object()


class ConsoleController(QObject):
    """Owns the session and refreshes the window. GUI thread, but for `stop`, `halt` and `end_sessions`."""

    shown = Signal()  # every widget shows the state of now
    waits = Signal()  # something waits for the person, since a moment
    starting_again = Signal()  # after an episode that has ended; before anything is made

    def __init__(
        self,
        window: MainWindow,
        make: ComponentFactory,
        settings: Settings,
        recorder: Callable[[], Recorder],
        preferences: Preferences,
        by: str,
        knowledge: KnowledgeStore | None = None,
    ) -> None:
        super().__init__(window)
        self.knowledge = knowledge
        self.window, self.preferences, self.by = window, preferences, by
        self.settings = settings
        self.goal: tuple[Literal, ...] | None = None  # of the next episode; None: the task's own
        self.pause_at: Callable[[Event], DecisionSection | None] | None = None  # of the next episode alone
        self.dialog: OverlayDialog | None = None
        self.state = EpisodeState()
        self._make, self._recorder = make, recorder
        self._retired: list[EpisodeSession] = []  # closed, and not yet gone
        self._earlier_cost = Meter()  # of the earlier episodes since the window was opened
        self._display = SessionDisplay(window, preferences, by, self.halt)
        self._dirty = False
        self._round: Iterator[None] | None = None  # the rest of a refresh, which goes on in the next turn
        self._turn = QTimer(self, interval=0)
        self._turn.timeout.connect(self._go_on)
        self._refresh_timer = QTimer(self, interval=FRAME, singleShot=True)
        self._refresh_timer.timeout.connect(self._refresh_if_dirty)
        self._ticker = QTimer(self, interval=TICK)
        self._ticker.timeout.connect(self._tick)
        self._heartbeat = Heartbeat()
        self._heart = QTimer(self, interval=round(1000 * HEARTBEAT_PERIOD))
        self._heart.timeout.connect(self._heartbeat.beat)
        self._heartbeat.beat()
        self._heart.start()
        window.supervision.show_levels(self.supervision_levels())
        window.robot.action_done.connect(self._log_manual_action)
        self.session = self._new_session()

    # --- sessions ----------------------------------------------------------------------------------------

    def supervision_levels(self) -> SupervisionLevels:
        """Return the saved levels. By default a new user only watches, so Start alone shows an episode."""
        return self.preferences.supervision or SUPERVISION_PRESETS["Watch"]

    def _new_session(self) -> EpisodeSession:
        # Of a sheet's episode a person has seen scene and plan, so that neither is made another one.
        newcomer = self.preferences.supervision is None and self.pause_at is None
        pause_at, self.pause_at = self.pause_at or (contradicts if newcomer else None), None
        signals = self._signals = SessionSignals()
        signals.changed.connect(self._on_session_changed, Qt.ConnectionType.QueuedConnection)
        signals.failed.connect(self._on_session_failed, Qt.ConnectionType.QueuedConnection)
        session = EpisodeSession(
            self._make,
            slowed(self.settings) if newcomer else self.settings,
            self._recorder,
            self.supervision_levels(),
            self.by,
            self.goal,
            on_changed=signals.on_changed,
            on_failed=signals.on_failed,
            heartbeat=self._heartbeat,
            pause_at=pause_at,
            knowledge=self.knowledge,
        )
        session.set_breakpoints(self.window.plan.breakpoints)
        return session

    def begin(self) -> None:
        """Make the components of the first session."""
        self._ticker.start()
        self.session.prepare()
        self.refresh()

    def prepare(self, settings: Settings) -> None:
        """Close the current session and make the components for these settings."""
        stopped = self.session.begins_stopped()
        self._retire_session("another episode was set up")
        self.settings = settings
        self._display.clear()
        self.session = self._new_session()
        self.session.inherits_stop = stopped
        self.session.prepare()
        self.refresh()

    def start(self) -> None:
        """Run an episode; after one has ended, run the same again."""
        if self.session.stage is SessionStage.OVER or self.session.state.ended is not None:
            self.starting_again.emit()
            self.prepare(self.settings)
        if self.preferences.supervision is None:
            self.preferences.supervision = self.supervision_levels()
            self.preferences.save()
        self.session.set_supervision(self.window.supervision.levels)
        self.session.start()
        self.refresh()

    def _retire_session(self, reason: str) -> None:
        self.session.close(reason)  # which halts: before anything that might fail
        self._signals.changed.disconnect(self._on_session_changed)
        self._signals.failed.disconnect(self._on_session_failed)
        self._retired.append(self.session)
        if self.session.components is not None:
            self._earlier_cost.add_usage(self.session.components.meter.usage)

    def close(self) -> bool:
        """Halt the robot, end the episode and wait for its thread. Return True if no thread is left."""
        self.end_sessions("the window was closed")
        for timer in (self._ticker, self._refresh_timer, self._turn):
            timer.stop()
        self.window.camera.watch(None)
        self.window.robot.watch(None)
        if self.dialog is not None:
            self.dialog.reject()
        self._retire_session("the window was closed")
        gone = [session.join(CLOSING) for session in self._retired]
        self._retired.clear()
        return all(gone)

    # --- stopping: any thread ----------------------------------------------------------------------------

    def stop(self) -> None:
        """Stop the motion because the person pressed Esc or the button. Any thread."""
        self.session.stop("You stopped it.")

    def halt(self) -> None:
        """Stop the motion because a part of the program broke. Any thread."""
        self.session.stop("A part of the program broke.", PROGRAM)

    def end_sessions(self, reason: str) -> None:
        """Halt the robot and end every session because the program ends. Any thread."""
        for session in (self.session, *self._retired):
            session.close(reason)

    # --- showing -----------------------------------------------------------------------------------------

    def _on_session_changed(self) -> None:
        self._dirty = True
        if not self._refresh_timer.isActive():
            self._refresh_if_dirty()

    def _refresh_if_dirty(self) -> None:
        if self._dirty:
            self._refresh_timer.start()
            self._refresh_in_turns()

    def _tick(self) -> None:
        self._retired = [session for session in self._retired if not session.join(0)]
        if not self._refresh_timer.isActive():
            self._refresh_in_turns()

    def refresh(self) -> None:
        """Show the current episode state in every widget, at once."""
        self._round = None
        for _ in self._show_state():
            pass

    def _refresh_in_turns(self) -> None:
        """Show the current episode state part by part, each in a turn of the event loop of its own.

        So Esc waits for one panel at most, and not until the whole window is shown and painted.
        """
        if self._round is None:
            self._round, self._dirty = self._show_state(), False
            self._turn.start()

    def _go_on(self) -> None:
        if self._round is None or next(self._round, OVER) is OVER:
            self._round = None
            self._turn.stop()

    def _show_state(self) -> Iterator[None]:
        """Show the current state in every widget, in parts.

        `state`, which a person's decisions answer, is what all of them show: it changes with the last part.
        """
        session, display = self.session, self._display
        state = session.state
        state = replace(state, now=session.now()) if state.is_running else state
        yield from display.show_panels(session, state, self._earlier_cost.usage)
        self.state = state
        display.show_actions(session, state, bool(self.lesson))
        self.show_decision()
        if (show := getattr(self.dialog, "display", None)) is not None:
            show(state)
        if display.notify_user(session, state):
            self.waits.emit()
        self.shown.emit()

    def show_decision(self) -> None:
        """Show the decision bar, after the panels: it names the question that is focused there."""
        questions, decision = self.window.questions, self.window.decision
        decision.keys_elsewhere = self.window.focused_panel() is self.window.belief
        decision.display(self.state, questions.asked)
        if lesson := self.lesson:
            self.window.decision.views[2].show_reason(lesson)

    @property
    def lesson(self) -> DecisionSection | None:
        """Return why the episode has paused by itself, while it has: a newcomer's, or after the sheet."""
        waits = self.state.paused and self.state.phase is Phase.WAITING
        return self.session.paused_for if waits else None

    def _on_session_failed(self, reason: str) -> None:
        self._display.fault = reason
        self.refresh()

    def _log_manual_action(self, words: str) -> None:
        """Record what a person did with the arm."""
        self.session.note("info", f"{self.by} {words}.")

    def fault(self, reason: str) -> None:
        """Report an error from outside the panels."""
        self._display.fault = reason
        self.session.note("fault", reason)
        self.refresh()
