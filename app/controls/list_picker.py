"""A list to pick an item from; each item has an icon, a text and a muted description."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QResizeEvent
from PySide6.QtWidgets import QListView, QStyle, QStyleOptionViewItem

from app.controls.button import ENTER
from app.controls.rows import ROW, AnyIndex, RowDelegate, RowsModel, State, set_up_view
from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.text.untrusted_text import tooltip


@dataclass(frozen=True)
class PickerItem:
    text: str
    key: object  # what it stands for
    note: str = ""
    icon: str = ""
    enabled: bool = True  # whether it can be picked
    trailing_text: str = ""  # at the right edge
    set_by_person: bool = False


class _Model(RowsModel[PickerItem]):
    def accessible_text(self, row: PickerItem) -> str:
        return f"{row.text}. {row.trailing_text} {row.note}".strip()

    def tooltip(self, row: PickerItem) -> str:
        return tooltip(f"{row.text}\n{row.note}".strip())


class _Delegate(RowDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        rows = self._note_lines(index.data(ROW), self.view.width() - 8)
        return QSize(10, 26 + 16 * len(rows) if rows else 28)

    @staticmethod
    def _note_lines(item: PickerItem, w: float) -> list[str]:
        """Return the wrapped lines of the description, which is never elided."""
        return paint.lines(item.note, "small", w - 2 * t.L - (24 if item.icon else 0), 4)

    def draw(self, p: QPainter, box: QRectF, state: QStyle.StateFlag, index: AnyIndex) -> None:
        item: PickerItem = index.data(ROW)
        x, y, w, h = box.x(), box.y(), box.width(), box.height()
        if state & State.State_Selected:
            p.fillRect(box, styling.colour("accent_soft"))
            if self.view.hasFocus():
                paint.fill(p, x, y, t.BAR, h, "accent")
        elif state & State.State_MouseOver:
            p.fillRect(box, styling.colour("raised"))
        paint.fill(p, x, y + h - 1, w, 1, "hair")
        top = 20.0 if item.note else h
        at = x + t.L
        if item.icon:
            icons.draw(
                p, item.icon, at, y + (top + 4) / 2 - 7, 14, "accent" if item.set_by_person else "muted"
            )
            at += 24
        tail = paint.width(item.trailing_text, "small")
        paint.text(p, x, y + 2, w - t.L, top, item.trailing_text, "small", "muted", paint.RIGHT)
        ink = "ink" if item.enabled else "muted"
        paint.text(p, at, y + 2, x + w - at - t.XL - tail, top, item.text, "label", ink)
        for i, words in enumerate(self._note_lines(item, self.view.width() - 8)):
            paint.text(p, at, y + 21 + 16 * i, x + w - at - t.L, 16, words, "small", "muted")


class ListPicker(QListView):
    picked = Signal(object)  # PickerItem.key: Enter or a double click
    moved = Signal()  # another item is the current one

    def __init__(self, name: str) -> None:
        super().__init__()
        self._model = _Model()
        self.setModel(self._model)
        self.setItemDelegate(_Delegate(self))
        self.setMouseTracking(True)
        set_up_view(self, name)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(self.pick)
        self.selectionModel().currentChanged.connect(self.moved)

    def show_items(self, items: tuple[PickerItem, ...], keep: object = None) -> None:
        """Show these items. The item with the key `keep` stays current."""
        self._model.show_rows(items)
        at = next((i for i, item in enumerate(items) if item.key == keep), 0)
        if items:
            self.setCurrentIndex(self._model.index(at))
        self.moved.emit()

    @property
    def items(self) -> tuple[PickerItem, ...]:
        return self._model.rows

    @property
    def current(self) -> PickerItem | None:
        index = self.currentIndex()
        return index.data(ROW) if index.isValid() else None

    def step(self, by: int) -> None:
        """Select the next or the previous item, also while the search field has the focus."""
        last = self._model.rowCount() - 1
        if last >= 0:
            self.setCurrentIndex(self._model.index(max(0, min(last, self.currentIndex().row() + by))))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()  # how high a row is depends on the width

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER:
            self.pick()
        elif event.text().isprintable() and event.text():
            event.ignore()  # a letter is a key of the dialog, or a word of its search
        else:
            super().keyPressEvent(event)

    def pick(self) -> None:
        """Pick the current item."""
        if self.current is not None and self.current.enabled:
            self.picked.emit(self.current.key)
