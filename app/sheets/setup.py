"""Set-up: choose on the left, see at once on the right what it means and whether it is ready."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QButtonGroup, QScrollArea, QWidget

from app.checks import Checker, Report
from app.parts.badge import Segments
from app.parts.layout import Item, column, holder, label, row
from app.parts.radio import Radio
from app.sheets.answerer import AnswererChoice
from app.sheets.setup_numbers import Numbers
from app.sheets.setup_task import TaskChoice
from app.sheets.sheet import Sheet
from app.sheets.summary import Summary
from app.theme import tokens as t
from app.window import Window
from core.config import Settings
from core.dials import PRESETS, Dials
from core.errors import ConsoleError
from core.methods import METHODS
from core.ports import World

ROBOTS: dict[str, tuple[str, str, World | None]] = {
    "kitchen": ("Kitchen simulator", "a household in 3-D on this computer", World.SIM),
    "symbolic": ("Symbolic robot", "any domain; its pictures are the facts, written out", World.SIM),
    "ur5e": ("UR5e", "an emulated arm, or the one that DKPROMPT_UR5E names; the top bar says which", None),
}
DEFAULT = ("kitchen", "symbolic")
NAMES = {"dkprompt": "DKPROMPT"}
WAIT = 250  # ms without a change before the checks run


class SetupSheet(Sheet):
    decided = Signal(object, object, bool)  # Settings, Dials, whether to start at once

    def __init__(
        self,
        window: Window,
        settings: Settings,
        dials: Dials,
        robots: tuple[str, ...],
        logs: Path,
    ) -> None:
        super().__init__(window, "New episode", "", QSize(980, 720))
        self._settings = settings
        self._report: Report | None = None
        self._pending = False  # Start was pressed before the checks were through
        self._checker = Checker(logs)
        self._checker.found.connect(self._found)
        self.finished.connect(self._checker.close)
        self._soon = QTimer(self, interval=WAIT, singleShot=True)
        self._soon.timeout.connect(self._look)
        self.tasks, self.numbers = TaskChoice(settings), Numbers(settings)
        self._robots = QButtonGroup(self)
        self.answerer = AnswererChoice(settings.answerer, settings)
        self.finished.connect(self.answerer.close_work)
        methods = tuple(METHODS)
        at = methods.index(settings.method) if settings.method in methods else 0
        self._method = Segments(tuple(NAMES.get(m, m) for m in methods), at, "Method")
        presets = tuple(PRESETS)
        self._supervision = Segments(presets, presets.index(dials.preset or "Assist"), "Supervision")
        self._lay_out(robots or DEFAULT)
        self._check_robot(settings.robot or self.tasks.home)
        self._connect()
        self._look()

    # --- the form ----------------------------------------------------------------------------------------

    def _lay_out(self, robots: tuple[str, ...]) -> None:
        radios = []
        for i, name in enumerate(robots):
            title, says, world = ROBOTS.get(name, (name, "", None))
            radio = Radio(title, says, world)
            radio.setProperty("robot", name)
            self._robots.addButton(radio, i)
            radios.append(radio)
        form = column(
            self.tasks,
            group("Robot", "what will move", *radios),
            group("Answerer", "who answers yes or no", self.answerer),
            row(
                group("Method", "what is asked", row(self._method, 1)),
                group("Supervision", "each dial can be changed at any moment", row(self._supervision, 1)),
                1,
                spacing=t.L,
            ),
            self.numbers,
            1,
            spacing=t.L,
            margins=(t.XL, t.L, t.XL, t.L),
        )
        area = QScrollArea()
        area.setWidget(holder(form))
        area.setWidgetResizable(True)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows what has the focus in it
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.summary = Summary()
        self.summary.setFixedWidth(320)
        middle = row(area, self.summary, spacing=0)
        middle.setStretch(0, 1)
        self.put(middle)
        self.button("Cancel").done.connect(self.reject)
        self.button("Use").done.connect(self._use)
        self.start = self.button("Start", "play", "Enter", primary=True)
        self.start.done.connect(self._start)

    def _connect(self) -> None:
        self.tasks.changed.connect(self._later)
        self.tasks.domain.currentIndexChanged.connect(self._go_home)
        self.tasks.refused.connect(self.hint.setText)
        self._robots.idClicked.connect(self._later)
        self.answerer.changed.connect(self._later)
        self._method.changed.connect(self._later)
        self.numbers.changed.connect(self._later)

    def _check_robot(self, name: str) -> None:
        for radio in self._robots.buttons():
            radio.setChecked(radio.property("robot") == name)

    def _go_home(self) -> None:
        """Another domain: the robot that it is at home on, if that one can be had."""
        home = self.tasks.home or "symbolic"
        if any(radio.property("robot") == home for radio in self._robots.buttons()):
            self._check_robot(home)

    # --- what is chosen ----------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """Raises BadValue."""
        radio = self._robots.checkedButton()
        chosen = self.numbers.applied(self.tasks.applied(self.answerer.applied(self._settings)))
        return replace(
            chosen,
            robot=radio.property("robot") if radio else "",
            method=tuple(METHODS)[self._method.on],
        )

    @property
    def dials(self) -> Dials:
        return tuple(PRESETS.values())[self._supervision.on]

    def _later(self) -> None:
        self._report = None
        self._soon.start()
        self.summary.wait()

    def _look(self) -> None:
        self.summary.wait()
        self._checker.look(self.settings)

    def _found(self, report: Report) -> None:
        self._report = report
        self.summary.show_report(report)
        blocked = report.blocked
        self.hint.setText(
            "One thing is in the way"
            if blocked
            else "Everything is ready: press Start, or change what you like"
        )
        self.start.setEnabled(not blocked)
        self.start.setToolTip(blocked)
        if self._pending and not blocked:
            self._decide(True)
        self._pending = False

    def _use(self) -> None:
        self._decide(False)

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
        self.decided.emit(self.settings, self.dials, start)
        self.accept()

    def keyPressEvent(self, event) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._start()
        else:
            super().keyPressEvent(event)


def group(title: str, hint: str, *items: Item) -> QWidget:
    head = row(label(title, "label", "ink"), label(hint, "caption", "muted"), 1)
    return holder(column(head, *items, spacing=6))
