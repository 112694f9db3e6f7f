"""An editor of PDDL with the faults at their lines, and each literal marked by what walks say of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QEvent, QObject, QTimer, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QTextCharFormat, QTextCursor, QTextFormat
from PySide6.QtWidgets import QTextEdit, QToolTip

from app.controls.button import ENTER
from app.controls.header import Header
from app.controls.layout import Surface, column, label
from app.controls.text import NoDragTextEdit
from app.theme import styling
from app.theme import tokens as t
from core.drafting.marks import Mark, Standing, find_literal
from core.drafting.screening import place_of
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
        self.header = Header(title)
        self.field = NoDragTextEdit("", title)
        self.field.setTabStopDistance(16)
        self.said = label("", "small", "muted", wrap=True)
        self.said.setContentsMargins(t.M, t.XS, t.M, t.XS)
        self.said.setMinimumHeight(2 * t.L + t.S)
        self.setLayout(column(self.header, (self.field, 1), self.said))
        self._pause = QTimer(self, interval=PAUSE, singleShot=True)
        self._pause.timeout.connect(self.edited)
        self.field.textChanged.connect(self._typed)
        self.field.cursorPositionChanged.connect(self._tell)
        self.field.installEventFilter(self)
        self.field.viewport().installEventFilter(self)

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    def show_text(self, text: str) -> None:
        """Show another text, which is not an edit; the cursor stays in its line."""
        self._pause.stop()
        if (shown := sanitise(text, MOST)) == self.text:
            return
        line = self.field.textCursor().blockNumber()
        self.field.blockSignals(True)
        self.field.setPlainText(shown)
        self.field.blockSignals(False)
        block = self.field.document().findBlockByNumber(line)
        if block.isValid():
            self.field.setTextCursor(QTextCursor(block))
        self.show_findings((), ())

    def show_findings(self, faults: Sequence[str], marks: Iterable[Mark]) -> None:
        """Show the faults of this file at their lines, and each literal as it is marked."""
        placed = ((*place_of(fault), fault) for fault in faults)
        self._faults = tuple((line, fault) for where, line, fault in placed if where == self._where)
        text = self.text
        self._marks = tuple((*found, mark) for mark in marks if (found := find_literal(text, mark)))
        chosen = [self._line(line) for line, _ in self._faults]
        chosen += [self._span(start, end, mark) for start, end, mark in self._marks if mark.standing in STYLE]
        self.field.setExtraSelections(chosen)
        counts = [(s.value, sum(m.standing is s for *_, m in self._marks)) for s in Standing]
        note = " · ".join(f"{count} {words}" for words, count in counts if count)
        fault = f"{len(self._faults)} fault{'s' * (len(self._faults) > 1)}" if self._faults else ""
        self.header.note.set_note(fault or note, "fault" if fault else "")
        self._tell()

    def _line(self, number: int) -> QTextEdit.ExtraSelection:
        block = self.field.document().findBlockByNumber(number - 1)
        one = QTextEdit.ExtraSelection()
        one.cursor = QTextCursor(block if block.isValid() else self.field.document().lastBlock())
        one.format.setBackground(styling.colour("fault_soft"))
        one.format.setProperty(QTextFormat.Property.FullWidthSelection, True)
        return one

    def _span(self, start: int, end: int, mark: Mark) -> QTextEdit.ExtraSelection:
        one, (colour, style) = QTextEdit.ExtraSelection(), STYLE[mark.standing]
        one.cursor = QTextCursor(self.field.document())
        one.cursor.setPosition(start)
        one.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        one.format.setUnderlineStyle(style)
        one.format.setUnderlineColor(styling.colour(colour))
        return one

    def _typed(self) -> None:
        self._pause.start()

    def _tell(self) -> None:
        """Say below what is known of the line of the cursor, else the first fault."""
        at, line = self.field.textCursor().position(), self.field.textCursor().blockNumber() + 1
        here = [fault for number, fault in self._faults if number == line]
        marked = [m.sentence for start, end, m in self._marks if start <= at <= end]
        said = (here or marked or [fault for _, fault in self._faults] or [""])[0]
        self.said.setText(one_line(said, 300))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Leave Ctrl+Enter to the room, and tell of the literal below the pointer."""
        if isinstance(event, QKeyEvent) and event.key() in ENTER and event.modifiers():
            event.ignore()
            return watched is self.field and event.type() is QEvent.Type.KeyPress and self._pass_on(event)
        if isinstance(event, QHelpEvent):
            at = self.field.cursorForPosition(event.pos()).position()
            said = next((m.sentence for start, end, m in self._marks if start <= at <= end), "")
            QToolTip.showText(event.globalPos(), tooltip(said))
        return super().eventFilter(watched, event)

    def _pass_on(self, event: QKeyEvent) -> bool:
        self.keyPressEvent(event)
        return True
