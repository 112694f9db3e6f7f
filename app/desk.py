"""Between window and session: sessions come and go, and every widget is shown the story of now."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication

from app.faults import sentence
from app.idle import idle
from app.memory import Memory
from app.naming import Naming
from app.session import Session, Stage
from app.sheets.sheet import Sheet
from app.spending import bill
from app.widgets.panel import Panel
from app.window import Window
from app.words import Status, waits
from core.arm_capabilities import PreflightCheck, SupportsPreflight
from core.config import ComponentFactory, Settings
from core.episode_state import EpisodeState, Phase
from core.log.recorder import Recorder
from core.planning_model import Literal
from core.ports import Embodiment
from core.supervision import SUPERVISION_PRESETS, SupervisionLevels
from core.vqa.budget import Meter

log = logging.getLogger(__name__)

FRAME = 40  # ms between two displays at least
TICK = 250  # ms: ages and running times go on while nothing happens
CLOSING = 8.0  # seconds that a robot has to let go
LOOK_UP = 0.5  # seconds that something has to wait before a person elsewhere is called
WELCOME = "Watch a whole episode in two minutes"
EXPLAINED = (
    "The robot looks, a simulated model answers questions about the picture, and where the answers do not "
    "agree with the plan it plans again. No key, no robot, nothing leaves this computer."
)


class Desk(QObject):
    """Screen's thread only, but `stop`, `halt` and `leave`."""

    shown = Signal()  # every widget shows the story of now

    def __init__(
        self,
        window: Window,
        make: ComponentFactory,
        settings: Settings,
        recorder: Callable[[], Recorder],
        memory: Memory,
        by: str,
    ) -> None:
        super().__init__(window)
        self.window, self.memory, self.by = window, memory, by
        self.settings = memory.settings(settings)
        self.goal: tuple[Literal, ...] | None = None  # of the next episode; None: the task's own
        self.sheet: Sheet | None = None
        self.story = EpisodeState()
        self._make, self._recorder = make, recorder
        self._old: list[Session] = []  # closed, and not yet gone
        self._met: object = None  # the parts that the widgets know of
        self._earlier = Meter()  # what the models of earlier episodes have cost since the window was opened
        self._fault = ""
        self._broken: set[str] = set()
        self._called = -1.0
        self._welcomed = (False, "")
        self._dirty = False
        self._pace = QTimer(self, interval=FRAME, singleShot=True)
        self._pace.timeout.connect(self._paced)
        self._ticker = QTimer(self, interval=TICK)
        self._ticker.timeout.connect(self._tick)
        window.dials.show_dials(self._dials())
        window.robot.did.connect(self._by_hand)
        self.session = self._new_session()

    # --- sessions ----------------------------------------------------------------------------------------

    def _dials(self) -> SupervisionLevels:
        """A newcomer watches first: one press of Start shows a whole episode."""
        return self.memory.dials or SUPERVISION_PRESETS["Watch"]

    def _new_session(self) -> Session:
        session = Session(self._make, self.settings, self._recorder, self._dials(), self.by, self.goal)
        session.set_breakpoints(self.window.plan.breakpoints)
        session.changed.connect(self._changed, Qt.ConnectionType.QueuedConnection)
        session.failed.connect(self._failed, Qt.ConnectionType.QueuedConnection)
        return session

    def begin(self) -> None:
        """Make the first session's parts."""
        self._ticker.start()
        self.session.prepare()
        self.refresh()

    def prepare(self, settings: Settings) -> None:
        """Make the parts for these settings; whatever was there is closed."""
        self._drop("another episode was set up")
        self.settings, self._fault, self._broken, self._met = settings, "", set(), None
        self._welcomed = (False, "")
        self.window.camera.watch(None)
        self.window.robot.watch(None)
        self.window.camera.forget()
        window = self.window
        for panel in (window.questions, window.belief, window.plan, window.robot, *window.others):
            panel.clear()
        self.session = self._new_session()
        self.session.prepare()
        self.refresh()

    def start(self) -> None:
        """Run an episode; after one is over, the same again."""
        if self.session.stage is Stage.OVER:
            self.prepare(self.settings)
        if self.memory.dials is None:
            self.memory.dials = self._dials()
            self.memory.save()
        self.session.set_dials(self.window.dials.dials)
        self.session.start()
        self.refresh()

    def _drop(self, why: str) -> None:
        self.session.close(why)  # which halts: before anything that might fail
        self.session.changed.disconnect(self._changed)
        self.session.failed.disconnect(self._failed)
        self._old.append(self.session)
        if self.session.parts is not None:
            self._earlier.add_usage(self.session.parts.meter.usage)

    def close(self) -> bool:
        """Halt the robot, end the episode, wait for its thread. Returns whether nothing is left."""
        self.leave("the window was closed")
        self._ticker.stop()
        self._pace.stop()
        self.window.camera.watch(None)
        self.window.robot.watch(None)
        if self.sheet is not None:
            self.sheet.reject()
        self._drop("the window was closed")
        gone = [session.join(CLOSING) for session in self._old]
        self._old.clear()
        return all(gone)

    # --- stopping: any thread ----------------------------------------------------------------------------

    def stop(self) -> None:
        """Esc, or the button."""
        self.session.stop("You stopped it.")

    def halt(self) -> None:
        """A part of the program broke."""
        self.session.stop("A part of the program broke.")

    def leave(self, why: str) -> None:
        """The program ends: halt whatever it moves, and let nothing follow."""
        for session in (self.session, *self._old):
            session.close(why)

    # --- showing -----------------------------------------------------------------------------------------

    def _changed(self) -> None:
        if self._pace.isActive():
            self._dirty = True
        else:
            self.refresh()
            self._pace.start()

    def _paced(self) -> None:
        if self._dirty:
            self._dirty = False
            self.refresh()
            self._pace.start()

    def _tick(self) -> None:
        self._old = [session for session in self._old if not session.join(0)]
        if not self._pace.isActive():
            self.refresh()

    def refresh(self) -> None:
        """Every widget shows the story of now."""
        session, window = self.session, self.window
        story = session.story
        self.story = story = replace(story, now=session.now()) if story.is_running else story
        self._meet(session)
        window.actions_.display(story)
        if window.questions.drafts:
            window.actions_["undo"].setEnabled(True)
        window.actions_.hold("approve", story.embodiment == Embodiment.REAL.value)
        window.top.display(story)
        window.dials.display(story)
        window.decision.refused = bool(self._fault)
        window.decision.wrong = self._wrong()
        window.decision.display(story)
        window.status.display(story)
        if story.started is None:
            self._show_idle()
        elif self._fault and not story.is_running:
            window.status.say(Status(self._fault, "fault", "fault"))
        elif session.short is not None:
            window.status.say(Status(str(session.short), "diamond", "doubt", mine=True))
        if session.parts is not None:
            window.top.show_bill(bill(session.parts.meter, self._earlier.usage))
        for panel in window.panels:
            self._show(panel, story)
        window.status.show_log(session.records, story)
        if (show := getattr(self.sheet, "display", None)) is not None:
            show(story)
        self._call(story)
        self.shown.emit()

    def _show(self, panel: Panel, story: EpisodeState) -> None:
        """A panel that breaks is told so in its place; the others go on, and the robot is halted."""
        if panel.title in self._broken:
            return
        try:
            panel.display(story)
        except Exception as error:
            log.exception("the panel %s broke", panel.title)
            self._broken.add(panel.title)
            self.halt()
            panel.tell(
                "fault", f"This panel broke: {panel.title}", sentence(error), "fault", "The log goes on"
            )

    def _meet(self, session: Session) -> None:
        """Once the parts are there: how things are called, and the live picture."""
        parts, window = session.parts, self.window
        if session.stage is Stage.OVER:
            window.camera.watch(None)
            window.robot.watch(None)
        if parts is None or self._met is parts:
            return
        self._met = parts
        naming = Naming.of(parts.domain_spec, parts.task.problem)
        for panel in window.panels:
            panel.naming = naming
        window.time.speak(naming)
        window.decision.naming = window.status.naming = naming
        window.questions.by = window.belief.by = self.by
        if session.stage is not Stage.OVER:
            window.camera.watch(parts.robot)
            window.show_robot(parts.robot, self.by)
        window.top.show_settings(session.settings, parts.robot.name, parts.robot.embodiment)
        window.top.show_link("local" if parts.robot.embodiment is Embodiment.SIM else "open")

    def _show_idle(self) -> None:
        """Before the first event."""
        parts = self.session.parts
        if parts is None:
            self.window.top.show_settings(self.settings, self.settings.robot or "…", Embodiment.SIM)
        strip, status = idle(self.settings, parts, self._fault, self.window.decision.wrong)
        self._welcome(parts is not None or self._fault != "")
        self.window.decision.say(strip)
        self.window.status.say(status)

    def _wrong(self) -> tuple[PreflightCheck, ...]:
        """What an arm lacks, while a person is about to let it begin, or go on."""
        parts, story = self.session.parts, self.story
        about = story.started is None or story.phase is Phase.STOPPED
        if not about or parts is None or not isinstance(parts.robot, SupportsPreflight):
            return ()
        return tuple(c for c in parts.robot.preflight() if not c.ok)

    def _welcome(self, known: bool) -> None:
        """What to do first, in the panels that are still empty; what is in the way, with the way out."""
        window, actions = self.window, self.window.actions_
        if (known, self._fault) == self._welcomed:
            return
        self._welcomed = (known, self._fault)
        if self._fault:
            window.plan.tell("fault", "It cannot start", self._fault, "fault", "Earlier episodes are kept")
            window.plan.notice.offer((actions["setup"], "pencil", ""))
        elif known and self.memory.dials is None:
            window.questions.tell("play", WELCOME, EXPLAINED, kept="Nothing moves until you press Start")
            start, setup = (actions["start"], "play", "Enter"), (actions["setup"], "pencil", "")
            window.questions.notice.offer(start, setup)

    def _failed(self, why: str) -> None:
        self._fault = why
        self.refresh()

    def _by_hand(self, words: str) -> None:
        """What a person did with the arm belongs into the log."""
        self.session.note("info", f"{self.by} {words}.")

    def fault(self, why: str) -> None:
        """Something broke outside a panel."""
        self._fault = why
        self.session.note("fault", why)
        self.refresh()

    def _call(self, story: EpisodeState) -> None:
        """Once for each time that something waits for a person who looks elsewhere."""
        mine = waits(story) or self.session.short is not None
        if not mine or story.since == self._called or story.now - story.since < LOOK_UP:
            return
        self._called = story.since
        if not self.memory.muted and not self.window.isActiveWindow():
            QApplication.alert(self.window)
            QApplication.beep()
