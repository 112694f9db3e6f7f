"""Which domain and which task: one that is shipped, any folder, or a pair of PDDL files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from app.parts.button import Button
from app.parts.combo import Combo
from app.parts.layout import column, label, row
from app.sheets.files import Files
from app.theme import paint
from app.theme import tokens as t
from core.config import Settings
from core.domains import Folder
from core.errors import ConsoleError
from core.planning import shelf

ROOM = 460  # px for the domain's description


class TaskChoice(QWidget):
    """`applied` puts what is chosen into settings; a broken domain too: the checks refuse it."""

    changed = Signal()
    refused = Signal(str)  # why files that were picked make no sense

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.task, self.domain = Combo("Task", 170), Combo("Domain", 150)
        self._where = label("", "caption", "muted")
        self._folder: Folder | None = None
        self.files = Files(self)
        folder = Button("Open a folder…", "folder", height=t.H_CONTROL)
        files = Button("Open PDDL…", "page", height=t.H_CONTROL)
        head = row(label("Task", "label", "ink"), self._where, 1)
        self.setLayout(column(head, row(self.domain, self.task, folder, files, 1), spacing=6))
        self._fill(settings)
        folder.done.connect(self.files.open_folder)
        files.done.connect(self.files.open_pair)
        self.files.folder.connect(self._folder_opened)
        self.files.pair.connect(self._add_pair)
        self.files.refused.connect(self.refused)
        self.domain.currentIndexChanged.connect(self._domain_changed)
        self.task.currentIndexChanged.connect(self.changed)

    def applied(self, settings: Settings) -> Settings:
        files, data = self._pddl(), self.domain.currentData()
        return replace(
            settings,
            task=self.task.currentText(),
            domain="" if files or data is None else str(data),
            domain_file=files[0] if files else "",
            problem_file=files[1] if files else "",
        )

    @property
    def home(self) -> str:
        """The robot that the domain is at home on; "" where it cannot be read."""
        return self._folder.robot if self._folder else ""

    # --- filling -----------------------------------------------------------------------------------------

    def _fill(self, settings: Settings) -> None:
        for name in shelf.names():
            self.domain.addItem(name, name)
        if settings.domain_file:
            self._add_pair(settings.domain_file, settings.problem_file)
        else:
            here = settings.domain or _shelved(settings.task)
            if here and self.domain.findData(here) < 0:
                self.domain.addItem(Path(here).name, here)
            self.domain.setCurrentIndex(max(0, self.domain.findData(here)))
        self._fill_tasks(settings.task)

    def _fill_tasks(self, wanted: str = "") -> None:
        self.task.blockSignals(True)
        self.task.clear()
        self._folder = None
        files = self._pddl()
        try:
            self._folder = shelf.pair(*files) if files else shelf.folder(self.domain.currentData())
        except ConsoleError as error:
            self._where.setText("cannot be read")
            self._where.setToolTip(str(error))
        else:
            self.task.addItems(list(self._folder.tasks))
            self.task.setCurrentIndex(max(0, self.task.findText(wanted)))
            self._where.setText(paint.elided(self._folder.description, "caption", ROOM))
            self._where.setToolTip(self._folder.description)
        self.task.blockSignals(False)

    def _pddl(self) -> tuple[str, str] | None:
        data = self.domain.currentData()
        return (str(data[0]), str(data[1])) if isinstance(data, tuple | list) else None

    def _domain_changed(self) -> None:
        self._fill_tasks()
        self.changed.emit()

    def _folder_opened(self, path: str) -> None:
        self.domain.addItem(Path(path).name, path)
        self.domain.setCurrentIndex(self.domain.count() - 1)

    def _add_pair(self, domain: str, problem: str) -> None:
        self.domain.addItem(Path(problem).stem, (domain, problem))
        self.domain.setCurrentIndex(self.domain.count() - 1)


def _shelved(task: str) -> str:
    """The shipped domain that has this task, "" for none."""
    try:
        return shelf.task(task)[1].domain
    except ConsoleError:
        return ""
