"""A list to pick an item from; each item has an icon, a text and a muted description."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import SIGNAL, QModelIndex, Signal
from PySide6.QtGui import QKeyEvent

from app.controls.button import ENTER
from app.controls.rows import ROW, Cell, RowLook, RowsModel, RowsTable
from app.theme import paint
from app.theme import tokens as t

PICKED = SIGNAL("picked(PyObject)")  # where nobody hears it, Enter is a key of what is around the list


@dataclass(frozen=True)
class PickerItem:
    text: str
    key: object  # what it stands for
    note: str = ""
    icon: str = ""
    enabled: bool = True  # whether it can be picked
    trailing_text: str = ""  # at the right edge
    set_by_person: bool = False


def _look(item: PickerItem) -> RowLook:
    mark = "accent" if item.set_by_person else "muted"
    text = Cell(item.text, item.icon, "ink" if item.enabled else "muted", mark, "label")
    tail = Cell(item.trailing_text, tone="muted", font="small", right=True)
    spoken = f"{item.text}. {item.trailing_text} {item.note}".strip()
    return RowLook((text, tail), spoken, f"{item.text}\n{item.note}".strip(), item.note)


class ListPicker(RowsTable):
    picked = Signal(object)  # PickerItem.key: Enter or a double click
    moved = Signal()  # another item is the current one

    def __init__(self, name: str) -> None:
        self._items = RowsModel(_look, ("", ""), lambda item: item.key)
        super().__init__(self._items, name, (0, -1))
        self._delegate.margin, self._delegate.right = t.XL, t.M  # as what stands above it in a dialog
        self.horizontalHeader().hide()
        self.doubleClicked.connect(self.pick)
        self.selectionModel().currentChanged.connect(self.moved)

    def show_items(self, items: tuple[PickerItem, ...], keep: object = None, none: str = "") -> None:
        """Show these items, or that there are none. The item with the key `keep` stays current."""
        self._items.show_rows(items or ((PickerItem(none, None, enabled=False),) if none else ()))
        tail = max((paint.width(item.trailing_text, "small") for item in items), default=0)
        self.set_widths((0, round(tail) + t.XL + t.M if tail else -1))
        self.fit()
        at = next((i for i, item in enumerate(items) if item.key == keep), 0)
        self.setCurrentIndex(self._items.index(at, 0) if items else QModelIndex())
        self.moved.emit()

    @property
    def items(self) -> tuple[PickerItem, ...]:
        return tuple(item for item in self._items.rows if item.key is not None)

    @property
    def current(self) -> PickerItem | None:
        index = self.currentIndex()
        return index.data(ROW) if index.isValid() else None

    def step(self, by: int) -> None:
        """Select the next or the previous item, also while the search field has the focus."""
        last = self._items.rowCount() - 1
        if self.items:
            self.setCurrentIndex(self._items.index(max(0, min(last, self.currentIndex().row() + by)), 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in ENTER and self.receivers(PICKED):
            self.pick()
        elif event.text().isprintable() and event.text():
            event.ignore()  # a letter is a key of the dialog, or a word of its search
        else:
            super().keyPressEvent(event)

    def pick(self) -> None:
        """Pick the current item."""
        if self.current is not None and self.current.enabled:
            self.picked.emit(self.current.key)
