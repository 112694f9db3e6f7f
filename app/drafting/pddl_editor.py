"""An editor of PDDL with the faults at their lines, and each literal marked by what walks say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QTextBlock, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit, QToolTip

from app.controls.button import ENTER
from app.controls.header import Header
from app.controls.layout import Surface, column, label
from app.controls.text import NoDragTextEdit
from app.theme import styling
from app.theme import tokens as t
from core.drafting.marks import Mark, Standing, find_literal
from core.drafting.screening import place_of
from core.text.plural import plural
from core.text.untrusted_text import one_line, sanitise, tooltip

PAUSE = 250  # ms after the last key until the text is read
MOST = 200_000  # characters that are shown
STYLE = {
    Standing.FORBIDDEN: ("fault", QTextCharFormat.UnderlineStyle.WaveUnderline),
    Standing.NEVER: ("muted", QTextCharFormat.UnderlineStyle.DotLine),
}


class PddlEditor(Surface):
    """One file of a draft. `edited` is sent PAUSE ms after the last key."""

    edited = Signal()

    def __init__(self, title: str, where: str) -> None:
        super().__init__()
        self._where, self._marks = where, tuple[tuple[int, int, Mark], ...]()
        self._faults: tuple[tuple[int, str], ...] = ()
        self.header, self.field = Header(title), NoDragTextEdit("", title)
        self.field.setTabStopDistance(16)
        self.said = label("", "small", "muted", wrap=True)
        self.said.setContentsMargins(t.M, t.XS, t.M, t.XS)
        self.said.setMinimumHeight(2 * t.L + t.S)
        self.setLayout(column(self.header, (self.field, 1), self.said))
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._pause.timeout.connect(self.edited)
        self.field.textChanged.connect(self._pause.start)
        self.field.cursorPositionChanged.connect(self._tell)
        for part in (self.field, self.field.viewport()):
            part.installEventFilter(self)

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    def show_text(self, text: str) -> None:
        """Show another text, which is not an edit, unless somebody types; the cursor stays in its line."""
        if not self._pause.isActive() and (shown := sanitise(text, MOST)) != self.text:
            line = self.field.textCursor().blockNumber()
            with QSignalBlocker(self.field):
                self.field.setPlainText(shown)
            self.field.setTextCursor(QTextCursor(self._block(line)))

    def show_findings(self, faults: Sequence[str], marks: Iterable[Mark]) -> None:
        """Show the faults of this file at their lines, and each literal as it is marked."""
        placed, text = ((*place_of(fault), fault) for fault in faults), self.text
        self._faults = tuple((line, fault) for where, line, fault in placed if where == self._where)
        self._marks = tuple((*found, mark) for mark in marks if (found := find_literal(text, mark)))
        selected = list[QTextEdit.ExtraSelection]()
        for number, _ in self._faults:
            selected.append(line := self._selected(at := self._block(number - 1).position(), at))
            line.format.setBackground(styling.colour("fault_soft"))
            line.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        for start, end, mark in self._marks:
            if (style := STYLE.get(mark.standing)) is not None:
                selected.append(span := self._selected(start, end))
                span.format.setUnderlineColor(styling.colour(style[0]))
                span.format.setUnderlineStyle(style[1])
        self.field.setExtraSelections(selected)
        counts = [(s.value, sum(m.standing is s for *_, m in self._marks)) for s in Standing]
        note = " · ".join(f"{count} {words}" for words, count in counts if count)
        fault = plural(len(self._faults), "fault") if self._faults else ""
        self.header.note.set_note(fault or note, "fault" if fault else "")
        self._tell()

    def _block(self, number: int) -> QTextBlock:
        """Return a line, from 0; the last one if there are not so many."""
        block = self.field.document().findBlockByNumber(number)
        return block if block.isValid() else self.field.document().lastBlock()

    def _selected(self, start: int, end: int) -> QTextEdit.ExtraSelection:
        one = QTextEdit.ExtraSelection()
        one.cursor = QTextCursor(self.field.document())
        one.cursor.setPosition(start)
        one.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        return one

    def _marked(self, at: int) -> str:
        return next((mark.sentence for start, end, mark in self._marks if start <= at <= end), "")

    def _tell(self) -> None:
        """Say below what is known of the line of the cursor, else the first fault."""
        faults, cursor = dict(reversed(self._faults)), self.field.textCursor()
        here = faults.get(cursor.blockNumber() + 1) or self._marked(cursor.position())
        self.said.setText(one_line(here or next((fault for _, fault in self._faults), ""), 300))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave Ctrl+Enter to the room, and tell of the literal below the pointer."""
        if isinstance(event, QKeyEvent) and event.key() in ENTER and event.modifiers():
            event.ignore()
            if watched is self.field and event.type() is QEvent.Type.KeyPress:
                self.keyPressEvent(event)
                return True
        elif isinstance(event, QHelpEvent):
            at = self.field.cursorForPosition(event.pos()).position()
            QToolTip.showText(event.globalPos(), tooltip(self._marked(at)))
        return super().eventFilter(watched, event)
