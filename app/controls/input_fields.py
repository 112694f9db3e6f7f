"""A combo box, a check box and a radio button with the sizes of the design tokens."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import Any

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QCheckBox, QComboBox, QListView, QStyleOptionComboBox

from app.theme import paint, styling
from app.theme import tokens as t


class FindingList(QListView):
    """Goes to the next item that has in it what is typed, at its beginning or not."""

    def __init__(self) -> None:
        super().__init__()
        self._typed, self._at = "", 0.0

    def keyboardSearch(self, letter: str) -> None:
        now = time.monotonic()
        goes_on = now - self._at < QApplication.keyboardInputInterval() / 1000
        self._typed, self._at = (self._typed if goes_on else "") + letter, now
        how = Qt.MatchFlag.MatchContains | Qt.MatchFlag.MatchWrap
        model = self.model()
        start = self.currentIndex() if self.currentIndex().isValid() else model.index(0, 0)
        for found in model.match(start, Qt.ItemDataRole.DisplayRole, self._typed, 1, how):
            self.setCurrentIndex(found)


class ComboBox(QComboBox):
    """A combo box, as wide as it is told, whatever its items; typing in its list finds words."""

    def __init__(self, name: str, width: int = 120) -> None:
        super().__init__()
        self._least = width
        self._disabled: Mapping[Any, str] = {}
        self.setView(FindingList())
        self.setAccessibleName(name)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        self.setFixedHeight(t.H_CONTROL)
        self.setFont(styling.font("body"))

    def show_items(self, items: Iterable[tuple[str, object]], chosen: object = None) -> None:
        """Show these texts, each with what it stands for, and choose one, else the first; tell nobody."""
        with QSignalBlocker(self):
            self.clear()
            self._disabled = {}
            for words, data in items:
                self.addItem(words, data)
            self.setCurrentIndex(max(0, self.findData(chosen)) if self.count() else -1)

    def disable_items(self, reasons: Mapping[Any, str]) -> None:
        """Disable what stands for these, each with its reason beside it, and enable all others."""
        if reasons == self._disabled:
            return
        self._disabled = reasons
        for i in range(self.count()):
            item, words = self.model().item(i), self.itemText(i).partition(" (")[0]  # type: ignore[attr-defined]
            reason = reasons.get(self.itemData(i), "")
            item.setEnabled(not reason)
            self.setItemText(i, f"{words} ({reason})" if reason else words)

    def sizeHint(self) -> QSize:
        return QSize(self._least, t.H_CONTROL)

    minimumSizeHint = sizeHint

    def initStyleOption(self, option: QStyleOptionComboBox) -> None:
        super().initStyleOption(option)
        option.currentText = paint.elided(option.currentText, "body", self.width() - 36)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # a scroll past it changes nothing


class CheckBox(QCheckBox):
    def __init__(self, words: str, on: bool = False) -> None:
        super().__init__(words)
        self.setChecked(on)
        self.setFixedHeight(t.H_CONTROL)
        self.setFont(styling.font("label"))
        self.setAccessibleName(words)
