"""Open the dialogs over the window, one at a time, and apply their results."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from PySide6.QtCore import QObject, Signal

from app.commands import Choice
from app.console_controller import ConsoleController
from app.dialogs.budget import BudgetDialog
from app.dialogs.choose_step import ChooseStepDialog
from app.dialogs.edit_change import EditChangeDialog
from app.dialogs.goal import GoalDialog
from app.dialogs.help_pages import MessagesDialog, PageDialog, PaletteDialog
from app.dialogs.knowledge import KnowledgeDialog
from app.dialogs.layouts import LayoutsDialog
from app.dialogs.overlay_dialog import OverlayDialog
from app.dialogs.things import ThingsDialog
from app.main_window import MainWindow
from app.presentation.formatting import spaced
from app.presentation.suggestions import waiting_suggestion
from app.runtime.background_task import BackgroundTask
from core.arm.hand_eye import CalibrationSession, HasEmulator
from core.arm.table_things import TableThings
from core.config import EpisodeComponents, Settings
from core.install_paths import ROOT
from core.knowledge.apply import apply_changes
from core.loop.permit_issuer import deny_actuation
from core.operator import AcceptEdited, Choose
from core.planning_model import Literal
from core.robots import RobotRegistry
from core.stock import KnowsStock
from core.supervision import SupervisionLevels

if TYPE_CHECKING:
    from app.dialogs.trials.trial_run import TrialRun

P = ParamSpec("P")
D = TypeVar("D", bound=OverlayDialog)
Calibrator = Callable[[str, float, float, str], CalibrationSession]  # camera, board's square, marker, arm
Look = Callable[[str], TableThings]  # takes a picture of this arm's table


class DialogManager(QObject):
    """Opens and closes dialogs. GUI thread only. What takes long to import is imported when it is opened."""

    adopted = Signal(object, object, str)  # QuestionCard, Verdict, its raw reply

    def __init__(
        self,
        controller: ConsoleController,
        robots: RobotRegistry,
        logs: Path,
        open_calibration: Calibrator | None = None,
        look_at_table: Look | None = None,
    ) -> None:
        super().__init__(controller)
        self._controller, self._window = controller, controller.window
        self._robots, self._logs, self._open_calibration = robots, logs, open_calibration
        self._trials: TrialRun | None = None
        self.budget_is_fixed = False  # an episode ends with its budget, and nobody is asked for more
        self.more_choices: Callable[[], Iterable[Choice]] = tuple  # of what lies over the panels
        self._stock = BackgroundTask("things at hand")
        self._stock.done.connect(self._edit_change)
        self._window.robot.calibrate.connect(self.calibrate)
        self._look_at_table = look_at_table
        if look_at_table is None:
            self._window.actions_.set_view_reason("things", "nothing here can look at a table")
        if open_calibration is None:
            self._window.actions_.set_view_reason("calibrate", "nothing here can calibrate a camera")
        controller.shown.connect(self._prompt_for_budget)

    def show(self, dialog: OverlayDialog) -> None:
        """Open a dialog in place of the one that is open."""
        if self._controller.dialog is not None:
            self._controller.dialog.reject()
        self._controller.dialog = dialog
        dialog.finished.connect(lambda: setattr(self._controller, "dialog", None))
        dialog.open_over()

    def open(self, kind: Callable[Concatenate[MainWindow, P], D], *args: P.args, **kwargs: P.kwargs) -> D:
        """Open a dialog of this kind over the window, and return it."""
        dialog = kind(self._window, *args, **kwargs)
        self.show(dialog)
        return dialog

    @property
    def _components(self) -> EpisodeComponents | None:
        return self._controller.session.components

    @property
    def _robot(self) -> object:
        return self._components.robot if self._components else None

    @property
    def _arm(self) -> str:
        """Return the arm of the set-up."""
        return self._controller.settings.options_for("robot").get("arm", "")

    def calibrate(self) -> None:
        """Open the calibration of an arm's camera; this needs no episode."""
        if self._open_calibration is None:
            return
        components = self._components
        actuate = components.permits.manual_actuation(self._controller.by) if components else deny_actuation
        from app.dialogs.calibration import CalibrationDialog

        self.open(CalibrationDialog, self._open_calibration, self._arm, self._robot, actuate)

    def show_things(self) -> None:
        """Open the picture of the arm's table; this needs no episode."""
        if self._look_at_table is None:
            return
        components, robot = self._components, self._robot
        arm = self._arm or (robot.emulator_address if isinstance(robot, HasEmulator) else "")
        folder = components.domain_spec.path if components else None
        if folder is None or folder.is_relative_to(ROOT):  # nothing is written among the shipped files
            folder = Path()
        self.open(ThingsDialog, self._look_at_table, arm, folder / "scene.toml")

    # --- set-up and goal ---------------------------------------------------------------------------------

    def set_up(self) -> None:
        from app.dialogs.setup.setup_dialog import SetupDialog

        settings, levels = self._controller.settings, self._window.supervision.levels
        self.open(SetupDialog, settings, levels, self._robots, self._logs).decided.connect(self._set_up)
        self._controller.refresh()  # it says what becomes of an episode that runs

    def _set_up(self, settings: Settings, levels: SupervisionLevels, start: bool) -> None:
        controller = self._controller
        controller.preferences.store_settings(settings)
        controller.preferences.supervision = levels
        controller.preferences.save()
        controller.goal = None
        if controller.state.is_running and not start:
            controller.settings = settings
            said = f"{controller.by} set up the next episode: {spaced(settings.task)}."
            controller.session.note("info", said)
            return
        self._window.supervision.show_levels(levels)
        controller.prepare(settings)
        if start:
            controller.start()

    def edit_goal(self) -> None:
        controller, components = self._controller, self._components
        if components is None:
            return
        problem = components.task.problem
        own = components.domain_spec.tasks[components.task.name].problem.goal
        if controller.goal is not None:
            problem = replace(problem, goal=controller.goal)
        self.open(GoalDialog, problem, own, self._window.plan.vocabulary).decided.connect(self._set_goal)

    def _set_goal(self, goal: tuple[Literal, ...] | None) -> None:
        self._controller.goal = goal
        if not self._controller.state.is_running:
            self._controller.prepare(self._controller.settings)

    # --- the model ---------------------------------------------------------------------------------------

    def _prompt_for_budget(self) -> None:
        """Open the budget dialog when a budget is exhausted, unless another is open or visitors watch."""
        session, components = self._controller.session, self._components
        short = session.exhausted_budget
        if short is None or components is None or self._controller.dialog or self._window.layout_.presents:
            return
        if self.budget_is_fixed:
            session.end()
            return
        dialog = self.open(BudgetDialog, short, components.meter, lambda: session.exhausted_budget)
        dialog.decided.connect(session.set_budget)
        dialog.ended.connect(session.end)

    def ask_again(self) -> None:
        """Open a dialog that asks the focused question again, about the same picture."""
        controller, components = self._controller, self._components
        card, frame = self._window.questions.focused_card, controller.state.frame
        if components is None or card is None or card.model is None:
            return
        if frame is None or frame.id != card.frame:
            return
        from app.dialogs.reask import ReaskDialog

        dialog = self.open(ReaskDialog, card, frame, components.settings, components.meter)
        dialog.adopted.connect(self.adopted)
        dialog.noted.connect(partial(controller.session.note, "info"))
        controller.refresh()

    def show_trials(self) -> None:
        """Open the trials, which need no episode and go on when their dialog is closed."""
        from app.dialogs.trials.trial_run import TrialRun
        from app.dialogs.trials.trials_dialog import TrialsDialog

        if self._trials is None:
            self._trials = TrialRun(self._logs, self)
        self.open(TrialsDialog, self._trials, self._controller.settings)

    def close(self) -> None:
        """End the trials. Finished ones are kept."""
        if self._trials is not None:
            self._trials.close()

    # --- deciding ----------------------------------------------------------------------------------------

    def choose(self) -> None:
        controller, components = self._controller, self._components
        if components is None or controller.state.proposal is None:
            return
        problem = components.task.problem.with_state(controller.state.belief.state)
        reply = lambda seen, step: controller.session.reply(seen, Choose(step, controller.by))  # noqa: E731
        dialog = self.open(ChooseStepDialog, problem, self._window.plan.vocabulary, controller.state)
        dialog.chosen.connect(reply)

    def edit_change(self) -> None:
        """Open the suggested change for editing, once the robot has said what is at hand."""
        components = self._components
        if components is None or waiting_suggestion(self._controller.state) is None:
            return
        robot = components.robot
        if isinstance(robot, KnowsStock):
            self._stock.start(lambda *_: robot.stock())
        else:
            self._edit_change(())

    def _edit_change(self, stock: object) -> None:
        controller, components = self._controller, self._components
        if components is None or waiting_suggestion(controller.state) is None:
            return
        changes = (learnt.change for learnt in controller.state.knowledge)
        state = controller.state.belief.state
        problem = apply_changes(components.task.problem, changes).with_state(state)
        at_hand = stock if isinstance(stock, tuple) else ()
        reply, by = controller.session.reply, controller.by
        accept = lambda seen, changes: reply(seen, AcceptEdited(changes, by))  # noqa: E731
        self.open(EditChangeDialog, problem, controller.state, at_hand).edited.connect(accept)

    def show_knowledge(self) -> None:
        controller, components = self._controller, self._components
        if components is None or controller.knowledge is None:
            return
        spec, task = components.domain_spec, components.task
        problem = spec.tasks[task.name].problem if task.name in spec.tasks else task.problem
        self.open(KnowledgeDialog, controller.knowledge, spec.name, problem, controller.state)

    # --- reading -----------------------------------------------------------------------------------------

    def show_palette(self) -> None:
        choices = (*self.more_choices(), *self._window.actions_.choices())
        self.open(PaletteDialog, choices)

    def show_messages(self) -> None:
        self.open(MessagesDialog, self._window.status.messages)

    def show_layouts(self) -> None:
        self.open(LayoutsDialog, self._controller.preferences)

    def show_page(self, keys: bool) -> None:
        """Show all keys, or what this program is."""
        self.open(PageDialog, keys, self.more_choices())
