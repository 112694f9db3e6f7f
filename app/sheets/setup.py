"""Set-up: choose on the left, see at once on the right what it means and whether it is ready."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QButtonGroup, QScrollArea, QWidget

from app.checks import Checker, Report
from app.parts.badge import Segments
from app.parts.button import Button
from app.parts.combo import Combo, decimal, number
from app.parts.layout import Item, column, holder, label, row
from app.parts.radio import Radio
from app.sheets.answerer import AnswererChoice
from app.sheets.files import Files
from app.sheets.sheet import Sheet
from app.sheets.summary import Summary
from app.theme import paint
from app.theme import tokens as t
from app.window import Window
from core.config import OPENNESS_LIMIT, Settings
from core.dials import PRESETS, Dials
from core.domains import Folder
from core.errors import ConsoleError
from core.ports import World

ROBOTS: dict[str, tuple[str, str, World | None]] = {
    "kitchen": ("Kitchen simulator", "a household in 3-D on this computer", World.SIM),
    "symbolic": ("Symbolic robot", "any domain; its pictures are the facts, written out", World.SIM),
    "ur5e": ("UR5e", "an emulated arm, or the one that DKPROMPT_UR5E names; the top bar says which", None),
}
DEFAULT = ("kitchen", "symbolic")
METHODS = {"dkprompt": "DKPROMPT"}
PACES = (("at once", 0.0), ("4 × faster", 0.25), ("2 × faster", 0.5), ("real time", 1.0))
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
        self._folder: Folder | None = None
        self._report: Report | None = None
        self._pending = False  # Start was pressed before the checks were through
        self._checker = Checker(logs)
        self._checker.found.connect(self._found)
        self.finished.connect(self._checker.close)
        self._soon = QTimer(self, interval=WAIT, singleShot=True)
        self._soon.timeout.connect(self._look)
        self._task, self._domain = Combo("Task", 170), Combo("Domain", 150)
        self._where = label("", "caption", "muted")
        self._robots = QButtonGroup(self)
        self.answerer = AnswererChoice(settings.answerer, settings)
        self.finished.connect(self.answerer.close_work)
        self._method = Segments(
            tuple(METHODS.get(m, m) for m in _methods()), _at(_methods(), settings.method), "Method"
        )
        presets = tuple(PRESETS)
        base = dials.preset or "Assist"
        self._supervision = Segments(presets, presets.index(base), "Supervision")
        self.files = Files(self)
        self.files.folder.connect(self._folder_opened)
        self.files.pair.connect(self._pair_opened)
        self.files.refused.connect(self.hint.setText)
        self._numbers(settings)
        self._lay_out(robots or DEFAULT)
        self._fill_domains()
        self._connect()
        self._look()

    # --- the form ----------------------------------------------------------------------------------------

    def _numbers(self, settings: Settings) -> None:
        self._seed = number("Seed", 0, 999_999, settings.seed)
        self._steps = number("Steps at most", 1, 10_000, settings.max_steps)
        self._openness = decimal("Openness", 0, OPENNESS_LIMIT, settings.openness, 0.25)
        self._openness.setToolTip("How often something goes wrong: 0 never, 1 as in the paper's Table 6")
        self._pace = Combo("Pace")
        for words, _ in PACES:
            self._pace.addItem(words)
        nearest = min(range(len(PACES)), key=lambda i: abs(PACES[i][1] - settings.pace))
        self._pace.setCurrentIndex(nearest)

    def _lay_out(self, robots: tuple[str, ...]) -> None:
        folder, files = (
            Button("Open a folder…", "folder", height=t.H_CONTROL),
            Button("Open PDDL…", "page", height=t.H_CONTROL),
        )
        folder.done.connect(self.files.open_folder)
        files.done.connect(self.files.open_pair)
        radios = []
        for i, name in enumerate(robots):
            title, says, world = ROBOTS.get(name, (name, "", None))
            radio = Radio(title, says, world)
            radio.setProperty("robot", name)
            self._robots.addButton(radio, i)
            radios.append(radio)
        form = column(
            group("Task", self._where, row(self._domain, self._task, folder, files, 1)),
            group("Robot", label("what will move", "caption", "muted"), *radios),
            group("Answerer", label("who answers yes or no", "caption", "muted"), self.answerer),
            row(
                group("Method", label("what is asked", "caption", "muted"), row(self._method, 1)),
                group(
                    "Supervision",
                    label("each dial can be changed at any moment", "caption", "muted"),
                    row(self._supervision, 1),
                ),
                1,
                spacing=t.L,
            ),
            row(
                named("Seed", self._seed),
                named("Openness", self._openness),
                named("Pace", self._pace),
                named("Steps at most", self._steps),
                1,
                spacing=t.L,
            ),
            1,
            spacing=t.L,
            margins=(t.XL, t.L, t.XL, t.L),
        )
        area = QScrollArea()
        area.setWidget(holder(form))
        area.setWidgetResizable(True)
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

    def _fill_domains(self) -> None:
        from core.planning import shelf

        settings = self._settings
        own = settings.domain or settings.domain_file
        for name in shelf.names():
            self._domain.addItem(name, name)
        if own and self._domain.findData(own) < 0:
            self._domain.addItem(Path(own).name, own)
        here = own
        if not here:
            try:
                here = shelf.task(settings.task)[1].domain
            except ConsoleError:
                here = ""
        self._domain.setCurrentIndex(max(0, self._domain.findData(here)))
        self._fill_tasks(settings.task)
        robot = settings.robot or (self._folder.robot if self._folder else "")
        for radio in self._robots.buttons():
            radio.setChecked(radio.property("robot") == robot)

    def _fill_tasks(self, wanted: str = "") -> None:
        """The tasks of the chosen domain; a broken one says why on the right."""
        from core.planning import shelf

        self._task.blockSignals(True)
        self._task.clear()
        self._folder = None
        files = self._pddl()
        try:
            self._folder = shelf.pair(*files) if files else shelf.folder(self._domain.currentData())
        except ConsoleError as error:
            self._where.setText("cannot be read")
            self._where.setToolTip(str(error))
        else:
            self._task.addItems(list(self._folder.tasks))
            self._task.setCurrentIndex(max(0, self._task.findText(wanted)))
            self._where.setText(paint.elided(self._folder.description, "caption", 460))
            self._where.setToolTip(self._folder.description)
        self._task.blockSignals(False)

    def _connect(self) -> None:
        self._domain.currentIndexChanged.connect(self._domain_changed)
        self._task.currentIndexChanged.connect(self._later)
        self._robots.idClicked.connect(self._later)
        self.answerer.changed.connect(self._later)
        self._method.changed.connect(self._later)
        for spin in (self._seed, self._openness, self._steps):
            spin.valueChanged.connect(self._later)
        self._pace.currentIndexChanged.connect(self._later)

    def _domain_changed(self) -> None:
        self._fill_tasks()
        robot = self._folder.robot if self._folder else "symbolic"
        for radio in self._robots.buttons():
            if radio.property("robot") == robot:
                radio.setChecked(True)
        self._later()

    def _folder_opened(self, path: str) -> None:
        self._domain.addItem(Path(path).name, path)
        self._domain.setCurrentIndex(self._domain.count() - 1)

    def _pair_opened(self, domain: str, problem: str) -> None:
        self._domain.addItem(Path(problem).stem, (domain, problem))
        self._domain.setCurrentIndex(self._domain.count() - 1)

    def _pddl(self) -> tuple[str, str] | None:
        data = self._domain.currentData()
        return (str(data[0]), str(data[1])) if isinstance(data, tuple | list) else None

    # --- what is chosen ----------------------------------------------------------------------------------

    @property
    def settings(self) -> Settings:
        """Raises BadValue."""
        files = self._pddl()
        data = self._domain.currentData()
        radio = self._robots.checkedButton()
        return replace(
            self.answerer.applied(self._settings),
            task=self._task.currentText(),
            domain="" if files or data is None else str(data),
            domain_file=files[0] if files else "",
            problem_file=files[1] if files else "",
            robot=radio.property("robot") if radio else "",
            method=_methods()[self._method.on],
            seed=self._seed.value(),
            openness=self._openness.value(),
            pace=PACES[self._pace.currentIndex()][1],
            max_steps=self._steps.value(),
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


def group(title: str, hint: QWidget, *items: Item) -> QWidget:
    return holder(column(row(label(title, "label", "ink"), hint, 1), *items, spacing=6))


def named(name: str, field: QWidget) -> QWidget:
    field.setAccessibleName(name)
    return holder(column(label(name, "caption", "muted"), field, spacing=t.XS))


def _methods() -> tuple[str, ...]:
    from core.methods import METHODS as KNOWN

    return tuple(KNOWN)


def _at(names: tuple[str, ...], name: str) -> int:
    return names.index(name) if name in names else 0
