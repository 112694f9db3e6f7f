"""The flat table: a row for each listed episode, from the pages that the list has loaded."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QTableView

from app.controls.rows import ROW, AnyIndex, RowDelegate, State, handle_row_key, set_up_table
from app.review.episode_list.episode_list_model import OPEN, EpisodeListModel, outcome
from app.review.episode_table.columns import COLUMNS
from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.review.catalog import EpisodeListEntry
from core.text.untrusted_text import one_line

CELL = 120  # characters
GAP = "\u2002"  # between the head of a number and the next one


class EpisodeTableModel(QAbstractTableModel):
    """The list's own rows with a column for each figure, so that the two always show the same episodes."""

    def __init__(self, episodes: EpisodeListModel) -> None:
        super().__init__()
        self._list = episodes
        self.order, self.descending = "began", True
        episodes.modelAboutToBeReset.connect(self.beginResetModel)
        episodes.modelReset.connect(self.endResetModel)
        episodes.dataChanged.connect(self._changed)

    def _changed(self, first: QModelIndex, last: QModelIndex) -> None:
        self.dataChanged.emit(self.index(first.row(), 0), self.index(last.row(), len(COLUMNS) - 1))

    def show_order(self, order: str, descending: bool) -> None:
        self.order, self.descending = order, descending
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(COLUMNS) - 1)

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._list.rowCount()

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        column = COLUMNS[section]
        if role == Qt.ItemDataRole.DisplayRole:
            arrow = (" ↓" if self.descending else " ↑") if column.order == self.order else ""
            return f"{column.title}{arrow}" + GAP * column.number
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if column.number else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: AnyIndex, role: int = 0) -> object:
        if role in (ROW, OPEN):
            return self._list.data(self._list.index(index.row()), role)
        if role not in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return None
        if (entry := self._list.entry(index.row())) is None:
            return None
        column = COLUMNS[index.column()]
        words = one_line(column.cell(entry), CELL)
        return f"{column.title}: {words}" if role == Qt.ItemDataRole.AccessibleTextRole else words


class EpisodeTableDelegate(RowDelegate):
    def draw(self, p: QPainter, box: QRectF, state: QStyle.StateFlag, index: AnyIndex) -> None:
        column, entry = COLUMNS[index.column()], index.data(ROW)
        x, y, w, h = box.x(), box.y(), box.width(), box.height()
        if state & State.State_Selected:
            p.fillRect(box, styling.colour("accent_soft"))
        elif index.data(OPEN):
            p.fillRect(box, styling.colour("raised"))
        if index.column() == 0 and index.data(OPEN):
            paint.fill(p, x, y, t.BAR, h, "ink")
        if entry is None:
            paint.text(p, x + t.M, y, w, h, "…" if index.column() == 0 else "", "small", "muted")
        elif column.number:
            paint.text(p, x, y, w - t.S, h, index.data(), "small", "text", paint.RIGHT)
        else:
            self._words(p, entry, index, x, y, w, h)
        paint.fill(p, x, y + h - 1, w, 1, styling.colour("hair", 0.8))

    @staticmethod
    def _words(
        p: QPainter, entry: EpisodeListEntry, index: AnyIndex, x: float, y: float, w: float, h: float
    ) -> None:
        title = COLUMNS[index.column()].title
        if title == "result":
            icon, words, level = outcome(entry.summary)
            tone = {"you": "accent", "": "muted"}.get(level, level)
            icons.draw(
                p, icon, x, y + h / 2 - 6, 12, f"{level}_fill" if level in ("doubt", "fault") else tone
            )
            paint.text(p, x + 18, y, w - 18 - t.XS, h, words, "small", tone if level else "text")
            return
        edge = t.M if index.column() == 0 else 0
        role, tone = ("label", "ink") if index.column() == 0 else ("small", "text")
        paint.text(p, x + edge, y, w - edge - t.S, h, index.data(), role, tone)


class EpisodeTable(QTableView):
    """Emits the row to open, and the column of the log by which to sort."""

    chosen = Signal(int)
    sorted_by = Signal(str)

    def __init__(self, episodes: EpisodeListModel) -> None:
        super().__init__()
        self.episodes = EpisodeTableModel(episodes)
        self.setModel(self.episodes)
        self.setItemDelegate(EpisodeTableDelegate(self))
        set_up_table(self, "Table of episodes", t.H_ROW)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        head = self.horizontalHeader()
        head.setFixedHeight(28)
        head.setFont(styling.font("caption"))
        head.setHighlightSections(False)
        head.setMinimumSectionSize(36)
        head.setSectionsClickable(True)
        head.sectionClicked.connect(self._sort)
        for i, column in enumerate(COLUMNS):
            self.setColumnWidth(i, column.width)
        self.doubleClicked.connect(self._opened)

    def _opened(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())

    def _sort(self, section: int) -> None:
        if order := COLUMNS[section].order:
            self.sorted_by.emit(order)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not handle_row_key(self, event, self._opened):
            super().keyPressEvent(event)
