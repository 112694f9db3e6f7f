"""Painted rows: what the models, the delegates and the views of lists and tables share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QRectF, Qt
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from app.controls.button import ENTER

ROW = Qt.ItemDataRole.UserRole  # the row itself
AnyIndex = QModelIndex | QPersistentModelIndex
State = QStyle.StateFlag
R = TypeVar("R")


class RowsModel(QAbstractListModel, Generic[R]):
    """A list of frozen rows."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[R, ...] = ()

    def show_rows(self, rows: tuple[R, ...]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def accessible_text(self, row: R) -> str:
        raise NotImplementedError

    def tooltip(self, row: R) -> str:
        """Return the tooltip, escaped; "" for none."""
        return ""

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: AnyIndex, role: int = 0) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return self.accessible_text(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return self.tooltip(row) or None
        return None


class RowDelegate(QStyledItemDelegate):
    """Paints rows, or cells, of a view by `draw`."""

    def __init__(self, view: QAbstractItemView) -> None:
        super().__init__(view)
        self.view = view

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.draw(p, QRectF(option.rect), option.state, index)
        p.restore()

    def draw(self, p: QPainter, box: QRectF, state: QStyle.StateFlag, index: AnyIndex) -> None:
        raise NotImplementedError


def handle_row_key(
    view: QAbstractItemView, event: QKeyEvent, open_row: Callable[[QModelIndex], object]
) -> bool:
    """Open the current row with Enter, and leave letters to the window. Return False for other keys."""
    if event.key() in ENTER and view.currentIndex().isValid():
        open_row(view.currentIndex())
    elif event.text() and event.text().isprintable() and not event.modifiers():
        event.ignore()  # no search in the list
    else:
        return False
    return True


def set_up_view(view: QAbstractItemView, name: str) -> None:
    """Let a view scroll by the pixel and drag nothing, because a QDrag would swallow the stop key."""
    view.setAccessibleName(name)
    view.setDragEnabled(False)
    view.setDragDropMode(QAbstractItemView.DragDropMode.NoDragDrop)
    view.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)


def set_up_table(table: QTableView, name: str, row_height: int) -> None:
    """Set up a table of rows without a grid and without row numbers."""
    set_up_view(table, name)
    table.setShowGrid(False)
    table.setTabKeyNavigation(False)
    table.verticalHeader().hide()
    table.verticalHeader().setDefaultSectionSize(row_height)
