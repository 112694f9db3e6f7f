"""Show a session in the widgets of the window."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator

from PySide6.QtWidgets import QApplication

from app.commands import live
from app.episode.budget_prompt import cost_summary
from app.episode.session import EpisodeSession, SessionStage
from app.main_window import MainWindow
from app.preferences import Preferences
from app.presentation.decision_summary import STOPPED
from app.presentation.formatting import (
    StatusText,
    method_title,
    robot_link_text,
    robot_text,
    waits_for_person,
)
from app.presentation.idle_summary import idle_summary
from app.presentation.robot_words import RobotWatch
from app.runtime.excepthook import error_sentence
from app.welcome import Welcome
from app.widgets.panel import Panel
from core.arm.arm_capabilities import PreflightCheck, SupportsPreflight
from core.arm.handover import SharesArm
from core.config import EpisodeComponents
from core.episode_state import EpisodeState, Phase
from core.policy import HandlesSituations
from core.ports import Embodiment
from core.text.vocabulary import Vocabulary
from core.vqa.budget import Usage

log = logging.getLogger(__name__)

LOOK_UP = 0.5  # seconds that something has to wait before a person elsewhere is called


class SessionDisplay:
    """Shows the state and the components of a session. GUI thread only."""

    def __init__(
        self, window: MainWindow, preferences: Preferences, by: str, halt: Callable[[], None]
    ) -> None:
        """`halt` stops the robot when a panel breaks."""
        self.fault = ""  # why the session failed, or what else broke
        self._window, self._preferences, self._by, self._halt = window, preferences, by, halt
        self._welcome = Welcome(window)
        self._watch = RobotWatch()
        self._broken_panels: set[str] = set()
        self._bound_components: object = None  # those that the widgets know of
        self._notified_at = ("", -1.0)  # who asked for the arm, and since when the episode waited

    def clear(self) -> None:
        """Clear what is left of the session before, for the next one."""
        self.fault, self._broken_panels, self._bound_components = "", set(), None
        self._welcome.reset()
        window = self._window
        window.camera.watch(None)
        window.robot.watch(None)
        window.camera.clear_picture()
        for panel in (window.questions, window.belief, window.plan, window.robot, *window.others):
            panel.clear()

    def show_panels(self, session: EpisodeSession, state: EpisodeState, earlier: Usage) -> Iterator[None]:
        """Show the bars, then panel by panel. `earlier` is what the models of earlier episodes cost."""
        window = self._window
        if self._bind_components(session):
            yield
            yield from self._watch_robot(session)
        over = session.components is None or session.stage is SessionStage.OVER
        robot = None if over or session.components is None else session.components.robot
        words = self._watch.look(robot, state.acting is not None, time.monotonic())
        window.decision.robot = words
        window.top.display(state)
        window.top.show_robot(words)
        window.supervision.display(state)
        window.decision.refused = bool(self.fault)
        starting = session.stage is SessionStage.MAKING and bool(session.making)  # which may take minutes
        window.decision.starting = starting
        window.actions_.set_view_reason("cancel_start", "" if starting else "no robot is being started")
        window.decision.failed_checks = failed_checks(session.components, state)
        self._show_status(session, state)
        if session.components is not None:
            window.top.show_cost(cost_summary(session.components.meter, earlier))
        for panel in window.panels:
            yield
            self._display_panel(panel, state)
        yield

    def _show_status(self, session: EpisodeSession, state: EpisodeState) -> None:
        status = self._window.status
        status.display(state)
        if state.started is None:
            self._show_idle(session)
        elif self.fault and not state.is_running:
            status.show_status(StatusText(self.fault, "fault", "fault"))
        elif session.exhausted_budget is not None:
            status.show_status(StatusText(str(session.exhausted_budget), "diamond", "doubt", mine=True))
        if asks := arm_request(session.components):
            status.show_status(StatusText(asks, "person", mine=True))

    def _show_idle(self, session: EpisodeSession) -> None:
        """Show the set-up before the first event."""
        window, components = self._window, session.components
        if components is None:
            robot = robot_text(session.settings.as_strings()) or "…"
            window.top.show_settings(session.settings, robot, None)
            window.top.show_connecting(not self.fault)
        strip, status = idle_summary(
            session.settings,
            components,
            self.fault,
            ((STOPPED,) if session.begins_stopped() else ()) + window.decision.failed_checks,
            session.making,
            session.start_requested,
        )
        known = components is not None or self.fault != ""
        own = components is None or components.robot.embodiment is Embodiment.SIM
        self._welcome.show(known, self.fault, own and self._preferences.supervision is None)
        window.decision.show_summary(strip)
        window.status.show_status(status)

    def _display_panel(self, panel: Panel, state: EpisodeState) -> None:
        """Display the state in a panel. If the panel raises, show that in its place and halt the robot."""
        if panel.title in self._broken_panels:
            return
        try:
            panel.display(state)
        except Exception as error:
            log.exception("the panel %s broke", panel.title)
            self._broken_panels.add(panel.title)
            self._halt()
            reason = f"{error_sentence(error)}\nIt is still logged."
            panel.show_placeholder("fault", f"This panel broke: {panel.title}", reason, "fault")

    def _bind_components(self, session: EpisodeSession) -> bool:
        """Give the widgets the vocabulary as soon as the components are made; return True if they are new."""
        components, window = session.components, self._window
        if session.stage is SessionStage.OVER:
            window.camera.watch(None)
            window.robot.watch(None)
        if components is None or self._bound_components is components:
            return False
        self._bound_components = components
        vocabulary = Vocabulary.of(components.domain_spec, components.task.problem)
        for panel in window.panels:
            panel.vocabulary = vocabulary
        window.time.set_vocabulary(vocabulary)
        window.decision.vocabulary = window.status.vocabulary = vocabulary
        window.questions.by = window.belief.by = self._by
        window.belief.problem = components.task.problem
        handles = isinstance(components.method, HandlesSituations)
        window.questions.situation_line.setVisible(handles)
        window.actions_.set_view_reason("tell", "" if handles else no_situations(components.method.name))
        settings = components.settings.as_strings()
        robot = robot_text({**settings, "robot": components.robot.name})
        window.top.show_settings(components.settings, robot, components.robot.embodiment)
        window.top.link.show_text(robot_link_text(settings, components.robot.embodiment))
        return True

    def _watch_robot(self, session: EpisodeSession) -> Iterator[None]:
        """Give the widgets the robot: an arm's panel takes long to make, and to find its place."""
        components, window = session.components, self._window
        if components is not None and session.stage is not SessionStage.OVER:
            window.camera.watch(components.robot)
            window.robot.watch(components.robot, components.permits.manual_actuation(self._by))
            yield
            window.make_room_for_robot()
            yield

    def show_actions(self, session: EpisodeSession, state: EpisodeState, lesson: bool) -> None:
        """Enable what a person can do. `lesson`: the episode has paused by itself."""
        window, actions = self._window, self._window.actions_
        actions.display(state, bool(window.questions.draft), window.questions.asked)
        if state.started is None and session.start_requested and not self.fault:
            actions["start"].setEnabled(False)  # it starts by itself
        window.questions.situation_line.set_reason(live(state))
        actions.set_text("approve", "Resume" if lesson else "Approve")
        actions.require_hold("approve", state.embodiment == Embodiment.REAL.value)
        window.status.show_log(session.records)

    def notify_user(self, session: EpisodeSession, state: EpisodeState) -> bool:
        """Notify a person who looks elsewhere, once for each time that the episode waits.

        Return True then where they look here.
        """
        asks = arm_request(session.components)
        mine = waits_for_person(state) or session.exhausted_budget is not None
        now = (asks, state.since)
        if not (mine or asks) or now == self._notified_at or (state.now - state.since < LOOK_UP and not asks):
            return False
        self._notified_at = now
        here = self._window.isActiveWindow()
        if not self._preferences.muted and not here:
            QApplication.alert(self._window)
            QApplication.beep()
        return here


def no_situations(method: str) -> str:
    return f"{method_title(method)} takes no situations: set up a method that does, such as COWP"


def failed_checks(components: EpisodeComponents | None, state: EpisodeState) -> tuple[PreflightCheck, ...]:
    """Return the failed preflight checks of an arm that a person is about to start or release."""
    about = state.started is None or state.phase is Phase.STOPPED
    if not about or components is None or not isinstance(components.robot, SupportsPreflight):
        return ()
    return tuple(c for c in components.robot.preflight() if not c.ok)


def arm_request(components: EpisodeComponents | None) -> str:
    """Return who asks for the arm that this window moves, and where to answer; "" if nobody does."""
    robot = components.robot if components is not None else None
    shared = robot.shared if isinstance(robot, SharesArm) else None
    if shared is None or not shared.moves or not shared.asker:
        return ""
    return f"{shared.asker} asks for the arm: give it up in the Robot panel"
