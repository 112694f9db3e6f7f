"""Show an earlier moment in the docks of camera, questions, belief and plan; all else stays as it is now."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.console_controller import ConsoleController
from app.live_past import LivePast
from app.presentation.formatting import clock
from app.review.replay_camera import ReplayCamera
from app.widgets.belief.belief_panel import BeliefPanel
from app.widgets.panel import Panel
from app.widgets.plan.plan_panel import PlanPanel
from app.widgets.questions.card_view import CardView
from app.widgets.questions.draft import operator_answer
from app.widgets.questions.question_panel import QuestionPanel
from core.belief import Verdict
from core.episode_state import EpisodeState, TimelineMark, TimelineTrack


class PastQuestions(QuestionPanel):
    """The cards of an earlier moment; a verdict corrects what is believed now, if it rests on that answer."""

    def __init__(self) -> None:
        super().__init__()
        self.live = EpisodeState()
        self.reask.hide()

    def _judged(self, view: CardView, verdict: Verdict) -> None:
        card = view.card
        if card is None or card.model is None:
            return
        self._focus_view(view)
        about = card.query.atom_verdict(verdict)
        if not self.live.is_running or not card.counts_in(self.live.belief):
            self.header.note.set_note("this answer no longer counts", "doubt")
        elif about is not Verdict.UNKNOWN:
            self.corrected.emit((operator_answer(card, about, self.by, turn=self.live.turn),))


class PastView(QObject):
    """Follows the timeline's clicks and `past`. The panels are made when a moment is first shown.

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
        actions = self._window.actions_
        actions.bind("now", past.show_now)
        actions.bind("turn_before", lambda: past.show_turn_beside(controller.state, -1))
        actions.bind("turn_after", lambda: past.show_turn_beside(controller.state, 1))
        past.changed.connect(self._show)
        past.failed.connect(lambda why: time.header.note.set_note(why, "fault"))
        controller.shown.connect(self._follow)

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
        self._window.actions_["now"].setEnabled(self.past.opened is not None)

    def _make(self) -> None:
        questions, belief = PastQuestions(), BeliefPanel()
        questions.corrected.connect(self.corrected)
        belief.undo.hide()
        self.panels = {
            "camera": ReplayCamera(),
            "questions": questions,
            "belief": belief,
            "plan": PlanPanel(),
        }
        for panel in self.panels.values():
            panel.header.GROUND = "accent_soft"
        self._follow()

    def _show(self) -> None:
        state, opened = self.past.state, self.past.opened
        self._window.time.show_past(state)
        self._follow()
        if state is None or opened is None:
            self._window.uncover_docks()
            return
        if not self.panels:
            self._make()
        moment = f"turn {state.turn}, {clock(state.now)}"
        for name, panel in self.panels.items():
            panel.vocabulary = opened.vocabulary
            if isinstance(panel, QuestionPanel):
                panel.by = self._controller.by
            panel.display(state)
            panel.header.note.set_note(moment)
            self._window.docks[name].cover(panel)
