"""Connect the window and the session: make and close sessions, and show the episode state in every widget."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from app.commands import live
from app.dialogs.overlay_dialog import OverlayDialog
from app.episode.arm_attention import arm_request, failed_checks
from app.episode.budget_prompt import cost_summary
from app.episode.session import EpisodeSession, SessionStage
from app.first_episode import LESSON, contradicts, slowed
from app.main_window import MainWindow
from app.preferences import Preferences
from app.presentation.formatting import StatusText, robot_link_text, robot_text, waits_for_person
from app.presentation.idle_summary import idle_summary
from app.runtime.excepthook import error_sentence
from app.runtime.session_signals import SessionSignals
from app.welcome import Welcome
from app.widgets.panel import Panel
from core.config import ComponentFactory, Settings
from core.episode_state import EpisodeState, Phase
from core.log.knowledge_store import KnowledgeStore
from core.log.recorder import Recorder
from core.planning_model import Literal
from core.policy import HandlesSituations
from core.ports import Embodiment
from core.stop.heartbeat import HEARTBEAT_PERIOD, Heartbeat
from core.supervision import SUPERVISION_PRESETS, SupervisionLevels
from core.text.vocabulary import Vocabulary
from core.vqa.budget import Meter

log = logging.getLogger(__name__)

FRAME = 40  # ms between two displays at least
TICK = 250  # ms: ages and running times go on while nothing happens
CLOSING = 8.0  # seconds that a robot has to let go
OVER = object()
LOOK_UP = 0.5  # seconds that something has to wait before a person elsewhere is called


def no_situations(method: str) -> str:
    return f"the method {method} takes no situations: set up one that does, such as cowp"


class ConsoleController(QObject):
    """Owns the current session and refreshes the window. GUI thread only, except `stop`, `halt`
    and `end_sessions`.
    """

    shown = Signal()  # every widget shows the state of now

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
        self.dialog: OverlayDialog | None = None
        self.state = EpisodeState()
        self._make, self._recorder = make, recorder
        self._retired: list[EpisodeSession] = []  # closed, and not yet gone
        self._bound_components: object = None  # the parts that the widgets know of
        self._earlier_cost = (
            Meter()
        )  # what the models of earlier episodes have cost since the window was opened
        self._fault = ""
        self._broken_panels: set[str] = set()
        self._notified_at = ("", -1.0)  # who asked for the arm, and since when the episode waited
        self._welcome = Welcome(window)
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
        window.supervision.show_levels(self._supervision_levels())
        window.robot.action_done.connect(self._log_manual_action)
        self.session = self._new_session()

    # --- sessions ----------------------------------------------------------------------------------------

    def _supervision_levels(self) -> SupervisionLevels:
        """Return the saved levels. By default a new user only watches, so that Start alone shows
        an episode.
        """
        return self.preferences.supervision or SUPERVISION_PRESETS["Watch"]

    def _new_session(self) -> EpisodeSession:
        newcomer = self.preferences.supervision is None
        signals = self._signals = SessionSignals()
        signals.changed.connect(self._on_session_changed, Qt.ConnectionType.QueuedConnection)
        signals.failed.connect(self._on_session_failed, Qt.ConnectionType.QueuedConnection)
        session = EpisodeSession(
            self._make,
            slowed(self.settings) if newcomer else self.settings,
            self._recorder,
            self._supervision_levels(),
            self.by,
            self.goal,
            on_changed=signals.on_changed,
            on_failed=signals.on_failed,
            heartbeat=self._heartbeat,
            pause_at=contradicts if newcomer else None,
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
        self._retire_session("another episode was set up")
        self.settings, self._fault, self._broken_panels, self._bound_components = settings, "", set(), None
        self._welcome.reset()
        self.window.camera.watch(None)
        self.window.robot.watch(None)
        self.window.camera.clear_picture()
        window = self.window
        for panel in (window.questions, window.belief, window.plan, window.robot, *window.others):
            panel.clear()
        self.session = self._new_session()
        self.session.prepare()
        self.refresh()

    def start(self) -> None:
        """Run an episode; after one has ended, run the same again."""
        if self.session.stage is SessionStage.OVER or self.session.state.ended is not None:
            self.prepare(self.settings)
        if self.preferences.supervision is None:
            self.preferences.supervision = self._supervision_levels()
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
        self.session.stop("A part of the program broke.")

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
        session, window = self.session, self.window
        state = session.state
        state = replace(state, now=session.now()) if state.is_running else state
        self._bind_components(session)
        window.top.display(state)
        window.supervision.display(state)
        window.decision.refused = bool(self._fault)
        starting = session.stage is SessionStage.MAKING and bool(session.making)  # which may take minutes
        window.decision.starting = starting
        window.actions_.set_view_reason("cancel_start", "" if starting else "no robot is being started")
        window.decision.failed_checks = failed_checks(session.components, state)
        window.status.display(state)
        if state.started is None:
            self._show_idle()
        elif self._fault and not state.is_running:
            window.status.show_status(StatusText(self._fault, "fault", "fault"))
        elif session.exhausted_budget is not None:
            window.status.show_status(
                StatusText(str(session.exhausted_budget), "diamond", "doubt", mine=True)
            )
        if asks := arm_request(session.components):
            window.status.show_status(StatusText(asks, "person", mine=True))
        if session.components is not None:
            window.top.show_cost(cost_summary(session.components.meter, self._earlier_cost.usage))
        for panel in window.panels:
            yield
            self._display_panel(panel, state)
        yield
        self.state = state
        window.actions_.display(state, bool(window.questions.drafts))
        if window.questions.drafts:
            window.actions_["undo"].setEnabled(True)
        if state.started is None and session.start_requested and not self._fault:
            window.actions_["start"].setEnabled(False)  # it starts by itself
        window.questions.situation_line.set_reason(live(state))
        window.actions_.set_text("approve", "Resume" if self.lesson else "Approve")
        window.actions_.require_hold("approve", state.embodiment == Embodiment.REAL.value)
        self.show_decision()
        window.status.show_log(session.records, state)
        if (show := getattr(self.dialog, "display", None)) is not None:
            show(state)
        self._notify_user(state)
        self.shown.emit()

    def show_decision(self) -> None:
        """Show the decision bar, after the panels: it names the question that is focused there."""
        self.window.decision.focused_question = self.window.questions.focused_question
        self.window.decision.display(self.state)
        if self.lesson:
            self.window.decision.views[2].show_reason(LESSON)

    @property
    def lesson(self) -> bool:
        """Return True while a newcomer's episode is paused at its first contradiction."""
        return self.session.has_paused and self.state.paused and self.state.phase is Phase.WAITING

    def _display_panel(self, panel: Panel, state: EpisodeState) -> None:
        """Display the state in a panel. If the panel raises, show that in its place and halt the robot."""
        if panel.title in self._broken_panels:
            return
        try:
            panel.display(state)
        except Exception as error:
            log.exception("the panel %s broke", panel.title)
            self._broken_panels.add(panel.title)
            self.halt()
            panel.show_placeholder(
                "fault",
                f"This panel broke: {panel.title}",
                error_sentence(error),
                "fault",
                "It is still logged",
            )

    def _bind_components(self, session: EpisodeSession) -> None:
        """Give the widgets the vocabulary and the robot as soon as the components are made."""
        components, window = session.components, self.window
        if session.stage is SessionStage.OVER:
            window.camera.watch(None)
            window.robot.watch(None)
        if components is None or self._bound_components is components:
            return
        self._bound_components = components
        vocabulary = Vocabulary.of(components.domain_spec, components.task.problem)
        for panel in window.panels:
            panel.vocabulary = vocabulary
        window.time.set_vocabulary(vocabulary)
        window.decision.vocabulary = window.status.vocabulary = vocabulary
        window.questions.by = window.belief.by = self.by
        handles = isinstance(components.method, HandlesSituations)
        window.questions.situation_line.setVisible(handles)
        window.actions_.set_view_reason("tell", "" if handles else no_situations(components.method.name))
        if session.stage is not SessionStage.OVER:
            window.camera.watch(components.robot)
            window.show_robot(components.robot, components.permits.manual_actuation(self.by))
        robot = robot_text({**components.settings.as_strings(), "robot": components.robot.name})
        window.top.show_settings(components.settings, robot, components.robot.embodiment)
        window.top.show_link(robot_link_text(components.settings.as_strings(), components.robot.embodiment))

    def _show_idle(self) -> None:
        """Show the set-up before the first event."""
        components = self.session.components
        if components is None:
            robot = robot_text(self.settings.as_strings()) or "…"
            self.window.top.show_settings(self.settings, robot, None)
            self.window.top.show_link("not yet")
        strip, status = idle_summary(
            self.session.settings,
            components,
            self._fault,
            self.window.decision.failed_checks,
            self.session.making,
            self.session.start_requested,
        )
        known = components is not None or self._fault != ""
        self._welcome.show(known, self._fault, self.preferences.supervision is None)
        self.window.decision.show_summary(strip)
        self.window.status.show_status(status)

    def _on_session_failed(self, reason: str) -> None:
        self._fault = reason
        self.refresh()

    def _log_manual_action(self, words: str) -> None:
        """Record what a person did with the arm."""
        self.session.note("info", f"{self.by} {words}.")

    def fault(self, reason: str) -> None:
        """Report an error from outside the panels."""
        self._fault = reason
        self.session.note("fault", reason)
        self.refresh()

    def _notify_user(self, state: EpisodeState) -> None:
        """Notify a person who looks elsewhere, once for each time that the episode waits."""
        asks = arm_request(self.session.components)
        mine = waits_for_person(state) or self.session.exhausted_budget is not None
        now = (asks, state.since)
        if not (mine or asks) or now == self._notified_at or (state.now - state.since < LOOK_UP and not asks):
            return
        self._notified_at = now
        if not self.preferences.muted and not self.window.isActiveWindow():
            QApplication.alert(self.window)
            QApplication.beep()
