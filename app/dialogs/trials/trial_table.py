"""The rows of an experiment, with true success, believed success and false claims drawn in each."""

from __future__ import annotations

from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyleOptionViewItem

from app.controls.rows import ROW, AnyIndex, Cell, RowDelegate, RowLook, RowsModel, RowsTable
from app.presentation.names import method_title
from app.theme import paint, styling
from app.theme import tokens as t
from core.evaluation.comparison import ComparisonRow
from core.text.untrusted_text import one_line

BAR_HEAD = "true, believed, false"
COLUMNS = (
    *("method", "answers", "openness", "trials", "success", "95 %", BAR_HEAD),
    *("believed", "false", "steps"),
)
BAR, NUMBERS = 6, (2, 3, 4, 5, 7, 8, 9)  # the column with the bars, and those on the right
WIDTHS = (124, 116, 64, 46, 66, 78, 0, 62, 44, 50)


def row_look(row: ComparisonRow) -> RowLook:
    texts = (
        one_line(method_title(row.method), 60),
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
    bright = {"method": "strong", "success": "strong"}
    tones, columns = dict.fromkeys(bright, "ink"), enumerate(zip(COLUMNS, texts, strict=True))
    looks = ((i, text, tones.get(head, "text"), bright.get(head, "body")) for i, (head, text) in columns)
    cells = (Cell(text, tone=tone, font=font, right=i in NUMBERS) for i, text, tone, font in looks)
    return RowLook(tuple(cells), ", ".join(map(": ".join, zip(COLUMNS, texts, strict=True))))


class TrialDelegate(RowDelegate):
    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        super().paint(p, option, index)
        if index.column() == BAR:
            box = option.rect
            _bar(p, index.data(ROW), box.x() + t.S, box.center().y(), box.width() - 2 * t.S)


def _bar(p: QPainter, row: ComparisonRow, x: float, middle: float, w: float) -> None:
    """Paint true success with its interval as a thin line, and below it believed success and false claims."""
    accent = styling.colour("accent", 0.55)
    paint.box(p, x, middle - 8, w, 8, "raised", None, 2)
    paint.box(p, x, middle - 8, max(1.0, w * row.rate), 8, accent, None, 2)
    paint.fill(p, x + w * row.low, middle - 5, max(1.0, w * (row.high - row.low)), 2, "ink")
    paint.fill(p, x, middle + 2, w * row.believed / row.trials, 2, "muted")
    paint.fill(p, x, middle + 6, w * row.false_claims / row.trials, 2, "fault")


class TrialTable(RowsTable):
    def __init__(self) -> None:
        self.table_model = RowsModel(row_look, COLUMNS)
        super().__init__(self.table_model, "Results", WIDTHS)
        self.setItemDelegate(TrialDelegate(self))
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)

    def show_rows(self, rows: tuple[ComparisonRow, ...]) -> None:
        self.table_model.show_rows(rows)
