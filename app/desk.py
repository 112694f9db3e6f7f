"""Between window and session: what a person does goes one way, the story comes back the other."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMenu

from app.faults import sentence
from app.foresight import foresee
from app.memory import Memory
from app.naming import Naming
from app.reasons import Reason, Strip
from app.session import Session, Stage
from app.theme import look
from app.theme.look import Mode
from app.widgets.panel import Panel
from app.window import Window
from app.words import Status, waits
from core.config import Maker, Settings
from core.dials import PRESETS, Dials
from core.facts import Answer, Verdict
from core.log.recorder import Recorder
from core.ports import Approve, World
from core.problem import Step
from core.story import Phase, Story

log = logging.getLogger(__name__)

FRAME = 40  # ms between two displays at least
TICK = 250  # ms: ages and running times go on while nothing happens
CLOSING = 8.0  # seconds that a robot has to let go


class Desk(QObject):
    """Screen's thread only, but `stop` and `halt`."""

    def __init__(
        self,
        window: Window,
        make: Maker,
        settings: Settings,
        recorder: Callable[[], Recorder],
        memory: Memory,
        by: str,
        robots: tuple[str, ...] = (),
    ) -> None:
        super().__init__(window)
        self.window, self.memory, self.by, self.robots = window, memory, by, robots
        self.settings = memory.settings(settings)
        self.session: Session | None = None
        self.story = Story()
        self._make, self._recorder = make, recorder
        self._old: list[Session] = []  # closed, and not yet gone
        self._naming_of: object = None
        self._fault = ""
        self._broken: set[str] = set()
        self._told_since = -1.0
        self._dirty = False
        self._pace = QTimer(self, interval=FRAME, singleShot=True)
        self._pace.timeout.connect(self._paced)
        self._ticker = QTimer(self, interval=TICK)
        self._ticker.timeout.connect(self._tick)
        self._ticker.start()
        self._bind()
        window.dials.show_dials(self._dials())
        self.refresh()

    # --- the session -------------------------------------------------------------------------------------

    def _dials(self) -> Dials:
        """A newcomer watches first: one press of Start shows a whole episode."""
        return self.memory.dials or PRESETS["Watch"]

    def prepare(self, settings: Settings) -> None:
        """Make the parts for these settings; whatever was there is closed."""
        self._drop("another episode was set up")
        self.settings, self._fault, self._broken = settings, "", set()
        self.session = Session(self._make, settings, self._recorder, self._dials(), self.by)
        self.session.changed.connect(self._changed, Qt.ConnectionType.QueuedConnection)
        self.session.failed.connect(self._failed, Qt.ConnectionType.QueuedConnection)
        self.session.set_breakpoints(self.window.plan.breakpoints)
        self.window.camera.watch(None)
        self.window.camera.forget()
        self._naming_of = None
        self.session.prepare()
        self.refresh()

    def start(self) -> None:
        if self.session is None or self.session.stage is Stage.OVER:
            self.prepare(self.settings)
        if self.session is not None:
            if self.memory.dials is None:
                self.memory.dials = self._dials()
                self.memory.save()
            self.session.set_dials(self.window.dials.dials)
            self.session.start()
            self.refresh()

    def _drop(self, why: str) -> None:
        if self.session is not None:
            self.session.changed.disconnect(self._changed)
            self.session.failed.disconnect(self._failed)
            self.session.close(why)
            self._old.append(self.session)
            self.session = None

    def close(self) -> bool:
        """Halt the robot, end the episode, wait for its thread. Returns whether nothing is left."""
        self._ticker.stop()
        self.window.camera.watch(None)
        self._drop("the window was closed")
        gone = [session.join(CLOSING) for session in self._old]
        self._old.clear()
        return all(gone)

    # --- stopping: any thread ----------------------------------------------------------------------------

    def stop(self) -> None:
        """Esc, or the button."""
        if self.session is not None:
            self.session.stop("You stopped it.")

    def halt(self) -> None:
        """A part of the window broke."""
        if self.session is not None and self.session.story.live:
            self.session.stop("A part of the program broke.")

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
        if session is not None:
            story = session.story
            self.story = replace(story, now=session.now()) if story.live else story
            self._meet_parts(session)
        else:
            self.story = Story()
        story = self.story
        window.actions_.display(story)
        if window.questions.drafts:
            window.actions_["undo"].setEnabled(True)
        window.actions_.hold("approve", story.world == World.REAL.value)
        window.top.display(story)
        if story.started is not None or session is None:
            window.dials.display(story)
        window.decision.display(story)
        if story.started is None:
            self._show_idle()
        for panel in window.panels:
            self._show(panel, story)
        window.status.display(story)
        if self._fault and not story.live:
            window.status.say(Status(self._fault, "fault", "fault"))
        window.status.show_log(session.records if session else 0, story)
        self._notify(story)

    def _show(self, panel: Panel, story: Story) -> None:
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

    def _meet_parts(self, session: Session) -> None:
        """Once the parts are there: how things are called, and the live picture."""
        parts = session.parts
        if parts is None or self._naming_of is parts:
            if session.stage is Stage.OVER:
                self.window.camera.watch(None)
            return
        self._naming_of = parts
        naming = Naming.of(parts.folder, parts.task.problem)
        for panel in self.window.panels:
            panel.naming = naming
        self.window.time.speak(naming)
        self.window.decision.naming = self.window.status.naming = naming
        self.window.questions.by = self.window.belief.by = self.by
        self.window.camera.watch(parts.robot)
        self.window.top.show_settings(session.settings, parts.robot.name, parts.robot.world)
        self.window.top.show_link("local" if parts.robot.world is World.SIM else "open")

    def _show_idle(self) -> None:
        """Before the first event."""
        session, window = self.session, self.window
        parts = session.parts if session else None
        making = session is not None and session.stage is Stage.MAKING
        words = parts.task.description if parts else ""
        name = self.settings.task.replace("_", " ") if not self.settings.domain_file else "your problem"
        if parts is None:
            window.top.show_settings(self.settings, self.settings.robot or "…", World.SIM)
        if self._fault:
            ready = Reason("BECAUSE", "It cannot start", (self._fault,), "fault")
        elif making:
            ready = Reason("BECAUSE", "The robot is being made", ("this takes a moment",))
        else:
            robot = parts.robot.name if parts else "the robot"
            ready = Reason(
                "BECAUSE",
                "Everything is ready",
                (f"{robot}, {self.settings.answerer}, {self.settings.method}",),
            )
        quiet = Reason(
            "DOUBT",
            "Nothing moves until you press Start",
            ("no key is needed, nothing leaves this computer",),
        )
        window.decision.say(Strip(Reason("NEXT, IF YOU START", name, (words,), glyph="play"), ready, quiet))
        window.status.say(
            Status(
                "Making the robot." if making else "Ready. Nothing moves until you press Start.",
                "clock" if making else "check",
            )
        )

    def _failed(self, why: str) -> None:
        self._fault = why
        self.refresh()

    def fault(self, why: str) -> None:
        """Something broke outside a panel."""
        self._fault = why
        if self.session is not None:
            self.session.note("fault", why)
        self.refresh()

    def _notify(self, story: Story) -> None:
        """Once for each time that something waits for a person who looks elsewhere."""
        if not waits(story) or story.since == self._told_since or story.now - story.since < 0.5:
            return
        self._told_since = story.since
        if not self.memory.muted and not self.window.isActiveWindow():
            QApplication.alert(self.window)
            QApplication.beep()

    # --- doing -------------------------------------------------------------------------------------------

    def _bind(self) -> None:
        w = self.window
        bound: dict[str, Callable[[], None]] = {
            "start": self.start,
            "setup": self.set_up,
            "goal": self.edit_goal,
            "pause": self.pause,
            "step": self.step,
            "end": self.end,
            "stop": self.stop,
            "bookmark": self.bookmark,
            "quit": self.quit,
            "approve": self.approve,
            "use": self.use,
            "take": self.take,
            "keep": self.keep,
            "go_on": self.go_on,
            "choose": self.choose,
            "correct": self.correct,
            "replan": self.replan,
            "undo": self.undo,
            "break": w.plan.toggle_breakpoint,
            "yes": self.yes,
            "no": self.no,
            "unknown": self.unknown,
            "next": self.next,
            "previous": self.previous,
            "see": w.camera.enter,
            "ask": w.questions.enter,
            "believe": w.belief.enter,
            "plan": w.plan.enter,
            "search": self.search,
            "still": w.camera.toggle_still,
            "light": self.light,
            "dark": self.dark,
            "system": self.system,
            "lock": self.lock,
            "reset": w.reset_layout,
            "mute": self.mute,
            "keys": self.show_keys,
            "about": self.show_about,
        }
        for id, method in bound.items():
            w.actions_.do(id, method)
        w.top.stop.pressed.connect(self.stop)
        w.top.bell.clicked.connect(w.actions_["mute"].trigger)
        w.top.bell.setChecked(self.memory.muted)
        w.actions_["mute"].setChecked(self.memory.muted)
        w.actions_["lock"].setChecked(self.memory.locked)
        w.actions_[self.memory.mode.value].setChecked(True)
        w.dials.changed.connect(self._dialled)
        w.camera.aged.connect(w.top.show_frame)
        w.questions.corrected.connect(self._corrected)
        w.questions.drafted.connect(self.refresh)
        w.questions.foresee = self._foresee
        w.belief.corrected.connect(self._corrected)
        w.belief.undo.clicked.connect(self.undo)
        w.plan.breakpoints_changed.connect(self._broke_at)
        w.status.opened.connect(self.show_notes)

    def approve(self) -> None:
        if self.session is not None:
            self.session.reply(Approve(self.by))

    def use(self) -> None:
        if self.session is not None:
            self.session.use(self.window.questions.answers())

    def take(self) -> None:
        if self.session is not None:
            self.session.consent(True)

    def keep(self) -> None:
        if self.session is not None:
            self.session.consent(False)

    def go_on(self) -> None:
        if self.session is not None:
            self.session.go_on()

    def replan(self) -> None:
        if self.session is not None:
            self.session.replan()

    def undo(self) -> None:
        if not self.window.questions.undo_draft() and self.session is not None:
            self.session.undo()

    def pause(self) -> None:
        """Pause, or resume."""
        if self.session is not None:
            self.session.resume() if self.story.paused else self.session.pause()

    def step(self) -> None:
        if self.session is not None:
            if self.story.phase is Phase.WAITING:
                self.session.pause()
                self.approve()
            else:
                self.session.single()

    def end(self) -> None:
        if self.session is not None:
            self.session.end()

    def bookmark(self) -> None:
        if self.session is not None:
            self.session.bookmark()

    def quit(self) -> None:
        self.window.close()

    def yes(self) -> None:
        self._judge(Verdict.YES)

    def no(self) -> None:
        self._judge(Verdict.NO)

    def unknown(self) -> None:
        self._judge(Verdict.UNKNOWN)

    def _judge(self, verdict: Verdict) -> None:
        """Of the belief where the focus is there, else of the focused question."""
        if self.window.focused_panel() is self.window.belief:
            self.window.belief.judge(verdict)
        else:
            self.window.questions.judge(verdict)

    def _corrected(self, answers: tuple[Answer, ...]) -> None:
        if self.session is not None:
            self.session.correct(answers)

    def _foresee(self, answers: tuple[Answer, ...]) -> str:
        parts = self.session.parts if self.session else None
        return foresee(parts.method, self.story, answers, self.window.questions.naming) if parts else ""

    def _dialled(self, dials: Dials) -> None:
        self.memory.dials = dials
        self.memory.save()
        if self.session is not None:
            self.window.dials.show_dials(self.session.set_dials(dials))

    def _broke_at(self, breakpoints: frozenset[str]) -> None:
        self.window.decision.breakpoints = breakpoints
        if self.session is not None:
            self.session.set_breakpoints(breakpoints)

    def next(self) -> None:
        (self.window.focused_panel() or self.window.questions).move(1)

    def previous(self) -> None:
        (self.window.focused_panel() or self.window.questions).move(-1)

    def search(self) -> None:
        (self.window.focused_panel() or self.window.belief).search()

    # --- looks -------------------------------------------------------------------------------------------

    def light(self) -> None:
        self._colour(Mode.LIGHT)

    def dark(self) -> None:
        self._colour(Mode.DARK)

    def system(self) -> None:
        self._colour(Mode.SYSTEM)

    def _colour(self, mode: Mode) -> None:
        for other in Mode:
            self.window.actions_[other.value].setChecked(other is mode)
        self.memory.mode = mode
        self.memory.save()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        look.apply(app, mode)

    def lock(self) -> None:
        self.memory.locked = self.window.actions_["lock"].isChecked()
        self.memory.save()
        self.window.lock_panels(self.memory.locked)

    def mute(self) -> None:
        self.memory.muted = self.window.actions_["mute"].isChecked()
        self.memory.save()
        self.window.top.bell.setChecked(self.memory.muted)
        name = "Muted (Ctrl+M)" if self.memory.muted else "Mute (Ctrl+M)"
        self.window.top.bell.rename(name, "mute" if self.memory.muted else "bell")

    # --- sheets ------------------------------------------------------------------------------------------

    def set_up(self) -> None: ...

    def edit_goal(self) -> None: ...

    def choose(self) -> None: ...

    def correct(self) -> None: ...

    def _choose(self, step: Step) -> None:
        if self.session is not None:
            self.session.choose(step)

    def show_keys(self) -> None: ...

    def show_about(self) -> None: ...

    def show_notes(self) -> None:
        """What was noted, latest first."""
        menu = QMenu(self.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for note in reversed(self.story.notes[-20:]):
            menu.addAction(f"{note.level}: {note.text}")
        if menu.isEmpty():
            menu.addAction("Nothing was noted").setEnabled(False)
        menu.popup(self.window.status.mapToGlobal(self.window.status.rect().topRight()))
