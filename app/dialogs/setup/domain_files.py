"""Pick a domain folder, or a domain file and a problem file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QFileDialog, QWidget

from app.controls.text import disable_drag

MOST = 1 << 16  # bytes of a file that are looked at


class DomainFilePicker(QObject):
    """Uses Qt's own file dialogs, because a native one does not deliver Esc to the program."""

    folder = Signal(str)
    pair = Signal(str, str)  # the domain's path, the problem's path
    refused = Signal(str)  # why the choice makes no sense

    def __init__(self, over: QWidget) -> None:
        super().__init__(over)
        self._over = over

    def open_folder(self) -> None:
        file_dialog = self._dialog("Open a domain folder", QFileDialog.FileMode.Directory, "")
        file_dialog.fileSelected.connect(self.folder)
        file_dialog.open()

    def open_pair(self) -> None:
        mode = QFileDialog.FileMode.ExistingFiles
        file_dialog = self._dialog("Open a domain file and a problem file", mode, "PDDL (*.pddl)")
        file_dialog.filesSelected.connect(self.take)
        file_dialog.open()

    def take(self, paths: list[str]) -> None:
        """Take one or two files; which one is the domain is read from their content."""
        domains = [p for p in paths if _is_domain(p)]
        problems = [p for p in paths if p not in domains]
        if len(domains) == len(problems) == 1:
            self.pair.emit(domains[0], problems[0])
        else:
            self.refused.emit("Choose two files: one domain and one problem")

    def _dialog(self, title: str, mode: QFileDialog.FileMode, kinds: str) -> QFileDialog:
        file_dialog = QFileDialog(self._over, title, str(Path.home()), kinds)
        file_dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        file_dialog.setFileMode(mode)
        file_dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        disable_drag(file_dialog)
        return file_dialog


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
