"""Opens the sheets over the window, one at a time, and takes home what was decided in them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QMenu

from app.desk import Desk
from app.sheets.sheet import Sheet
from core.config import Settings
from core.episode_state import EpisodeState
from core.hand_eye import CalibrationSession
from core.planning_model import Literal, Step
from core.robots import RobotRegistry
from core.supervision import SupervisionLevels
from core.untrusted_text import one_line

MENU = 200  # characters of a note in a menu
Calibrator = Callable[
    [str, float, float, str], CalibrationSession
]  # camera, the board's square and marker, arm


class Opener(QObject):
    """Screen's thread only. Each sheet's file is imported when it is first opened."""

    corrected = Signal(object)  # tuple[Answer, ...]
    undone = Signal()
    adopted = Signal(object, object, str)  # Card, Verdict, what was said

    def __init__(
        self, desk: Desk, robots: RobotRegistry, logs: Path, bench: Calibrator | None = None
    ) -> None:
        super().__init__(desk)
        self._desk, self._window = desk, desk.window
        self._robots, self._logs, self._bench = robots, logs, bench
        self._window.robot.calibrate.connect(self.calibrate)
        desk.shown.connect(self._look_at_budget)

    def _open(self, sheet: Sheet) -> None:
        if self._desk.sheet is not None:
            self._desk.sheet.reject()
        self._desk.sheet = sheet
        sheet.finished.connect(self._gone)
        sheet.open_over()

    def _gone(self) -> None:
        self._desk.sheet = None

    def calibrate(self) -> None:
        """A camera of the arm; also before any robot is there."""
        if self._bench is None:
            return
        from app.sheets.calibration import CalibrationSheet

        parts = self._desk.session.parts
        robot = parts.robot if parts else None
        arm = self._desk.settings.options_for("robot").get("arm", "")
        self._open(CalibrationSheet(self._window, self._bench, arm, robot, self._desk.by))

    # --- set-up and goal ---------------------------------------------------------------------------------

    def set_up(self) -> None:
        from app.sheets.setup import SetupSheet

        desk = self._desk
        sheet = SetupSheet(self._window, desk.settings, self._window.dials.dials, self._robots, self._logs)
        sheet.decided.connect(self._set_up)
        self._open(sheet)

    def _set_up(self, settings: Settings, dials: SupervisionLevels, start: bool) -> None:
        desk = self._desk
        desk.memory.remember(settings)
        desk.memory.dials = dials
        desk.memory.save()
        desk.goal = None
        if desk.story.is_running:  # what runs goes on; this is for the next one
            desk.settings = settings
            return
        self._window.dials.show_dials(dials)
        desk.prepare(settings)
        if start:
            desk.start()

    def edit_goal(self) -> None:
        desk, parts = self._desk, self._desk.session.parts
        if parts is None:
            return
        from app.sheets.goal import GoalSheet

        problem = parts.task.problem
        own = parts.domain_spec.tasks[parts.task.name].problem.goal
        if desk.goal is not None:
            problem = replace(problem, goal=desk.goal)
        sheet = GoalSheet(self._window, problem, own, self._window.plan.naming)
        sheet.decided.connect(self._aim)
        self._open(sheet)

    def _aim(self, goal: tuple[Literal, ...] | None) -> None:
        self._desk.goal = goal
        if not self._desk.story.is_running:
            self._desk.prepare(self._desk.settings)

    # --- the model ---------------------------------------------------------------------------------------

    def _look_at_budget(self) -> None:
        """Ask as soon as a budget is used up and nothing else is being read."""
        session = self._desk.session
        short, parts = session.short, session.parts
        if short is None or parts is None or self._desk.sheet is not None:
            return
        from app.sheets.spend import SpendSheet

        sheet = SpendSheet(self._window, short, parts.meter, lambda: session.short)
        sheet.raised.connect(session.allow)
        sheet.mine.connect(self._answer_instead)
        sheet.ended.connect(session.end)
        self._open(sheet)

    def _answer_instead(self) -> None:
        self._desk.session.allow(None)

    def ask_again(self) -> None:
        """The focused question, about the picture that it was asked about."""
        desk, parts, card = self._desk, self._desk.session.parts, self._window.questions.lit
        frame = desk.story.frame
        if parts is None or card is None or card.model is None or frame is None or frame.id != card.frame:
            return
        from app.sheets.reask import ReaskSheet

        sheet = ReaskSheet(self._window, card, frame, parts.settings, parts.meter)
        sheet.adopted.connect(self.adopted)
        sheet.noted.connect(self._note)
        self._open(sheet)
        sheet.display(desk.story)

    def _note(self, words: str) -> None:
        self._desk.session.note("info", words)

    def show_prompts(self) -> None:
        from app.sheets.prompts import PromptSheet

        self._open(PromptSheet(self._window, self._desk.settings.prompt))

    # --- deciding ----------------------------------------------------------------------------------------

    def choose(self) -> None:
        desk, parts, proposal = self._desk, self._desk.session.parts, self._desk.story.proposal
        if parts is None or proposal is None:
            return
        from app.sheets.choose import ChooseSheet

        problem = parts.task.problem.with_state(desk.story.belief.state)
        sheet = ChooseSheet(self._window, problem, self._window.plan.naming, desk.story)
        sheet.chosen.connect(self._chosen)
        self._open(sheet)

    def _chosen(self, seen: EpisodeState, step: Step) -> None:
        self._desk.session.choose(seen, step)

    def correct(self) -> None:
        desk, parts = self._desk, self._desk.session.parts
        if parts is None:
            return
        from app.sheets.correct import CorrectSheet

        belief = self._window.belief
        problem = parts.task.problem
        sheet = CorrectSheet(
            self._window, problem, parts.method, belief.naming, desk.story, desk.by, belief.selected
        )
        sheet.corrected.connect(self.corrected)
        sheet.undone.connect(self.undone)
        self._open(sheet)

    # --- reading -----------------------------------------------------------------------------------------

    def show_keys(self) -> None:
        from app.sheets.keys import keys_sheet

        self._open(keys_sheet(self._window))

    def show_about(self) -> None:
        from app.sheets.keys import about_sheet

        self._open(about_sheet(self._window))

    def show_notes(self) -> None:
        """What was noted, latest first."""
        menu = QMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for note in reversed(self._desk.story.notices[-20:]):
            menu.addAction(one_line(f"{note.level}: {note.text}", MENU))
        if menu.isEmpty():
            menu.addAction("Nothing was noted").setEnabled(False)
        menu.popup(self._window.status.mapToGlobal(self._window.status.rect().topRight()))
