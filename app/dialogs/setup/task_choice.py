"""Choose domain and task: a named domain, any folder, or a pair of PDDL files.

No PDDL is read on the GUI thread: named domains list their tasks, and the tasks of others arrive with the
checks, which read them in another process.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.controls.button import Button
from app.controls.input_fields import ComboBox
from app.controls.layout import column, label, row
from app.controls.text import file_dialog
from app.controls.tooltip import set_tooltip
from app.dialogs.setup.domain_probe import ProbeResult
from app.presentation.formatting import spaced
from app.theme import tokens as t
from core.config import Settings
from core.errors import ConsoleError
from core.planning import domain_library
from core.planning.domain_library import DomainOutline

MOST = 1 << 16  # bytes of a file that are looked at


class TaskChoice(QWidget):
    """The task's part of the set-up dialog. `applied` enters the choice into settings, even a broken domain,
    which the checks refuse.
    """

    changed = Signal()
    refused = Signal(str)  # why files that were picked make no sense

    def __init__(self, settings: Settings) -> None:
        super().__init__()
        self.task, self.domain = ComboBox("Task", 170), ComboBox("Domain", 150)
        self._where = label("", "caption", "muted", wrap=True)
        self._outline, self._wanted = DomainOutline(), ""
        self._another = False  # domain than the one that the dialog was opened with
        folder = Button("Open a folder…", "folder", height=t.H_CONTROL)
        files = Button("Open PDDL…", "page", height=t.H_CONTROL)
        head = row(label("Task", "label", "ink"), (self._where, 1))
        self.setLayout(column(head, row(self.domain, self.task, folder, files, 1), spacing=6))
        self._fill(settings)
        folder.activated.connect(self.choose_folder)
        files.activated.connect(self.choose_files)
        self.domain.currentIndexChanged.connect(self._domain_changed)
        self.task.currentIndexChanged.connect(self.changed)

    def applied(self, settings: Settings) -> Settings:
        files, data = self._pddl(), self.domain.currentData()
        return replace(
            settings,
            task=str(self.task.currentData() or self._wanted),
            domain="" if files or data is None else str(data),
            domain_file=files[0] if files else "",
            problem_file=files[1] if files else "",
        )

    @property
    def default_robot(self) -> str:
        """Return the domain's default robot, "" while it is not known."""
        return self._outline.default_robot

    def show_outline(self, settings: Settings, found: ProbeResult) -> bool:
        """Show what was found in the domain of these settings. Return True if a person chose another domain,
        so that its default robot applies.
        """
        if self.task.count() or self.applied(settings) != settings:
            return False
        if not found.tasks:
            self._where.setText("cannot be read")
            set_tooltip(self._where, next((c.text for c in found.checks if c.state == "fault"), ""))
            return False
        self._show(DomainOutline(found.about, found.robot, found.tasks))
        return self._another

    # --- filling -----------------------------------------------------------------------------------------

    def _fill(self, settings: Settings) -> None:
        for name in domain_library.domain_names():
            self.domain.addItem(spaced(name), name)
        if settings.domain_file:
            self._add_pair(settings.domain_file, settings.problem_file)
        else:
            here = settings.domain or domain_library.domain_of_task(settings.task)
            if here and self.domain.findData(here) < 0:
                self.domain.addItem(Path(here).name, here)
            self.domain.setCurrentIndex(max(0, self.domain.findData(here)))
        self._fill_tasks(settings.task)

    def _fill_tasks(self, wanted: str = "") -> None:
        """List the tasks of a named domain; those of another are not known yet."""
        self._wanted = wanted
        self._show(DomainOutline())
        data = self.domain.currentData()
        if self._pddl() is None and data in domain_library.domain_names():
            try:
                self._show(domain_library.domain_outline(data))
            except ConsoleError as error:
                self.refused.emit(str(error))

    def _show(self, outline: DomainOutline) -> None:
        self._outline = outline
        self.task.show_items(((spaced(name), name) for name in outline.tasks), self._wanted)
        self._where.setText(outline.description)

    def _pddl(self) -> tuple[str, str] | None:
        data = self.domain.currentData()
        return (str(data[0]), str(data[1])) if isinstance(data, tuple | list) else None

    def _domain_changed(self) -> None:
        self._another = True
        self._fill_tasks()
        self.changed.emit()

    def choose_folder(self) -> None:
        dialog = file_dialog(self, "Open a domain folder", QFileDialog.FileMode.Directory)
        dialog.fileSelected.connect(self.add_folder)
        dialog.open()

    def choose_files(self) -> None:
        title, mode = "Open a domain file and a problem file", QFileDialog.FileMode.ExistingFiles
        dialog = file_dialog(self, title, mode, "PDDL (*.pddl)")
        dialog.filesSelected.connect(self.add_files)
        dialog.open()

    def add_folder(self, path: str) -> None:
        self.domain.addItem(Path(path).name, path)
        self.domain.setCurrentIndex(self.domain.count() - 1)

    def add_files(self, paths: list[str]) -> None:
        """Take two files; which one is the domain is read from their content."""
        domains = [path for path in paths if _is_domain(path)]
        problems = [path for path in paths if path not in domains]
        if len(domains) == len(problems) == 1:
            self._add_pair(domains[0], problems[0])
        else:
            self.refused.emit("Choose two files: one domain and one problem")

    def _add_pair(self, domain: str, problem: str) -> None:
        self.domain.addItem(Path(problem).stem, (domain, problem))
        self.domain.setCurrentIndex(self.domain.count() - 1)


def _is_domain(path: str) -> bool:
    """Return True if the file begins like a PDDL domain; a pipe or a device never does."""
    if not Path(path).is_file():
        return False
    try:
        with Path(path).open("rb") as file:
            start = file.read(MOST).decode("utf-8", errors="replace")
    except OSError:
        return False
    return "(domain" in start.split("(:")[0].replace("( ", "(")
