"""Rows of cells in a stock table view: text, icon, colour and font by role, and a note below the row."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from PySide6.QtCore import (
    QAbstractItemModel,
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QPersistentModelIndex,
    QRect,
    Qt,
    QTimer,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.text.untrusted_text import MAX_LINE_CHARS, sanitise, tooltip

ROW = Qt.ItemDataRole.UserRole  # the row itself
NOTE = Qt.ItemDataRole.UserRole + 1  # of its row
AnyIndex = QModelIndex | QPersistentModelIndex
R = TypeVar("R")
LINE = 16  # px of each line of a note
PADDING = 8  # px of a cell that its words do not get: the style's margins, and two to be sure


@lru_cache(maxsize=4096)
def _plain(text: str) -> str:
    return sanitise(text, MAX_LINE_CHARS)


@dataclass(frozen=True)
class Cell:
    text: str = ""
    icon: str = ""
    tone: str = "text"
    icon_tone: str = "muted"
    font: str = "body"
    right: bool = False  # aligned
    strike: bool = False

    def data(self, role: int) -> object:
        if role == Qt.ItemDataRole.DisplayRole:
            return _plain(self.text)
        if role == Qt.ItemDataRole.DecorationRole:
            return icons.pixmap(self.icon, 14, self.icon_tone) if self.icon else None
        if role == Qt.ItemDataRole.FontRole:
            return styling.font(self.font, self.strike)
        if role == Qt.ItemDataRole.ForegroundRole:
            return styling.colour(self.tone)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return paint.RIGHT if self.right else paint.LEFT
        return None


@dataclass(frozen=True)
class RowLook:
    """A row. Its note spans all of its columns; `spoken` is what a screen reader says."""

    cells: tuple[Cell, ...]
    spoken: str
    tip: str = ""
    note: str = ""
    note_tone: str = "muted"
    note_icon: str = ""
    ground: str = ""

    def data(self, column: int, role: int) -> object:
        if role == NOTE:
            return self
        if role == Qt.ItemDataRole.BackgroundRole:
            return styling.colour(self.ground) if self.ground else None
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.spoken
        if role == Qt.ItemDataRole.ToolTipRole:
            return tooltip(self.tip) if self.tip else None
        return self.cells[column].data(role)


class RowsModel(QAbstractTableModel, Generic[R]):
    """Frozen rows, looked at by `look`. With a `key` a row that moves stays selected."""

    def __init__(
        self,
        look: Callable[[R], RowLook],
        heads: Sequence[str] = ("",),
        key: Callable[[R], object] | None = None,
    ) -> None:
        super().__init__()
        self.rows: tuple[R, ...] = ()
        self.heads = tuple(heads)
        self._look, self._key = look, key
        self._looks: list[RowLook] = []

    def show_rows(self, rows: tuple[R, ...], again: bool = False) -> bool:
        """Show these rows, the same ones only if they look different `again`. Return True if they do."""
        if rows == self.rows and not again:
            return False
        looks = [self._look(row) for row in rows]
        if len(rows) != len(self.rows):
            self.beginResetModel()
            self.rows, self._looks = rows, looks
            self.endResetModel()
            return True
        places = {key: i for i, key in enumerate(map(self._key, rows))} if self._key else {}
        moved = [places.get(key, -1) for key in map(self._key, self.rows)] if self._key else []
        if moved != list(range(len(moved))):
            self.layoutAboutToBeChanged.emit()
            held = self.persistentIndexList()
            kept = [self.index(moved[i.row()], i.column()) for i in held]
            before, self.rows, self._looks = self._looks, rows, looks
            self.changePersistentIndexList(held, kept)
            self.layoutChanged.emit()
        else:
            before, self.rows, self._looks = self._looks, rows, looks
        others = [i for i, look in enumerate(looks) if again or look != before[i]]  # what is painted anew
        if others:
            self.dataChanged.emit(self.index(others[0], 0), self.index(others[-1], len(self.heads) - 1))
        return True

    @property
    def spoken(self) -> list[str]:
        """Return what a screen reader says of each row."""
        return [look.spoken for look in self._looks]

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.heads)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        return Qt.ItemFlag.ItemIsSelectable | Qt.ItemFlag.ItemIsEnabled

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.heads[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and self._looks:
            return self._looks[0].cells[section].data(role)
        return None

    def data(self, index: AnyIndex, role: int = 0) -> object:
        if role == ROW:
            return self.rows[index.row()]
        return self._looks[index.row()].data(index.column(), role)


class RowDelegate(QStyledItemDelegate):
    """Adds to a stock cell the note of its row, and a line below."""

    margin, right = t.M, 0  # px, of what stands in a row, and at its end
    most = 6  # lines of a note

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view

    def note_lines(self, look: RowLook) -> list[str]:
        room = self._view.viewport().width() - 2 * self.margin - (20 if look.note_icon else 0)
        return paint.lines(look.note, "small", room, self.most) if look.note else []

    def left(self, column: int) -> int:
        """Return the px that a cell of this column leaves free on its left."""
        return self.margin - 4 if all(self._view.isColumnHidden(i) for i in range(column)) else 0

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        look: RowLook = index.data(NOTE)
        notes, box, left = self.note_lines(look), option.rect, self.left(index.column())
        ground = "accent_soft" if option.state & QStyle.StateFlag.State_Selected else look.ground
        above = QStyleOptionViewItem(option)
        above.rect = box.adjusted(0, 0, 0, -LINE * len(notes) - 1)
        if ground:
            p.fillRect(above.rect, styling.colour(ground))
        above.rect = above.rect.adjusted(left, 0, -self.right if index.column() else 0, 0)
        super().paint(p, above, index)
        if notes:
            self._paint_note(p, look, notes, box, ground)
        p.fillRect(box.adjusted(0, box.height() - 1, 0, 0), styling.colour("hair"))

    def _paint_note(self, p: QPainter, look: RowLook, notes: list[str], cell: QRect, ground: str) -> None:
        """Paint what of the note is in this cell; what its neighbours paint here, the view paints over."""
        high = LINE * len(notes) + 1
        x, y = float(self.margin), float(cell.bottom() - high)
        p.save()
        p.setClipRect(cell.adjusted(0, cell.height() - high, 0, 0))
        p.fillRect(cell, styling.colour(ground or "surface"))
        if look.note_icon:
            icons.draw(p, look.note_icon, x, y + 1, 13, look.note_tone)
            x += 20
        for i, words in enumerate(notes):
            paint.text(p, x, y + LINE * i, 4000, LINE, words, "small", look.note_tone)
        p.restore()


class RowsTable(QTableView):
    """A table of such rows, each as high as its words; the column `stretch` takes the room that is left."""

    def __init__(self, model: QAbstractItemModel, name: str, widths: Sequence[int] = (0,)) -> None:
        """`widths` are those of the columns in px; 0 stretches."""
        super().__init__()
        self.setModel(model)
        self._delegate = RowDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(name)
        self.setDragEnabled(False)  # a QDrag would swallow the stop key
        self.setDragDropMode(QAbstractItemView.DragDropMode.NoDragDrop)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(t.H_ROW)
        self.verticalHeader().setDefaultSectionSize(t.H_ROW)
        head = self.horizontalHeader()
        head.setFixedHeight(24)
        head.setFont(styling.font("caption"))
        head.setHighlightSections(False)
        head.setDefaultAlignment(paint.LEFT)
        head.setSectionsClickable(False)
        head.setMinimumSectionSize(14)
        self._wrapped = [i for i, width in enumerate(widths) if not width]
        self.set_widths(widths)
        self._soon = QTimer(self, interval=0, singleShot=True)
        self._soon.timeout.connect(self.fit)
        head.sectionResized.connect(lambda *_: self._soon.start())  # words break elsewhere

    def set_widths(self, widths: Sequence[int]) -> None:
        """Set the columns' widths in px: 0 stretches, and a negative one hides the column."""
        head, modes = self.horizontalHeader(), QHeaderView.ResizeMode
        for i, width in enumerate(widths):
            head.setSectionHidden(i, width < 0)
            head.setSectionResizeMode(i, modes.Fixed if width else modes.Stretch)
            if width > 0 and head.sectionSize(i) != width:
                head.resizeSection(i, width)

    def fit(self) -> None:
        """Make each row as high as its words need. Qt would ask each cell for each role, which takes long."""
        model, shown = self.model(), [i for i in self._wrapped if not self.isColumnHidden(i)]
        rooms = {i: self.columnWidth(i) - PADDING - self._delegate.left(i) for i in shown}
        for i in range(model.rowCount()):
            high = self.row_height(model.index(i, 0).data(NOTE), rooms)
            if self.rowHeight(i) != high:
                self.setRowHeight(i, high)
        self.updateGeometries()

    def row_height(self, look: RowLook, rooms: Mapping[int, int]) -> int:
        """Return the height in px that a row needs where its columns have these rooms."""
        most = 1
        for i, room in rooms.items():
            cell = look.cells[i]
            room -= 20 if cell.icon else 0
            if paint.width(cell.text, cell.font) > room:
                most = max(most, len(paint.lines(cell.text, cell.font, room, 9)))
        return t.H_ROW + 17 * (most - 1) + LINE * len(self._delegate.note_lines(look))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.viewport().update()
