"""What a person does in the window, handed to the session, the panels and the sheets."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject

from app.desk import Desk
from app.foresight import foresee
from app.looks import Looks
from app.sheets.opener import Opener
from core.belief import Answer, Verdict
from core.episode_state import EpisodeState, Phase
from core.operator import Approve
from core.ports import Embodiment
from core.supervision import SupervisionLevels


class Hands(QObject):
    """Binds every deed. What cannot be done now is off, so nothing here asks whether it can."""

    def __init__(self, desk: Desk, opener: Opener, looks: Looks) -> None:
        super().__init__(desk)
        self.desk, self.window = desk, desk.window
        self._held: EpisodeState | None = None
        self._bind(opener, looks)
        self._listen(opener)

    def _bind(self, opener: Opener, looks: Looks) -> None:
        desk, w = self.desk, self.window
        bound: dict[str, Callable[[], None]] = {
            "start": desk.start,
            "setup": opener.set_up,
            "goal": opener.edit_goal,
            "pause": self.pause,
            "step": self.step,
            "end": self.end,
            "stop": desk.stop,
            "bookmark": self.bookmark,
            "quit": self.quit,
            "approve": self.approve,
            "use": self.use,
            "take": self.take,
            "keep": self.keep,
            "go_on": self.go_on,
            "choose": opener.choose,
            "correct": opener.correct,
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
            "light": looks.light,
            "dark": looks.dark,
            "system": looks.system,
            "lock": looks.lock,
            "calibrate": opener.calibrate,
            "reset": w.reset_layout,
            "mute": looks.mute,
            "reask": opener.ask_again,
            "prompts": opener.show_prompts,
            "keys": opener.show_keys,
            "about": opener.show_about,
        }
        for id, method in bound.items():
            w.actions_.do(id, method)

    def _listen(self, opener: Opener) -> None:
        desk, w = self.desk, self.window
        w.top.stop.pressed.connect(desk.stop)
        w.decision.primary.began.connect(self._began)
        w.decision.primary.ended.connect(self._ended)
        w.top.bell.clicked.connect(w.actions_["mute"].trigger)
        w.dials.changed.connect(self.dial)
        w.camera.aged.connect(w.top.show_frame)
        w.questions.again.follow(w.actions_["reask"])
        w.questions.corrected.connect(self.correct)
        w.questions.drafted.connect(self.drafted)
        w.belief.draft = w.questions.draft
        w.questions.foresee = self.foresee
        w.belief.corrected.connect(self.correct)
        w.belief.undo.follow(w.actions_["undo"])
        w.plan.breakpoints_changed.connect(self.set_breakpoints)
        w.status.opened.connect(opener.show_notes)
        opener.corrected.connect(self.correct)
        opener.adopted.connect(w.questions.adopt)
        opener.undone.connect(self.undo)

    # --- deciding ----------------------------------------------------------------------------------------

    def _began(self) -> None:
        """What a hold began for is what it answers, whatever came meanwhile."""
        self._held = self.desk.story

    def _ended(self) -> None:
        self._held = None

    def _seen(self) -> EpisodeState:
        seen, self._held = self._held or self.desk.story, None
        return seen

    def approve(self) -> None:
        """The step as proposed; where a person took another way to do it, that one."""
        seen = self._seen()
        taken = self.window.camera.offer.taken(seen.proposal)
        if taken is not None:
            self.desk.session.choose(seen, taken)
        else:
            self.desk.session.reply(seen, Approve(self.desk.by))

    def use(self) -> None:
        self.desk.session.use(self.desk.story, self.window.questions.answers())

    def take(self) -> None:
        self.desk.session.consent(self.desk.story, True)

    def keep(self) -> None:
        self.desk.session.consent(self.desk.story, False)

    def go_on(self) -> None:
        self.desk.session.go_on(self._seen())

    def replan(self) -> None:
        self.desk.session.replan()

    def correct(self, answers: tuple[Answer, ...]) -> None:
        self.desk.session.correct(answers)

    def undo(self) -> None:
        """First what has not been handed in, then the last correction."""
        if not self.window.questions.undo_draft():
            self.desk.session.undo()

    # --- going on ----------------------------------------------------------------------------------------

    def pause(self) -> None:
        """Pause, or resume."""
        session = self.desk.session
        session.resume() if self.desk.story.paused else session.pause()

    def step(self) -> None:
        """One step, then a pause; a step that is proposed is approved by it, but on a real robot."""
        session = self.desk.session
        if self.desk.story.embodiment == Embodiment.REAL.value:
            session.pause()
        elif self.desk.story.phase is Phase.WAITING:
            session.pause()
            self.approve()
        else:
            session.single()

    def end(self) -> None:
        self.desk.session.end()

    def bookmark(self) -> None:
        self.desk.session.bookmark()

    def quit(self) -> None:
        self.window.close()

    def dial(self, dials: SupervisionLevels) -> None:
        desk = self.desk
        in_force = desk.session.set_dials(dials)
        self.window.dials.show_dials(in_force)
        desk.memory.dials = in_force
        desk.memory.save()

    def set_breakpoints(self, breakpoints: frozenset[str]) -> None:
        self.window.decision.breakpoints = breakpoints
        self.desk.session.set_breakpoints(breakpoints)

    # --- answering ---------------------------------------------------------------------------------------

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

    def drafted(self) -> None:
        """What was said is shown at once in belief and plan, before it counts."""
        self.window.plan.foretold = self.foresee(self.window.questions.answers())
        self.desk.refresh()

    def foresee(self, answers: tuple[Answer, ...]) -> str:
        parts = self.desk.session.parts
        if parts is None:
            return ""
        naming = self.window.questions.naming
        return foresee(parts.method, parts.task.problem, self.desk.story, answers, naming)

    # --- moving about ------------------------------------------------------------------------------------

    def next(self) -> None:
        (self.window.focused_panel() or self.window.questions).move(1)

    def previous(self) -> None:
        (self.window.focused_panel() or self.window.questions).move(-1)

    def search(self) -> None:
        (self.window.focused_panel() or self.window.belief).search()
