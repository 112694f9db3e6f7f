"""The rows of an experiment, with true success, believed success and false claims drawn in each."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QStyleOptionViewItem, QTableView

from app.controls.rows import ROW, AnyIndex, RowDelegate, set_up_table
from app.theme import paint, styling
from app.theme import tokens as t
from core.evaluation.comparison import ComparisonRow
from core.text.untrusted_text import one_line

BAR_HEAD = "true, believed, false"
COLUMNS = (
    *("method", "answers", "openness", "trials", "success", "95 %", BAR_HEAD),
    *("believed", "false claims", "steps"),
)
BAR, NUMBERS = 6, (2, 3, 4, 5, 7, 8, 9)  # the column with the bars, and those on the right
WIDTHS = (100, 112, 62, 44, 60, 72, 110, 60, 76, 48)


class TrialTableModel(QAbstractTableModel):
    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[ComparisonRow, ...] = ()

    def show_rows(self, rows: tuple[ComparisonRow, ...]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.TextAlignmentRole:
            if section == BAR:
                return Qt.AlignmentFlag.AlignCenter
            side = Qt.AlignmentFlag.AlignRight if section in NUMBERS else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: AnyIndex, role: int = 0) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        words = cell_texts(row)[index.column()]
        if role == Qt.ItemDataRole.DisplayRole:
            return words
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{COLUMNS[index.column()]}: {words}"
        return None


def cell_texts(row: ComparisonRow) -> tuple[str, ...]:
    """Return the words of a row, one per column; the bar has none."""
    return (
        one_line(row.method, 60),
        one_line(row.profile, 60),
        f"{row.openness:g}",
        str(row.trials),
        f"{100 * row.rate:.1f} %",
        f"{100 * row.low:.0f} to {100 * row.high:.0f}",
        "",
        str(row.believed),
        str(row.false_claims),
        f"{row.steps:.1f}",
    )


class TrialDelegate(RowDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(40, t.H_ROW)

    def draw(self, p: QPainter, box: QRectF, state: QStyle.StateFlag, index: AnyIndex) -> None:
        x, y, w, h = box.x(), box.y(), box.width(), box.height()
        if index.column() == BAR:
            _bar(p, index.data(ROW), x + t.S, y + h / 2, w - 2 * t.S)
        elif index.column() in NUMBERS:
            tone = "ink" if COLUMNS[index.column()] == "success" else "text"
            edge = t.M if index.column() == len(COLUMNS) - 1 else t.XS
            paint.text(p, x, y, w - edge, h, index.data(), "body", tone, paint.RIGHT)
        else:
            role, tone = ("strong", "ink") if index.column() == 0 else ("body", "muted")
            paint.text(p, x + (t.M if index.column() == 0 else 0), y, w - t.M, h, index.data(), role, tone)
        paint.fill(p, x, y + h - 1, w, 1, styling.colour("hair", 0.8))


def _bar(p: QPainter, row: ComparisonRow, x: float, middle: float, w: float) -> None:
    """Paint true success with its interval as a thin line, and below it believed success and false claims."""
    accent = styling.colour("accent", 0.55)
    paint.box(p, x, middle - 8, w, 8, "raised", None, 2)
    paint.box(p, x, middle - 8, max(1.0, w * row.rate), 8, accent, None, 2)
    paint.fill(p, x + w * row.low, middle - 5, max(1.0, w * (row.high - row.low)), 2, "ink")
    paint.fill(p, x, middle + 2, w * row.believed / row.trials, 2, "muted")
    paint.fill(p, x, middle + 6, w * row.false_claims / row.trials, 2, "fault")


class TrialTable(QTableView):
    def __init__(self) -> None:
        super().__init__()
        self.table_model = TrialTableModel()
        self.setModel(self.table_model)
        self.setItemDelegate(TrialDelegate(self))
        set_up_table(self, "Results", t.H_ROW)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(BAR, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(40)
        for column, width in enumerate(WIDTHS):
            self.setColumnWidth(column, width)

    def show_rows(self, rows: tuple[ComparisonRow, ...]) -> None:
        if rows != self.table_model.rows:
            self.table_model.show_rows(rows)
