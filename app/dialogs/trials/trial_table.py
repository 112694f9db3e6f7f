"""The rows of an experiment, with the success of each drawn beside its interval."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from app.theme import paint, styling
from app.theme import tokens as t
from core.evaluation.comparison import Line
from core.untrusted_text import one_line

AnyIndex = QModelIndex | QPersistentModelIndex
COLUMNS = ("method", "answers", "openness", "trials", "success", "95 %", "", "false claims", "steps")
BAR, NUMBERS = 6, (2, 3, 4, 5, 7, 8)  # the column with the bar, and those on the right
WIDTHS = (104, 122, 62, 48, 60, 66, 110, 84, 62)
LINE = Qt.ItemDataRole.UserRole


class TrialTableModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.lines: tuple[Line, ...] = ()

    def show_lines(self, lines: tuple[Line, ...]) -> None:
        self.beginResetModel()
        self.lines = lines
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.lines)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in NUMBERS else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: AnyIndex, role: int = 0) -> object:
        line = self.lines[index.row()]
        if role == LINE:
            return line
        words = cells(line)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{COLUMNS[index.column()]}: {words}"
        return None


def cells(line: Line) -> tuple[str, ...]:
    """Return the words of a row, one per column; the bar has none."""
    return (
        one_line(line.method, 60),
        one_line(line.profile, 60),
        f"{line.openness:g}",
        str(line.trials),
        f"{100 * line.rate:.1f} %",
        f"{100 * line.low:.0f} to {100 * line.high:.0f}",
        "",
        str(line.false_claims),
        f"{line.steps:.1f}",
    )


class TrialDelegate(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(40, t.H_ROW)

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        box, line = QRectF(option.rect), index.data(LINE)
        x, y, w, h = box.x(), box.y(), box.width(), box.height()
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        if index.column() == BAR:
            _bar(p, line, x + t.S, y + h / 2, w - 2 * t.S)
        elif index.column() in NUMBERS:
            tone = "ink" if COLUMNS[index.column()] == "success" else "text"
            edge = t.M if index.column() == len(COLUMNS) - 1 else t.XS
            paint.text(p, x, y, w - edge, h, index.data(), "body", tone, paint.RIGHT)
        else:
            role, tone = ("strong", "ink") if index.column() == 0 else ("body", "muted")
            paint.text(p, x + (t.M if index.column() == 0 else 0), y, w - t.M, h, index.data(), role, tone)
        paint.fill(p, x, y + h - 1, w, 1, styling.colour("hair", 0.8))
        p.restore()


def _bar(p: QPainter, line: Line, x: float, middle: float, w: float) -> None:
    """Paint the success from 0 to 1, and its interval as a thin line."""
    paint.box(p, x, middle - 4, w, 8, "raised", None, 2)
    paint.box(p, x, middle - 4, max(1.0, w * line.rate), 8, styling.colour("accent", 0.55), None, 2)
    paint.fill(p, x + w * line.low, middle - 1, max(1.0, w * (line.high - line.low)), 2, "ink")


class TrialTable(QTableView):
    def __init__(self) -> None:
        super().__init__()
        self.lines = TrialTableModel()
        self.setModel(self.lines)
        self.setItemDelegate(TrialDelegate(self))
        self.setAccessibleName("Results")
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(t.H_ROW)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(BAR, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(40)
        for column, width in enumerate(WIDTHS):
            self.setColumnWidth(column, width)

    def show_lines(self, lines: tuple[Line, ...]) -> None:
        if lines != self.lines.lines:
            self.lines.show_lines(lines)
