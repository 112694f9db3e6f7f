"""Compute what would follow from an answer before it is given: the next plan."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent, QWindow
from PySide6.QtWidgets import QApplication, QLineEdit, QPlainTextEdit

from app.console_controller import ConsoleController
from app.presentation.formatting import rows_ahead
from app.runtime.background_task import BackgroundTask, Report
from core.belief import Answer, Verdict
from core.config import EpisodeComponents
from core.episode_state import EpisodeState
from core.operator import PlanChange
from core.planning.planner import ImprovingPlanner, make_planner
from core.planning_model import Plan, PlanStatus
from core.policy import BeliefCorrected, Context
from core.reason import Cause, Reason
from core.stop_token import StopToken

KEPT = 32  # futures that are kept
KEYS = {Qt.Key.Key_Y: Verdict.YES, Qt.Key.Key_N: Verdict.NO}


@dataclass(frozen=True)
class GhostFuture:
    """The plan that would follow `verdict`, an answer to the question's text."""

    verdict: Verdict
    change: PlanChange


def predict_future(
    components: EpisodeComponents,
    state: EpisodeState,
    answers: tuple[Answer, ...],
    planner: ImprovingPlanner,
    cancel: StopToken,
) -> PlanChange:
    """Return what these answers would make of the plan; one that would still do is kept.

    Slow: it may search. Raises Cancelled, PlanningError.
    """
    from core.planning import semantics

    problem = components.task.problem
    belief = components.method.update(Context(problem, state.belief, state.turn), BeliefCorrected(answers))
    believed = problem.with_state(belief.state)
    old = tuple(row.step for row in rows_ahead(state))
    reason = Reason(Cause.CORRECTED, answer=answers[-1], turn=state.turn)
    if problem.is_goal(belief.state):
        plan = Plan(PlanStatus.FOUND)
    elif old and not semantics.plan_faults(believed, old):
        plan = Plan(PlanStatus.FOUND, old)
    else:
        plan = planner.plan(believed, cancel)
    return PlanChange(state.turn, old, plan, reason)


class GhostFutures(QObject):
    """Shows the future of an answer while a person hovers over it, or holds Shift with its key.

    The search is on a thread of its own, is cancelled when the person lets go, and is done once per state.
    """

    changed = Signal(object)  # GhostFuture or None

    def __init__(self, controller: ConsoleController) -> None:
        super().__init__(controller)
        self._controller, self._window = controller, controller.window
        self._task = BackgroundTask("ghost future")
        self._task.done.connect(self._found)
        self._planner: ImprovingPlanner | None = None  # its own: a planner belongs to one thread
        self._cache: dict[object, GhostFuture] = {}
        self._wanted: object = None
        self._verdict = Verdict.UNKNOWN
        controller.shown.connect(self._follow)
        answers = self._window.decision.answers
        self._verdicts: dict[QObject, Verdict] = dict(zip(answers, (Verdict.YES, Verdict.NO), strict=False))
        for button in answers:
            button.installEventFilter(self)

    def show(self, verdict: Verdict) -> None:
        """Show what would follow if the focused question were answered so."""
        controller = self._controller
        components, state = controller.session.components, controller.state
        answers = self._window.questions.if_answered(verdict)
        if components is None or not answers:
            return
        rows = tuple(row.step for row in rows_ahead(state))
        key = state.episode, state.belief.state, rows, answers
        self._wanted, self._verdict = key, verdict
        if key in self._cache:
            self.changed.emit(self._cache[key])
            return
        if self._planner is None:
            self._planner = make_planner()
        planner = self._planner

        def work(cancel: StopToken, _: Report) -> PlanChange:
            return predict_future(components, state, answers, planner, cancel)

        if self._task.join(0.02):  # else an earlier search has not heard yet that it is cancelled
            self._task.start(work)

    def hide(self) -> None:
        """Forget what was asked for; a search that runs is cancelled."""
        if self._wanted is not None:
            self._wanted = None
            self._task.cancel()
            self.changed.emit(None)

    def close(self) -> bool:
        """Return True if no thread is left."""
        for button in self._window.decision.answers:
            button.removeEventFilter(self)
        self._task.cancel()
        gone = self._task.join(5)
        if self._planner is not None:
            self._planner.close()
        return gone

    def _found(self, result: object) -> None:
        if self._wanted is None or not isinstance(result, PlanChange):
            return
        future = GhostFuture(self._verdict, result)
        while len(self._cache) >= KEPT:
            del self._cache[next(iter(self._cache))]
        self._cache[self._wanted] = future
        self.changed.emit(future)

    def _follow(self) -> None:
        """Drop a future once its question has been answered or replaced."""
        if self._wanted is not None and not self._window.questions.if_answered(self._verdict):
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (verdict := self._verdicts.get(watched)) is not None:
            kind = event.type()
            if kind is QEvent.Type.Enter:
                self.show(verdict)
            elif kind is QEvent.Type.Leave:
                self.hide()
        return False

    def handle(self, _: QWindow, event: QKeyEvent) -> bool:
        """Show the future while Shift is held with the key of an answer; return True if it is shown."""
        if event.type() is QEvent.Type.KeyRelease and self._wanted is not None:
            self.hide()
        elif event.type() is QEvent.Type.KeyPress and event.key() in KEYS:
            held = event.modifiers() == Qt.KeyboardModifier.ShiftModifier
            typing = isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit)
            if held and not typing and self._controller.dialog is None:
                self.show(KEYS[Qt.Key(event.key())])
                return True
        return False
