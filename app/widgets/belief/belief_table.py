"""The table of the belief: model, filter and row painting."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
)
from PySide6.QtGui import QFocusEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
)

from app.presentation.belief_rows import BeliefRow
from app.presentation.formatting import age
from app.presentation.likelihood import is_doubtful, percent, within
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.theme.states import SOURCE, VERDICT
from core.belief import BeliefSource, Verdict
from core.text.untrusted_text import tooltip

COLUMNS = ("Atom", "Verdict", "Sure", "Source", "Age")
SURE, AGE = 2, 4
ROW = Qt.ItemDataRole.UserRole
GAP = 6  # px between a predicate and its arguments
AnyIndex = QModelIndex | QPersistentModelIndex
LINE = 16  # px of each more line of a row
SECOND = 20  # px from a row's top to its second line
NOTE = 20  # px of a note's glyph


class BeliefTableModel(QAbstractTableModel):
    """A model of `belief_rows`. Reordering is a layout change, so that the selection is kept."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[BeliefRow, ...] = ()
        self.now = 0.0
        self.brief = False  # the source is its icon alone

    def show_rows(self, rows: tuple[BeliefRow, ...], now: float) -> None:
        aged = int(now) != int(self.now)
        self.now = now
        if rows == self.rows:
            if aged and self.rows:
                self.dataChanged.emit(self.index(0, AGE), self.index(len(self.rows) - 1, AGE))
            return
        old = [r.atom for r in self.rows]
        if len(rows) != len(old):
            self.beginResetModel()
            self.rows = rows
            self.endResetModel()
            return
        if [r.atom for r in rows] != old:
            self.layoutAboutToBeChanged.emit()
            places = {r.atom: i for i, r in enumerate(rows)}
            held = self.persistentIndexList()
            moved = [self.index(places.get(old[i.row()], -1), i.column()) for i in held]
            self.rows = rows
            self.changePersistentIndexList(held, moved)
            self.layoutChanged.emit()
        else:
            self.rows = rows
        self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, AGE))

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return "" if self.brief and COLUMNS[section] == "Source" else COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole and COLUMNS[section] in ("Sure", "Age"):
            return paint.RIGHT
        return None

    def data(self, index: AnyIndex, role: int = 0) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        words = f"{row.predicate} {row.args}: {row.verdict.value}, {SOURCE[row.source].word}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{words}, {age(self.now - row.since)}. {row.note}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            sure = f"\n{percent(row.sure)} sure" if row.sure is not None else ""
            note = f"\n{row.note}" if row.note else ""
            return tooltip(f"{row.atom}\n{words}{sure}{note}\nY or N sets it.")
        return None


class BeliefFilter(QSortFilterProxyModel):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.doubtful, self.needed = "", False, False

    @property
    def belief_model(self) -> BeliefTableModel:
        model = self.sourceModel()
        assert isinstance(model, BeliefTableModel)
        return model

    def filterAcceptsRow(self, row: int, parent: AnyIndex) -> bool:
        r = self.belief_model.rows[row]
        if self.doubtful and not r.doubtful:
            return False
        if self.needed and not r.needed:
            return False
        return all(word in r.text.lower() for word in self.words.lower().split())


class BeliefDelegate(QStyledItemDelegate):
    def __init__(self, table: BeliefTable) -> None:
        super().__init__(table)
        self._table = table

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(10, self._table.row_height(index.data(ROW)))

    def paint(self, p: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        r: BeliefRow = index.data(ROW)
        box = QRectF(option.rect)
        x, y, w, h = box.x(), box.y(), box.width(), box.height()
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if r.level:
            p.fillRect(box, styling.colour("doubt_soft"))
        mine = selected and self._table.hasFocus()
        if selected:
            p.fillRect(box, styling.colour("accent_soft" if mine else "raised"))
        if index.column() == 0 and (r.level or mine):
            paint.fill(p, x, y, t.BAR, h, "accent" if mine else "doubt_fill")
        paint.fill(p, x, y + h - 1, w, 1, styling.colour("hair", 0.8))
        ly, lh = (y + 3, 18) if h > t.H_ROW else (y, h)
        self._cell(p, index, r, x, ly, w, lh)
        p.restore()

    def _cell(
        self,
        p: QPainter,
        index: AnyIndex,
        r: BeliefRow,
        x: float,
        y: float,
        w: float,
        h: float,
    ) -> None:
        quiet = r.never_asked
        match index.column():
            case 0:
                at = x + t.M
                at += paint.text(p, at, y, w - t.M, h, r.predicate, "body", "muted" if quiet else "ink") + GAP
                if not self._table.wraps(r):
                    paint.text(p, at, y, x + w - at, h, r.args, "small", "muted")
            case 1:
                state = VERDICT[r.verdict]
                ink = "muted" if quiet else state.colour
                icons.draw(p, state.icon, x, y + h / 2 - 7, 14, ink)
                paint.text(p, x + 20, y, w - 20, h, state.word, "label", ink)
            case 2 if r.sure is not None:
                self._sure(p, r.sure, x, y, w - t.M, h)
            case 3:
                state = SOURCE[r.source]
                icons.draw(p, state.icon, x, y + h / 2 - 7, 14, state.colour)
                ink = "accent" if r.source is BeliefSource.OPERATOR else "muted" if quiet else "text"
                never = quiet and w > 110
                words = "assumed, never asked" if never else state.word
                paint.text(p, x + 20, y, w - 22, h, words, "caption" if never else "small", ink)
            case 4:
                proxy = index.model()
                assert isinstance(proxy, BeliefFilter)
                now = proxy.belief_model.now
                paint.text(p, x, y, w - t.M, h, age(now - r.since), "small", "muted", paint.RIGHT)

    @staticmethod
    def _sure(p: QPainter, sure: float, x: float, y: float, w: float, h: float) -> None:
        """Paint the figure with a bar below it, amber where the fact is in doubt."""
        doubtful = is_doubtful(sure)
        ink = "doubt" if doubtful else "muted"
        paint.text(p, x, y - 2, w, h, percent(sure), "caption", ink, paint.RIGHT)
        paint.fill(p, x, y + h - 6, w, 2, "raised")
        paint.fill(p, x, y + h - 6, w * within(sure), 2, "doubt_fill" if doubtful else "edge")


class BeliefTable(QTableView):
    """Rows of 26 px. Arguments that do not fit beside the predicate, and notes, span all columns on lines of
    their own, so that neither is cut off.
    """

    def __init__(self) -> None:
        super().__init__()
        self._room = 0.0  # px for an atom on one line
        self.setItemDelegate(BeliefDelegate(self))
        self.setShowGrid(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setDragEnabled(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.NoDragDrop)
        self.setTabKeyNavigation(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(t.H_ROW)
        self.verticalHeader().setMinimumSectionSize(t.H_ROW)
        head = self.horizontalHeader()
        head.setFixedHeight(24)
        head.setFont(styling.font("caption"))
        head.setDefaultAlignment(paint.LEFT)
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        head.setMinimumSectionSize(20)
        self.setAccessibleName("Atoms")

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
        return paint.lines(r.note, "small", self.width() - 2 * t.M - NOTE - t.S, 3)

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
        super().paintEvent(event)
        with paint.painter(self.viewport()) as p:
            bottom = self.viewport().height()
            row = max(0, self.rowAt(0))
            while row < self.model().rowCount() and (y := self.rowViewportPosition(row)) < bottom:
                r: BeliefRow = self.model().index(row, 0).data(ROW)
                self._paint_below(p, r, y + SECOND)
                row += 1

    def _paint_below(self, p: QPainter, r: BeliefRow, y: float) -> None:
        room = self.viewport().width() - t.M
        if self.wraps(r):
            paint.text(p, t.M, y, room, LINE, r.args, "small", "muted")
            y += LINE
        if r.note:
            icons.draw(p, r.icon, t.M, y + 2, 13, "doubt_fill" if r.level else "muted")
        for i, words in enumerate(self._note_lines(r)):
            paint.text(p, t.M + NOTE, y + i * LINE, room - NOTE, LINE, words, "small", r.level or "muted")
