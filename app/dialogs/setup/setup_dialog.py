"""The set-up dialog: choices on the left, their meaning and readiness on the right."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from app.controls.badge import Badge, SegmentedControl
from app.controls.input_fields import ComboBox
from app.controls.layout import Item, Separator, Surface, column, label, row, scroll_area, wrap_layout
from app.controls.number_fields import typing_fault
from app.controls.text_rows import TextRow, TextRows
from app.controls.tooltip import set_tooltip
from app.dialogs.answerer.answerer_choice import AnswererChoice
from app.dialogs.overlay_dialog import OverlayDialog
from app.dialogs.setup.domain_probe import SetupCheck
from app.dialogs.setup.forecast_section import ForecastSection
from app.dialogs.setup.option_fields import OptionFields, RunFields
from app.dialogs.setup.settings_checker import SettingsReport, check_settings
from app.dialogs.setup.task_choice import TaskChoice
from app.main_window import MainWindow
from app.runtime.background_task import BackgroundTask
from app.theme import tokens as t
from app.theme.states import CHECK
from core.config import Settings
from core.episode_state import EpisodeState
from core.errors import BadValue, ConsoleError
from core.methods.registry import METHODS
from core.ports import Embodiment
from core.robots import RobotRegistry
from core.supervision import SUPERVISION_PRESETS, SupervisionLevels
from core.text.plural import plural

LOOKING = SetupCheck("", "wait", "looking")


class SetupSummary(Surface):
    def __init__(self) -> None:
        super().__init__("sunken")
        self._what, self._goal = label("", "body", wrap=True), label("", "strong", "ink", wrap=True)
        self._heads = [label(words, "micro", "muted") for words in ("WHAT WILL HAPPEN", "GOAL", "")]
        self._checks, self._plan = TextRows("Checks", role="small"), TextRows("The first plan", 20, "small")
        about = column(self._heads[0], self._what, self._heads[1], self._goal, spacing=t.XS)
        about.setContentsMargins(t.L, t.L, t.L, t.S)
        plan = column(self._heads[2], margins=(t.L, t.S, t.L, 0))
        parts = column(about, Separator(), self._checks, Separator(), plan, self._plan, 1)
        area = scroll_area(wrap_layout(parts))
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setLayout(column(area))
        self.setAccessibleName("What will happen")
        for head in self._heads:
            head.hide()
        self._show_checks((LOOKING,))

    def wait(self, words: str = "checking again") -> None:
        """Mark the shown findings as outdated until the next report."""
        self._show_checks((SetupCheck("", "wait", words),))

    def show_report(self, report: SettingsReport) -> None:
        found = report.outline
        self._what.setText(found.description)
        self._goal.setText(found.goal)
        for head in self._heads:
            head.setVisible(bool(found.description))
        self._show_checks(report.checks)
        self._heads[2].setText(
            f"THE FIRST PLAN, {plural(len(found.plan), 'step').upper()}" if found.plan else ""
        )
        self._plan.show_rows([TextRow(step, str(i), tone="text") for i, step in enumerate(found.plan, 1)])
        words = (found.description, *(c.text for c in report.checks))
        self.setAccessibleDescription(". ".join(words))

    def _show_checks(self, checks: tuple[SetupCheck, ...]) -> None:
        self._checks.show_rows(list(map(_row, checks)))


def _row(check: SetupCheck) -> TextRow:
    state = CHECK[check.state]
    bad = check.state in ("doubt", "fault")
    tones = (state.colour, f"{state.colour}_fill") if bad else ("text", "muted")
    return TextRow(check.text, "", state.icon, *tones)


WAIT = 250  # ms without a change before the checks run


class SetupDialog(OverlayDialog):
    decided = Signal(object, object, bool)  # Settings, SupervisionLevels, whether to start at once

    def __init__(
        self,
        window: MainWindow,
        settings: Settings,
        levels: SupervisionLevels,
        robots: RobotRegistry,
        logs: Path,
    ) -> None:
        super().__init__(window, "New episode", "", QSize(980, 940))
        self._settings = settings
        self._report: SettingsReport | None = None
        self._pending = False  # Start was pressed before the checks were through
        self._entries = robots
        self._logs = logs
        self._checks = BackgroundTask("set-up checks")
        self._checks.done.connect(self._found)
        self.finished.connect(self._checks.cancel)
        self._soon = QTimer(self, interval=WAIT, singleShot=True)
        self._soon.timeout.connect(lambda: self._validate())
        self.tasks, self.numbers = TaskChoice(settings), RunFields(settings)
        self._robot, self._world = ComboBox("Robot", 220), Badge()
        self._robot.setPlaceholderText("choose one")
        self._robot.show_items((entry.title, entry.name) for entry in robots)
        self._robot_options, self._method_options = OptionFields(), OptionFields()
        self.answerer = AnswererChoice(settings.answerer, settings)
        self._method = ComboBox("Method", 220)
        self._method.show_items(((entry.title, entry.name) for entry in METHODS), settings.method)
        presets = tuple(SUPERVISION_PRESETS)
        self._about_robot, self._about_method = (label("", "caption", "muted", wrap=True) for _ in range(2))
        preset = presets.index(levels.preset_name or "Assist")
        self._supervision = SegmentedControl(presets, preset, "Supervision")
        self.on_enter = self._start
        self._lay_out(logs)
        self._select_robot(settings.robot)
        if not settings.robot and self.tasks.default_robot:
            self._select_default_robot()
        self._show_options()
        self._connect()
        self._validate()

    # --- the form ----------------------------------------------------------------------------------------

    def _lay_out(self, logs: Path) -> None:
        method = group("Method", "how it decides", row(self._method, 1))
        levels = group("Supervision", "change each level at any time", row(self._supervision, 1))
        decides = column(row(method, levels, 1, spacing=t.L), self._about_method, spacing=6)
        robot = row(self._robot, self._world, 1)
        body = group("Robot", "the body that moves", robot, self._about_robot, self._robot_options)
        answers = group("Answerer", "who answers yes or no", self.answerer)
        parts = (self.tasks, decides, self._method_options, body, answers, self.numbers)
        form = column(*parts, 1, spacing=t.L, margins=(t.XL, t.L, t.XL, t.L))
        area = scroll_area(wrap_layout(form))
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows what has the focus in it
        self.summary = SetupSummary()
        self.summary.setFixedWidth(320)
        self.forecast = ForecastSection(logs)
        self.finished.connect(self.forecast.stop)
        self.set_body(row((area, 1), column((self.summary, 1), self.forecast), spacing=0))
        self.button("Cancel", self.reject)
        self._use = partial(self._decide, False)
        self.use = self.button("Use", self._use)
        self.start = self.button("Start", self._start, "play", "Enter", primary=True)

    def _connect(self) -> None:
        self.tasks.changed.connect(self._validate_soon)
        self.tasks.domain.currentIndexChanged.connect(self._select_default_robot)
        self.tasks.refused.connect(self.hint.setText)
        self._robot.activated.connect(self._chosen)
        self.answerer.changed.connect(self._validate_soon)
        self.answerer.tested.connect(self._test)
        self._method.currentIndexChanged.connect(self._chosen)
        for fields in (self._robot_options, self._method_options):
            fields.changed.connect(self._chosen)
        self.numbers.changed.connect(self._validate_soon)

    def _select_robot(self, name: str) -> None:
        self._robot.setCurrentIndex(self._robot.findData(name))

    def _select_default_robot(self) -> None:
        """Select the default robot of a newly chosen domain, if it is available.

        One that may be real is left for the person to select.
        """
        home = self.tasks.default_robot or "symbolic"
        if home in self._entries:
            self._select_robot(home if self._entries.is_simulated(home, {}) else "")
            self._show_options()

    def display(self, state: EpisodeState) -> None:
        """While an episode runs, Enter keeps the set-up for the next one; Start says that it ends this."""
        running = state.is_running
        self.on_enter, main = (self._use, self.use) if running else (self._start, self.start)
        for button in (self.use, self.start):
            button.key, button.kind = ("Enter", "primary") if button is main else ("", "plain")
        self.use.relabel("Use for the next episode" if running else "Use")
        self.start.relabel("End the running episode and start" if running else "Start")

    # --- what is chosen ----------------------------------------------------------------------------------

    @property
    def robot(self) -> str:
        return str(self._robot.currentData() or "")

    @property
    def settings(self) -> Settings:
        """Return the chosen settings. Raises BadValue."""
        chosen = self.numbers.applied(self.tasks.applied(self.answerer.applied(self._settings)))
        fields = {"robot": self._robot_options, "answerer": self.answerer.options}
        fields["method"] = self._method_options
        options = {f"{kind}.{name}": v for kind, field in fields.items() for name, v in field.values.items()}
        kept = {name: v for name, v in self._settings.options.items() if name.partition(".")[0] not in fields}
        method = str(self._method.currentData())
        return replace(chosen, robot=self.robot, method=method, options=kept | options)

    def _chosen(self) -> None:
        self._show_options()
        self._validate_soon()

    def _show_options(self) -> None:
        """Show the options of the chosen components, with the values of the current settings."""
        was = self._settings
        home = was.robot or self.tasks.default_robot
        robot = self._entries[self.robot] if self.robot else None
        self._robot_options.show_for(robot, was.options_for("robot") if self.robot == home else None)
        method = str(self._method.currentData())
        self._about_method.setText(METHODS[method].summary)
        options = was.options_for("method") if method == was.method else None
        self._method_options.show_for(METHODS[method], options)
        self._about_robot.setText(robot.summary if robot else "")
        world = None
        with suppress(BadValue):
            world = robot.embodiment(robot.read_options(self._robot_options.values)) if robot else None
        self._show_world(world)

    def _show_world(self, world: Embodiment | None) -> None:
        self._world.setVisible(world is not None)
        if world is not None:
            self._world.show_world(world)

    @property
    def supervision(self) -> SupervisionLevels:
        return tuple(SUPERVISION_PRESETS.values())[self._supervision.currentIndex()]

    def _validate_soon(self) -> None:
        self._checks.cancel()  # of what is no longer chosen
        self._report = None
        self._soon.start()
        self.summary.wait()

    def _validate(self, test: bool = False) -> None:
        self.summary.wait("asking the model" if test else "checking again")
        settings, logs, robots = self.settings, self._logs, self._entries.import_path
        self._checks.start(lambda cancel, _: check_settings(settings, cancel, logs, robots, test))

    def _test(self) -> None:
        """Let the checks ask the model. A typed key is stored first: they find it where an episode will."""
        try:
            self.answerer.keep_key()
        except ConsoleError as error:
            self.hint.setText(str(error))
        else:
            self._validate(True)

    def _found(self, report: SettingsReport) -> None:
        if self.tasks.show_outline(report.settings, report.outline) or not self.robot:
            self._select_default_robot()
        self._robot.disable_items(report.outline.incapable_robots)
        if report.embodiment is not None:
            self._show_world(report.embodiment)
        report = replace(report, checks=(*report.checks, *self._faults(report)))
        self._report = report
        self.summary.show_report(report)
        blocked = report.blocked
        self.hint.setText("One problem to fix" if blocked else readiness(report.checks))
        self.forecast.show_for(None if blocked else report.settings, self._entries.import_path)
        self.start.setEnabled(not blocked)
        set_tooltip(self.start, blocked)
        if self._pending and not blocked:
            self._decide(True)
        self._pending = False

    def _faults(self, report: SettingsReport) -> Iterator[SetupCheck]:
        """Return the faults that the checks do not cover: of the chosen robot, its things and the
        components' options.
        """
        if fault := typing_fault(self):
            yield SetupCheck("Numbers", "fault", fault)
        if not self.robot:
            yield SetupCheck("Robot", "fault", "Choose the robot: this domain's own may be a real one")
        if reason := report.outline.incapable_robots.get(self.robot):
            yield SetupCheck("Robot", "fault", f"{self._entries[self.robot].title}: {reason}")
        if doubt := report.outline.doubts.get(self.robot):
            yield SetupCheck("Things", "doubt", doubt)
        if self.robot and (lacks := self._entries[self.robot].missing()):
            yield SetupCheck("Robot", "fault", f"{lacks.problem.rstrip('.')}: {lacks.remedy}")
        for fields in (self._robot_options, self.answerer.options, self._method_options):
            if fields.fault:
                yield SetupCheck("Options", "fault", fields.fault)

    def _start(self) -> None:
        if self._report is None:
            self._pending = True  # it starts as soon as the checks are through
        elif not self._report.blocked:
            self._decide(True)

    def _decide(self, start: bool) -> None:
        try:
            self.answerer.keep_key()
        except ConsoleError as error:
            self.hint.setText(str(error))
            return
        self.decided.emit(self.settings, self.supervision, start)
        self.accept()


def readiness(checks: Sequence[SetupCheck]) -> str:
    """Return whether all of it is ready; a doubt is none of it."""
    doubts = sum(check.state == "doubt" for check in checks)
    if doubts:
        return f"You can start, with {plural(doubts, 'doubt')}: see the right side"
    return "Everything is ready: press Start, or change what you like"


def group(title: str, hint: str, *items: Item) -> QWidget:
    head = row(label(title, "label", "ink"), label(hint, "caption", "muted"), 1)
    return wrap_layout(column(head, *items, spacing=6))
