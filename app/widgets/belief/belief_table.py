"""The table of the belief: the layout and the painting of its rows."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableView

from app.controls.rows import ROW, set_up_table
from app.presentation.belief_rows import BeliefRow
from app.presentation.formatting import age
from app.presentation.likelihood import clamp_probability, is_doubtful, percent
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.theme.states import SOURCE, VERDICT
from app.widgets.belief.belief_model import COLUMNS, BeliefFilter, BeliefTableModel
from core.belief import BeliefSource, Verdict

GAP = 6  # px between a predicate and its arguments
LINE = 16  # px of each more line of a row
SECOND = 20  # px from a row's top to its second line
NOTE = 20  # px of a note's glyph


class BeliefTable(QTableView):
    """Rows of 26 px. Arguments that do not fit beside the predicate, and notes, span all columns on lines of
    their own, so that neither is cut off.
    """

    def __init__(self) -> None:
        super().__init__()
        self._room = 0.0  # px for an atom on one line
        set_up_table(self, "Atoms", t.H_ROW)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().setMinimumSectionSize(t.H_ROW)
        head = self.horizontalHeader()
        head.setFixedHeight(24)
        head.setFont(styling.font("caption"))
        head.setDefaultAlignment(paint.LEFT)
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        head.setMinimumSectionSize(20)

    def fit_columns(self) -> None:
        """Fit the column widths to the viewport and the row heights to their content."""
        head, model = self.horizontalHeader(), self.model()
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for i, w in enumerate(self._widths(), 1):
            head.setSectionHidden(i, not w)
            head.setSectionResizeMode(i, QHeaderView.ResizeMode.Fixed)
            if head.sectionSize(i) != w:
                head.resizeSection(i, w)
        bar = self.verticalScrollBar().sizeHint().width()
        self._room = self.width() - bar - sum(self._widths()) - t.M - GAP - t.XS
        for i in range(model.rowCount()):
            high = self.row_height(model.index(i, 0).data(ROW))
            if self.rowHeight(i) != high:
                self.setRowHeight(i, high)

    def _widths(self) -> tuple[int, int, int, int]:
        """Return the widths of verdict, probability (0: the method gives none), source and age, as narrow as
        their longest texts allow.
        """
        atoms, narrow, broad = self._atoms(), self.width() < 400, self.width() >= 480
        unknown = any(r.verdict is Verdict.UNKNOWN for r in atoms.rows)
        oldest = round(paint.width(age(atoms.now), "small")) + t.M + t.XS
        sure = 52 if any(r.sure is not None for r in atoms.rows) else 0
        atoms.brief = bool(narrow and sure)
        return (
            76 if unknown else 49 if narrow else 60,
            sure,
            28 if atoms.brief else 78 if narrow else 140 if broad else 104,
            max(42 if narrow else 48, oldest),
        )

    def _atoms(self) -> BeliefTableModel:
        filter = self.model()
        assert isinstance(filter, BeliefFilter)
        atoms = filter.sourceModel()
        assert isinstance(atoms, BeliefTableModel)
        return atoms

    def wraps(self, r: BeliefRow) -> bool:
        """Return True if a row's arguments go to the next line, with or without a scroll bar."""
        return paint.width(r.predicate, "body") + paint.width(r.args, "small") > self._room

    def _note_lines(self, r: BeliefRow) -> list[str]:
        return paint.lines(r.note, "small", self.width() - 2 * t.M - NOTE - t.S, 3) if r.note else []

    def row_height(self, r: BeliefRow) -> int:
        """Return the height of a row in px."""
        return t.H_ROW + LINE * (self.wraps(r) + len(self._note_lines(r)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit_columns()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        by_mouse = event.reason() is Qt.FocusReason.MouseFocusReason  # the click selects
        if not by_mouse and not self.selectionModel().hasSelection() and self.model().rowCount():
            self.selectRow(max(0, self.currentIndex().row()))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint row by row: a delegate, called for each cell, would take twice as long."""
        area, model = event.rect(), self.model()
        columns = [(i, self.columnViewportPosition(i), self.columnWidth(i)) for i in range(len(COLUMNS))]
        columns = [(i, x, w) for i, x, w in columns if w and x <= area.right() and x + w > area.left()]
        chosen = {index.row() for index in self.selectionModel().selectedRows()}
        row = self.rowAt(area.top())
        with paint.painter(self.viewport()) as p:
            while 0 <= row < model.rowCount() and (y := self.rowViewportPosition(row)) <= area.bottom():
                r: BeliefRow = model.index(row, 0).data(ROW)
                self._paint_row(p, r, y, self.rowHeight(row), columns, row in chosen)
                row += 1

    def _paint_row(
        self, p: QPainter, r: BeliefRow, y: int, h: int, columns: list[tuple[int, int, int]], chosen: bool
    ) -> None:
        wide, mine = self.viewport().width(), chosen and self.hasFocus()
        ground = ("accent_soft" if mine else "raised") if chosen else "doubt_soft" if r.level else ""
        if ground:
            paint.fill(p, 0, y, wide, h, ground)
        if r.level or mine:
            paint.fill(p, 0, y, t.BAR, h, "accent" if mine else "doubt_fill")
        paint.fill(p, 0, y + h - 1, wide, 1, styling.colour("hair", 0.8))
        top, high = (y + 3, 18) if h > t.H_ROW else (y, h)
        for column, x, w in columns:
            self._paint_cell(p, column, r, x, top, w, high)
        if h > t.H_ROW:
            self._paint_below(p, r, y + SECOND)

    def _paint_cell(self, p: QPainter, column: int, r: BeliefRow, x: int, y: int, w: int, h: int) -> None:
        quiet = r.never_asked
        match COLUMNS[column]:
            case "Atom":
                at = float(x + t.M)
                at += paint.text(p, at, y, w - t.M, h, r.predicate, "body", "muted" if quiet else "ink") + GAP
                if not self.wraps(r):
                    paint.text(p, at, y, x + w - at, h, r.args, "small", "muted")
            case "Verdict":
                state = VERDICT[r.verdict]
                ink = "muted" if quiet else state.colour
                icons.draw(p, state.icon, x, y + h / 2 - 7, 14, ink)
                paint.text(p, x + 20, y, w - 20, h, state.word, "label", ink)
            case "Sure" if r.sure is not None:
                _paint_sure(p, r.sure, x, y, w - t.M, h)
            case "Source":
                state = SOURCE[r.source]
                icons.draw(p, state.icon, x, y + h / 2 - 7, 14, state.colour)
                ink = "accent" if r.source is BeliefSource.OPERATOR else "muted" if quiet else "text"
                never = quiet and w > 110
                words = "assumed, never asked" if never else state.word
                paint.text(p, x + 20, y, w - 22, h, words, "caption" if never else "small", ink)
            case "Age":
                old = age(self._atoms().now - r.since)
                paint.text(p, x, y, w - t.M, h, old, "small", "muted", paint.RIGHT)

    def _paint_below(self, p: QPainter, r: BeliefRow, y: float) -> None:
        room = self.viewport().width() - t.M
        if self.wraps(r):
            paint.text(p, t.M, y, room, LINE, r.args, "small", "muted")
            y += LINE
        if r.note:
            icons.draw(p, r.icon, t.M, y + 2, 13, "doubt_fill" if r.level else "muted")
        for i, words in enumerate(self._note_lines(r)):
            paint.text(p, t.M + NOTE, y + i * LINE, room - NOTE, LINE, words, "small", r.level or "muted")


def _paint_sure(p: QPainter, sure: float, x: float, y: float, w: float, h: float) -> None:
    """Paint the figure with a bar below it, amber where the fact is in doubt."""
    doubtful = is_doubtful(sure)
    paint.text(p, x, y - 2, w, h, percent(sure), "caption", "doubt" if doubtful else "muted", paint.RIGHT)
    paint.fill(p, x, y + h - 6, w, 2, "raised")
    paint.fill(p, x, y + h - 6, w * clamp_probability(sure), 2, "doubt_fill" if doubtful else "edge")
