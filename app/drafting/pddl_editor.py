"""An editor of PDDL with the faults at their lines, and each literal marked by what walks say of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, QSignalBlocker, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence, QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QSizePolicy, QTextEdit

from app.controls.header import Header
from app.controls.layout import Surface, ThemedMixin, column, label
from app.controls.text import NoDragTextEdit
from app.theme import styling
from app.theme import tokens as t
from core.drafting.findings import Mark, Standing, find_literal
from core.drafting.screening import place_of
from core.text.plural import plural
from core.text.untrusted_text import one_line, sanitise

PAUSE = 250  # ms after the last key until the text is read
MOST = 200_000  # characters that are shown
LINE = QTextCharFormat.UnderlineStyle
FAULT = "fault", LINE.WaveUnderline, "fault_soft"  # colour and form of the line below, and ground
STYLE = {
    Standing.NEEDED: ("muted", LINE.NoUnderline, ""),
    Standing.FORBIDDEN: ("fault", LINE.WaveUnderline, ""),
    Standing.NEVER: ("muted", LINE.DotLine, ""),
}
Note = tuple[int, int, str, tuple[str, LINE, str]]  # from where to where, what is said there, and how


class PddlEditor(ThemedMixin, Surface):
    """One file of a draft. `edited` is sent PAUSE ms after the last key."""

    edited = Signal()

    def __init__(self, title: str, where: str) -> None:
        super().__init__()
        self._where, self._notes = where, list[Note]()
        self.header, self.field = Header(title), NoDragTextEdit("", title)
        self.field.setTabStopDistance(16)
        self.field.installEventFilter(self)
        self.said = label("", "small", "muted", wrap=True)
        self.said.setContentsMargins(t.M, t.XS, t.M, t.XS)
        self.said.setMinimumHeight(2 * t.L + t.S)
        self.said.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)  # of a long name
        self.setLayout(column(self.header, (self.field, 1), self.said))
        self.shown = ""  # before anybody types
        self.pause = QTimer(self, interval=PAUSE, singleShot=True)
        self.pause.timeout.connect(self.edited)
        self.field.textChanged.connect(self.pause.start)
        self.field.cursorPositionChanged.connect(self._tell)

    def eventFilter(self, _: QObject, event: QEvent) -> bool:
        """Leave Ctrl+Z to the room where nothing was typed that it could take back."""
        if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
            return False
        leaves = event.matches(QKeySequence.StandardKey.Undo) and not self.field.document().isUndoAvailable()
        if leaves:
            self.pause.stop()  # what was typed is taken back already
            event.ignore()  # so that it goes on to what is around the field
        return leaves

    @property
    def text(self) -> str:
        return self.field.toPlainText()

    def show_text(self, text: str) -> None:
        """Show another text, which is not an edit, unless somebody types; the cursor goes to what differs."""
        typing = self.pause.isActive() and self.text.strip() != self.shown.strip()
        self.shown = sanitise(text, MOST)
        if not typing and self.text not in (self.shown, text):  # which may be longer than MOST
            both, cursor = enumerate(zip(self.text, self.shown, strict=False)), self.field.textCursor()
            with QSignalBlocker(self.field):
                self.field.setPlainText(self.shown)
            self.shown = self.text  # as the field gives it
            cursor.setPosition(next((at for at, (old, new) in both if old != new), 0))
            self.field.setTextCursor(cursor)

    def show_findings(self, faults: Sequence[str], marks: Sequence[Mark]) -> None:
        """Show the faults of this file at their lines, and each literal as it is marked."""
        text, mine = self.text, [fault for fault in faults if place_of(fault)[0] == self._where]
        self._notes = [(*self._line(place_of(fault)[1] - 1), fault, FAULT) for fault in mine]
        found = ((find_literal(text, mark), mark) for mark in marks)
        self._notes += [(*at, mark.sentence, STYLE[mark.standing]) for at, mark in found if at is not None]
        self._draw()
        counts = Counter(mark.standing for mark in marks)
        note = " · ".join(f"{counts[standing]} {standing.value}" for standing in Standing if counts[standing])
        self.header.note.set_note(plural(len(mine), "fault") if mine else note, "fault" if mine else "")
        self._tell()

    def _draw(self) -> None:
        self.field.setExtraSelections([self._selected(*note) for note in self._notes])

    def _line(self, number: int) -> tuple[int, int]:
        """Return where a line begins and ends, from 0; of the last one if there are not so many."""
        document = self.field.document()
        block = document.findBlockByNumber(min(number, document.blockCount() - 1))
        return block.position(), block.position() + block.length() - 1

    def _selected(self, start: int, end: int, _: str, how: tuple[str, LINE, str]) -> QTextEdit.ExtraSelection:
        one, (tone, line, ground) = QTextEdit.ExtraSelection(), how
        one.cursor = QTextCursor(self.field.document())
        one.cursor.setPosition(start)
        one.cursor.setPosition(end, QTextCursor.MoveMode.KeepAnchor)
        one.format.setUnderlineColor(styling.colour(tone))
        one.format.setUnderlineStyle(line)
        if ground:
            one.format.setBackground(styling.colour(ground))
        return one

    def _tell(self) -> None:
        """Say below what is known of the place of the cursor, else the first fault."""
        at = self.field.textCursor().position()
        here = [words for start, end, words, _ in self._notes if start <= at <= end]
        here += (words for _, _, words, how in self._notes if how is FAULT)
        self.said.setText(one_line(here[0] if here else "", 300))
