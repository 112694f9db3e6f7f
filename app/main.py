"""Open the window and close it again without leaving anything behind."""

from __future__ import annotations

import logging
import sys
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from PySide6.QtCore import QObject, QSettings, Qt, QTimer, Signal
from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from app.appearance import Appearance
from app.command_bindings import CommandBindings
from app.commands import Choice
from app.console_controller import ConsoleController
from app.controls.button import Button
from app.demo import VISITOR, Demo, check_simulated, simulated_only
from app.dialogs.dialog_manager import Calibrator, DialogManager, Look
from app.drafting.room import DraftingRoom
from app.ghost_future import GhostFuture, GhostFutures
from app.handover_summary import HandoverSummary
from app.live_links import LiveLinks
from app.main_window import MainWindow
from app.past_view import LivePast, PastView
from app.preferences import Preferences
from app.presentation.because import not_as_approved
from app.review.log_worker import LogWorker
from app.review.review_window import ReviewWindow
from app.runtime.excepthook import ExceptHook
from app.runtime.memory import GuiThreadCollector, set_mmap_threshold
from app.runtime.os_signals import OsSignalListener
from app.stopkey import HoldKey, StopKey
from app.theme import styling
from app.wishes.sheet_window import SheetWindow
from core.config import ComponentFactory, EpisodeComponents, Settings
from core.drafting.source import DraftingTools, DraftSource
from core.errors import ConsoleError, LogError
from core.install_paths import config_folder, resource_path
from core.log.knowledge_store import KnowledgeStore
from core.log.recorder import Recorder
from core.operator import operator_name
from core.planning_model import Plan
from core.ports import Embodiment
from core.review.fork import Fork, fork_factory
from core.robots import RobotRegistry
from core.wishes.judging import Look as TableLook

log = logging.getLogger(__name__)
SWITCH = 0.0001  # seconds that a thread which computes keeps the screen's waiting, up to 80 times in a turn


class LazyRecorder:
    """The program's only recorder, opened when an episode first needs it. Any thread."""

    def __init__(self, database: Path) -> None:
        self._database, self._lock = database, threading.Lock()
        self._recorder: Recorder | None = None

    def __call__(self) -> Recorder:
        """Return the recorder. Raises LogError."""
        with self._lock:
            if self._recorder is None:
                self._recorder = Recorder.open(self._database)
            return self._recorder

    def close(self) -> None:
        with self._lock:
            if self._recorder is not None:
                try:
                    self._recorder.close()
                except LogError as error:
                    log.error("%s", error)


class Console(QObject):
    """Connects the window, the controller, the stop key and the exception hook."""

    asked_to_end = Signal()  # by a signal, on whose thread the robot has been halted

    def __init__(
        self,
        app: QApplication,
        make: ComponentFactory,
        settings: Settings,
        database: Path,
        preferences: Preferences,
        robots: RobotRegistry,
        open_calibration: Calibrator | None = None,
        look_at_table: Look | None = None,
        demo: str = "",
        drafting: DraftingTools | None = None,
    ) -> None:
        """`demo` is the word that leaves a demo, "" for a window that is none."""
        super().__init__()
        if demo:
            make, open_calibration, look_at_table = simulated_only(make, robots), None, None
            preferences.is_kept = False
        wished = bool(settings.options_for("method").get("words"))  # a sheet is opened with them
        set_mmap_threshold()
        styling.apply(app, preferences.mode)
        self.app, self.preferences, self.log = app, preferences, LazyRecorder(database)
        self._robots = robots
        self.collector = GuiThreadCollector()
        self.window = MainWindow()
        self.controller = ConsoleController(
            self.window,
            fork_factory(make),
            settings if wished else preferences.settings(settings, robots),
            self.log,
            preferences,
            VISITOR if demo else operator_name(),
            None if demo else KnowledgeStore(database.parent / "knowledge"),
        )
        self.dialogs = DialogManager(
            self.controller, robots, database.parent, open_calibration, look_at_table
        )
        self.appearance = Appearance(app, self.window, preferences)
        self.bindings = CommandBindings(self.controller, self.dialogs, self.appearance)
        self.past = LivePast(self, database)
        self.past_view = PastView(self.controller, self.past)
        self.past_view.corrected.connect(self.bindings.correct)
        self.ghosts = GhostFutures(self.controller)
        self.ghosts.changed.connect(self._show_ghost)
        self._make, self.log_worker = make, LogWorker(database)
        self._review: ReviewWindow | None = None
        self._room: DraftingRoom | None = None
        self._drafting, self._database = None if demo else drafting, database
        if self._drafting is None:
            self.window.actions_.set_view_reason("draft", "there is no game here to draft from")
        self._sheet: SheetWindow | None = None
        self._wished, self._folder = settings if wished else None, database.parent / "wishes"
        self.live_links = LiveLinks(
            self.controller, self.log_worker, make, self._show_moment, self._is_in_use
        )
        self.handover = HandoverSummary(self.controller, self.past.show_turn)
        self.window.actions_.act_on(self)
        self._settled: EpisodeComponents | None = None
        self.controller.shown.connect(self._settle)
        self.faults = ExceptHook(self.controller.halt)
        self.faults.error_occurred.connect(self.controller.fault)
        self.stop_key = StopKey(app, self.window, self.controller.stop, self._quits)
        hold_key = HoldKey(app, self.window, self.window.decision.primary)
        self.stop_key.handlers += (hold_key.handle, self.ghosts.handle)
        app.focusWindowChanged.connect(self._show_focus)
        app.commitDataRequest.connect(self._session_ends, Qt.ConnectionType.DirectConnection)
        self.window.closing.connect(self.close)
        self.asked_to_end.connect(self.window.close, Qt.ConnectionType.QueuedConnection)
        self.left_behind = False
        self._closed = False
        # Qt's file dialog waits for the lock of its settings, which another program may hold: not these.
        self._qt_settings = TemporaryDirectory(prefix="dkprompt-", ignore_cleanup_errors=True)
        scope, form = QSettings.Scope.UserScope, QSettings.Format.NativeFormat
        QSettings.setPath(form, scope, self._qt_settings.name)
        self.demo = (
            Demo(self.controller, self.dialogs, self.appearance, self.stop_key, demo) if demo else None
        )

    @property
    def room(self) -> DraftingRoom:
        """The drafting room, made when it is first asked for."""
        if self._room is None:
            assert self._drafting is not None
            last = DraftSource.again(self.preferences.draft)
            self._room = DraftingRoom(self.window, self._drafting, self._database, last)
            self._room.shown.connect(self._drafts)
            self._room.runner.run.connect(self._run_draft)
        return self._room

    def draft(self) -> None:
        """Open the drafting room once the menu is closed, or close it."""
        QTimer.singleShot(0, self.room.toggle)

    def _drafts(self, on: bool) -> None:
        self.window.actions_.set_blocked("the drafting room covers the panels" if on else "")
        buttons = self.room.buttons if on else ()
        self.dialogs.more_choices = lambda: map(_choice, buttons)

    def _run_draft(self, folder: Path) -> None:
        """Run a drafted domain at once, with the robot that it names."""
        if self.controller.state.is_running:
            self.room.tell("An episode is running: end it, then run the draft.", "fault")
            return
        self.room.toggle()
        self.controller.goal = None
        self.controller.prepare(Settings(task="", domain=str(folder)))
        self.controller.start()

    @property
    def review(self) -> ReviewWindow:
        """The review, made when it is first asked for: it has as many widgets as all the rest."""
        if self._review is None:
            self._review = ReviewWindow(
                self.window, self.log_worker, self.controller.by, self._make, self._is_in_use
            )
            self._review.shown.connect(self._reviewing)
            self._review.forked.connect(self._fork)
            self._review.wished.connect(lambda *logged: self.sheet.show_logged(*logged))
        return self._review

    @property
    def sheet(self) -> SheetWindow:
        """The sheet of a wish, made when it is first asked for."""
        if self._sheet is None:
            controller, settings = self.controller, lambda: self.controller.settings
            self._sheet = SheetWindow(
                self.window, self._robots, settings, self._seen, controller.by, self._folder
            )
            controller.shown.connect(self._sheet.follow)
            self._sheet.shown.connect(self._wishing)
            self._sheet.approved.connect(self._do_wish)
        return self._sheet

    def _seen(self) -> TableLook | None:
        """Return what the robot of this episode, or of the one that has ended, last said of its scene."""
        state, parts = self.controller.state, self.controller.session.components
        if state.scene is None or parts is None:
            return None
        seen = parts.domain_spec, parts.task.problem, state.scene, state.frame
        return TableLook(*seen, is_over=not state.is_running)

    def show(self) -> None:
        self.window.restore(*self.preferences.geometry())
        self.window.show()
        self.window.setFocus()
        self._show_focus()  # another window may keep the focus, and then no event says so
        self.controller.refresh()
        QTimer.singleShot(0, self._prepare)

    def _prepare(self) -> None:
        if not self._closed:
            self.controller.begin()
            if self._wished is not None:
                self.sheet.ask(self._wished)

    def _settle(self) -> None:
        """Collect garbage once, when an episode's components are made."""
        components = self.controller.session.components
        if components is not None and components is not self._settled:
            self._settled = components
            self.collector.collect_all()

    def _show_focus(self) -> None:
        focused = self.app.focusWindow() is not None
        self.window.top.show_focus(focused)
        self.handover.on_focus_changed(focused)

    def _show_ghost(self, future: GhostFuture | None) -> None:
        """Show in the plan what would follow from an answer."""
        words = f"if you answer {future.verdict.value}" if future else ""
        self.window.plan.show_ghost(future.change if future else None, words)

    def _reviewing(self, on: bool) -> None:
        self.window.actions_.set_blocked("the review covers the panels" if on else "")
        self.dialogs.more_choices = self.review.choices if on else tuple

    def _wishing(self, on: bool) -> None:
        if on and self._review is not None and self._review.isVisible():
            self._review.toggle()
        self.window.actions_.set_blocked("the sheet of the wish covers the panels" if on else "")
        self.dialogs.more_choices = self.sheet.choices if on else tuple

    def _do_wish(self, settings: Settings, plan: Plan) -> None:
        """Start the episode that does what was approved; its steps pass the gate like any other's.

        At a plan that is another one than the approved it pauses, before any step of it.
        """
        if self.controller.state.is_running:
            self.controller.fault("An episode is running: end it, and approve the wish again.")
            return
        self.controller.goal = None
        self.controller.pause_at = partial(not_as_approved, plan)
        self.controller.prepare(settings)
        self.controller.start()

    def _show_moment(self, episode: str, number: int | None = None) -> None:
        if self.demo is None:  # the log is not the visitors' to read
            self.review.show_moment(episode, number)

    def _fork(self, fork: Fork) -> None:
        """Continue from a logged moment; afterwards Start runs the same task from its beginning."""
        if self.controller.state.is_running:
            self.review.show_fault("An episode is running: end it before you fork another.")
            return
        try:  # before Start, which makes it again, takes for a person's choice what only the log names
            simulated = not fork.robot or self._robots.is_simulated(fork.robot, fork.options_for("robot"))
        except ConsoleError as error:
            self.review.show_fault(str(error))
            return
        if not simulated and self._is_in_use(fork):
            fork = replace(fork, is_robot_in_use=True)
        elif not simulated:
            self.review.show_fault(f"{fork.robot} may be a real robot: fork a simulated episode.")
            return
        self.controller.goal = None
        self.controller.prepare(fork)
        self.controller.settings = fork.base_settings
        self.review.toggle()
        self.controller.start()

    def _is_in_use(self, settings: Settings) -> bool:
        """Return True if a person uses this robot, a simulator, now with the same options. Any thread."""
        components = self.controller.session.components
        if components is None or components.robot.embodiment is not Embodiment.SIM:
            return False
        now = components.settings
        return (now.robot, now.options_for("robot")) == (settings.robot, settings.options_for("robot"))

    def signalled(self, number: int) -> bool:
        """Halt at once on Ctrl+C, SIGTERM or SIGHUP, then close the window. Any thread. Return True."""
        self._quits()
        self.asked_to_end.emit()
        return True

    def _quits(self) -> None:
        if self.demo is not None:
            self.demo.is_left = True  # nobody is asked for the word
        self.controller.end_sessions("the program was asked to end")

    def _session_ends(self) -> None:
        """Stop when the person logs out; they can release it if they stay after all."""
        self.controller.session.stop("The session of the desktop ends.")

    def close(self) -> None:
        """Close the program. Halt the robot first, before anything that may take long. Idempotent."""
        if self._closed:
            return
        self._closed = True
        gone = self.controller.close()
        self.dialogs.close()
        self.preferences.save_geometry(self.window.saveGeometry(), *self.window.layout_.states)
        log_closed = self._review.close_log() if self._review is not None else self.log_worker.close()
        if self._room is not None:
            self.preferences.draft = self._room.source.source.remembered
            self.preferences.save()
        drafted = self._room is None or self._room.runner.close()
        drafted &= self._sheet is None or self._sheet.close_work()
        parts = drafted, self.live_links.close(), log_closed, self.past.close(), self.ghosts.close(), gone
        self.left_behind = not all(parts)
        self.log.close()
        self.app.focusWindowChanged.disconnect(self._show_focus)
        self.app.commitDataRequest.disconnect(self._session_ends)
        self.app.removeEventFilter(self.stop_key)
        self.faults.restore()
        self.collector.close()


def run(
    make: ComponentFactory,
    settings: Settings,
    database: Path,
    *,
    reset: bool = False,
    robots: RobotRegistry,
    folder: Path | None = None,
    open_calibration: Calibrator | None = None,
    look_at_table: Look | None = None,
    demo: str = "",
    drafting: DraftingTools | None = None,
    draft: DraftSource | None = None,
) -> int:
    """Open the window; return an exit code when it is closed. Raises BadValue.

    `robots` is the table of robots; `folder` is where preferences are kept, by default the user's
    configuration folder; `reset` deletes them first. `demo` is the word that leaves a demo, if it is one.
    `draft` opens the drafting room, which needs `drafting`.
    """
    if demo:
        check_simulated(settings, robots)
    sys.setswitchinterval(SWITCH)
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("DKPROMPT Console")
    app.setDesktopFileName("dkprompt-console")
    app.setWindowIcon(QIcon(str(resource_path("resources", "desktop", "dkprompt-console.svg"))))
    place = folder or config_folder()
    if reset:
        Preferences(place).reset()
    preferences = Preferences.load(place)
    console = Console(
        app, make, settings, database, preferences, robots, open_calibration, look_at_table, demo, drafting
    )
    with OsSignalListener(console.signalled):
        console.show()
        if draft is not None:
            console.room.source.show_source(draft)
            console.room.toggle()
        code = app.exec()
        console.close()
    return 1 if console.left_behind else code


def _choice(button: Button) -> Choice:
    """Return what a button does, as the palette lists it."""
    reason = "" if button.isEnabled() else button.toolTip()
    return Choice(button.text(), "In the drafting room", button.key, button.click, button.icon_name, reason)
