"""Export what a page shows: its table as CSV, its figures as SVG, and the query behind them as text."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QBuffer, QIODevice, QObject, QPoint, QRect, Signal
from PySide6.QtGui import QGuiApplication, QPainter
from PySide6.QtSvg import QSvgGenerator
from PySide6.QtWidgets import QMenu, QWidget

from app.controls.layout import open_menu
from app.main_window import MainWindow
from app.review.log_worker import LogWorker
from app.review.text_dialog import TextDialog
from core.data_file import replacing
from core.errors import ConsoleError
from core.log.store import Store
from core.text.plural import plural


@dataclass(frozen=True)
class PageExport:
    """What a page can export. `query` and `table` refer to the episodes listed when they are called."""

    name: str  # of the file, without its extension
    query: Callable[[], str]  # raises BadValue
    table: Callable[[Store, Path], int]  # on the log's thread; writes CSV and returns its rows
    figures: QWidget | None = None


class FigureExport(QObject):
    """Asks over `window` for the file and writes it. GUI thread only."""

    reported = Signal(str)  # for the title
    failed = Signal(str)  # one sentence

    def __init__(self, library: LogWorker, window: MainWindow) -> None:
        super().__init__(window)
        self._library, self._window = library, window

    def open_menu(self, page: PageExport, anchor: QWidget) -> None:
        menu = QMenu(anchor)
        menu.addAction("Table as CSV…").triggered.connect(lambda: self._ask(page, "csv", self.write_table))
        if page.figures is not None:
            menu.addAction("Figures as SVG…").triggered.connect(
                lambda: self._ask(page, "svg", self.write_svg)
            )
        menu.addAction("Copy the SQLite query").triggered.connect(lambda: self.copy_query(page))
        open_menu(menu, anchor)

    def _ask(self, page: PageExport, extension: str, write: Callable[[PageExport, Path], None]) -> None:
        to = self._library.path.parent / f"{page.name}.{extension}"
        dialog = TextDialog(self._window, "Export", f"as {extension.upper()}", "File", str(to), "Export")
        dialog.entered.connect(lambda file: write(page, Path(file).expanduser()))
        dialog.open_over()

    def write_table(self, page: PageExport, to: Path) -> None:
        self._library.submit(
            lambda d, _: _write_table(page, d.store, to),
            lambda rows: self.reported.emit(f"{plural(rows, 'row')} written to {to}"),
            "Exporting",
        )

    def write_svg(self, page: PageExport, to: Path) -> None:
        assert page.figures is not None
        try:
            with replacing(to) as part:
                part.write_bytes(svg(page.figures))
        except ConsoleError as error:
            self.failed.emit(str(error))
        else:
            self.reported.emit(f"The figures were written to {to}")

    def copy_query(self, page: PageExport) -> None:
        try:
            QGuiApplication.clipboard().setText(page.query())
        except ConsoleError as error:
            self.failed.emit(str(error))
        else:
            self.reported.emit("The query is on the clipboard: it runs in sqlite3 and in a notebook")


def _write_table(page: PageExport, store: Store, to: Path) -> int:
    with replacing(to) as part:
        return page.table(store, part)


def svg(figures: QWidget) -> bytes:
    """Return a widget as scalable graphics, in the theme that the window has."""
    buffer, made = QBuffer(), QSvgGenerator()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    made.setOutputDevice(buffer)
    made.setSize(figures.size())
    made.setViewBox(QRect(0, 0, figures.width(), figures.height()))
    made.setTitle(figures.accessibleName())
    made.setDescription(figures.accessibleDescription())
    with QPainter(made) as painter:
        figures.render(painter, QPoint())
    return bytes(buffer.data().data())
