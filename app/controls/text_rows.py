"""Rows of an icon, a name, words that wrap, and a note at the right edge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from app.controls.badge import Icon
from app.controls.layout import PlainLabel, label, set_tone
from app.controls.tooltip import set_tooltip
from app.theme import tokens as t


@dataclass(frozen=True)
class TextRow:
    text: str
    name: str = ""
    icon: str = ""
    tone: str = "ink"  # of the text
    icon_tone: str = "muted"
    note: str = ""
    tip: str = ""

    @property
    def spoken(self) -> str:
        return ": ".join(filter(None, (self.name, self.text, self.note)))


LAST = 1000  # a row after all others
_Line = tuple[Icon, PlainLabel, PlainLabel, PlainLabel]


class TextRows(QWidget):
    """As many rows as are shown, one below the other; `width` is that of the names in px."""

    def __init__(self, name: str, width: int = 0, role: str = "label") -> None:
        super().__init__()
        self.rows: tuple[TextRow, ...] = ()
        self._lines: list[_Line] = []
        self._width, self._role = width, role
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(t.M, t.XS, t.M, t.XS)
        self._grid.setHorizontalSpacing(t.S)
        self._grid.setVerticalSpacing(t.XS)
        self._grid.setColumnStretch(2, 2)
        self._grid.setRowStretch(LAST, 1)  # what is higher than the rows stays empty below them
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        self.setAccessibleName(name)

    def show_rows(self, rows: Sequence[TextRow]) -> None:
        if (rows := tuple(rows)) == self.rows:
            return
        before, self.rows = self.rows, rows
        self.setAccessibleDescription(", ".join(row.spoken for row in rows))
        self._grid.setColumnStretch(3, int(any(row.note for row in rows)))
        while len(self._lines) < len(rows):
            self._lines.append(self._add_line())
        for i, line in enumerate(self._lines):
            row = rows[i] if i < len(rows) else None
            if row is None or i >= len(before) or row != before[i]:
                _show(line, row)

    def _add_line(self) -> _Line:
        line = (
            Icon(size=14),
            label(role="caption", tone="muted", wrap=True),
            label(role=self._role, wrap=True),
            label(role="small", tone="muted", wrap=True),
        )
        top = Qt.AlignmentFlag.AlignTop
        for column, part in enumerate(line):
            self._grid.addWidget(part, len(self._lines), column, top if column < 2 else Qt.AlignmentFlag(0))
        line[1].setFixedWidth(self._width)
        line[3].setAlignment(top | Qt.AlignmentFlag.AlignRight)
        return line


def _show(line: _Line, row: TextRow | None) -> None:
    icon, name, text, note = line
    text.setVisible(row is not None)
    icon.setVisible(row is not None and bool(row.icon))
    name.setVisible(row is not None and bool(row.name))
    note.setVisible(row is not None and bool(row.note))
    if row is not None:
        icon.show_as(row.icon, row.icon_tone)
        name.setText(row.name)
        text.setText(row.text)
        note.setText(row.note)
        set_tone(text, row.tone)
        set_tooltip(text, row.tip)
