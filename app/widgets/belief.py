"""Believe: every atom, its verdict, who said so, and how old. A person may set any of them."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import (
    QAbstractTableModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
)
from PySide6.QtGui import QFocusEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyle, QStyledItemDelegate, QTableView, QWidget

from app.parts.badge import Chip
from app.parts.button import Tool
from app.parts.header import Search
from app.parts.layout import column, row
from app.table import Row, next_needs, rows
from app.theme import glyphs, look, paint
from app.theme import tokens as t
from app.theme.states import SOURCE, VERDICT
from app.widgets.panel import Panel
from app.words import age, count
from core.facts import Answer, Atom, Source, Verdict
from core.story import Story

COLUMNS = ("Atom", "Verdict", "Who says so", "Age")
ROW = Qt.ItemDataRole.UserRole
AnyIndex = QModelIndex | QPersistentModelIndex
TALL = 42


class Atoms(QAbstractTableModel):
    """Rows of `app.table`. A change of the order is a layout change: what is selected stays so."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: tuple[Row, ...] = ()
        self.now = 0.0

    def show_rows(self, rows: tuple[Row, ...], now: float) -> None:
        aged = int(now) != int(self.now)
        self.now = now
        if rows == self.rows:
            if aged and self.rows:
                self.dataChanged.emit(self.index(0, 3), self.index(len(self.rows) - 1, 3))
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
        self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, 3))

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = 0) -> object:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        return None

    def data(self, index: AnyIndex, role: int = 0) -> object:
        row = self.rows[index.row()]
        if role == ROW:
            return row
        words = f"{row.predicate} {row.args}: {row.verdict.value}, {SOURCE[row.source].word}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{words}, {age(self.now - row.since)}. {row.note}".strip()
        if role == Qt.ItemDataRole.ToolTipRole:
            sure = f"\n{row.probability:.0%} sure" if row.probability is not None else ""
            return f"{row.atom}\n{words}{sure}" + (f"\n{row.note}" if row.note else "") + "\nY or N sets it."
        return None


class Filter(QSortFilterProxyModel):
    def __init__(self) -> None:
        super().__init__()
        self.words, self.doubtful, self.needed = "", False, False

    def filterAcceptsRow(self, row: int, parent: AnyIndex) -> bool:
        model = self.sourceModel()
        assert isinstance(model, Atoms)
        r = model.rows[row]
        if self.doubtful and not r.level:
            return False
        if self.needed and not r.needed:
            return False
        return all(word in r.text.lower() for word in self.words.lower().split())


class Delegate(QStyledItemDelegate):
    def sizeHint(self, option, index) -> QSize:
        return QSize(10, TALL if index.data(ROW).note else t.H_ROW)

    def paint(self, p: QPainter, option, index) -> None:
        r: Row = index.data(ROW)
        box = QRectF(option.rect)
        x, y, w, h = box.x(), box.y(), box.width(), box.height()
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        if r.level:
            p.fillRect(box, look.colour("doubt_soft"))
        if selected:
            p.fillRect(box, look.colour("accent_soft"))
        first = index.column() == 0
        if first and (r.level or selected):
            paint.fill(p, x, y, t.BAR, h, "accent" if selected else "doubt_fill")
        paint.fill(p, x, y + h - 1, w, 1, look.colour("hair", 0.8))
        ly, lh = (y + 3, 18) if r.note else (y, h)
        self._cell(p, index, r, x, ly, w, lh)
        p.restore()

    def _cell(self, p: QPainter, index, r: Row, x: float, y: float, w: float, h: float) -> None:
        quiet = r.never_asked
        match index.column():
            case 0:
                at = x + t.M
                at += paint.text(p, at, y, w - t.M, h, r.predicate, "body", "muted" if quiet else "ink") + 6
                paint.text(p, at, y, x + w - at - 2, h, r.args, "small", "muted")
            case 1:
                state = VERDICT[r.verdict]
                ink = "muted" if quiet else state.colour
                glyphs.draw(p, state.glyph, x, y + h / 2 - 7, 14, ink)
                paint.text(p, x + 20, y, w - 20, h, state.word, "label", ink)
            case 2:
                state = SOURCE[r.source]
                glyphs.draw(p, state.glyph, x, y + h / 2 - 7, 14, state.colour)
                ink = "accent" if r.source is Source.OPERATOR else "muted" if quiet else "text"
                never = quiet and w > 110
                words = "assumed, never asked" if never else state.word
                paint.text(p, x + 20, y, w - 22, h, words, "caption" if never else "small", ink)
            case 3:
                now = index.model().sourceModel().now
                paint.text(p, x, y, w - t.M, h, age(now - r.since), "small", "muted", paint.RIGHT)


class Table(QTableView):
    """Rows of 26 px; one with a note is taller and carries it across all columns."""

    entered = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setItemDelegate(Delegate(self))
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
        head.setFont(look.font("caption"))
        head.setDefaultAlignment(paint.LEFT)
        head.setHighlightSections(False)
        head.setSectionsClickable(False)
        head.setMinimumSectionSize(20)
        self.setAccessibleName("Atoms")

    def shape(self) -> None:
        """Column widths for the room there is; row heights for what is shown."""
        head, narrow = self.horizontalHeader(), self.width() < 340
        head.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for i, w in ((1, 49 if narrow else 60), (2, 96 if narrow else 104), (3, 48)):
            head.setSectionResizeMode(i, QHeaderView.ResizeMode.Fixed)
            if head.sectionSize(i) != w:
                head.resizeSection(i, w)
        model = self.model()
        for i in range(model.rowCount()):
            high = TALL if model.index(i, 0).data(ROW).note else t.H_ROW
            if self.rowHeight(i) != high:
                self.setRowHeight(i, high)

    def resizeEvent(self, event) -> None:
        super().resizeEvent(event)
        self.shape()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if not self.currentIndex().isValid() and self.model().rowCount():
            self.selectRow(0)
        self.entered.emit()

    def paintEvent(self, event) -> None:
        super().paintEvent(event)
        with paint.painter(self.viewport()) as p:
            bottom = self.viewport().height()
            row = max(0, self.rowAt(0))
            while row < self.model().rowCount() and (y := self.rowViewportPosition(row)) < bottom:
                r: Row = self.model().index(row, 0).data(ROW)
                if r.note:
                    glyphs.draw(p, r.glyph, t.M, y + 22, 13, "doubt_fill" if r.level else "muted")
                    room = self.viewport().width() - t.M - 28
                    paint.text(p, t.M + 20, y + 20, room, 16, r.note, "small", r.level or "muted")
                row += 1


class BeliefPanel(Panel):
    EMPTY = ("eye", "Nothing is believed yet", "What the problem file states comes first.")
    corrected = Signal(object)  # tuple[Answer, ...]

    def __init__(self) -> None:
        self.undo = Tool("undo", "Undo")
        super().__init__("Belief", self.undo)
        self.by = ""
        self.draft: Mapping[Atom, Verdict] = {}  # what a person said of pending answers
        self._story = Story()
        self._atoms, self._filter = Atoms(), Filter()
        self._filter.setSourceModel(self._atoms)
        self.table = Table()
        self.table.setModel(self._filter)
        self._search = Search("Filter atoms")
        self._search.textChanged.connect(self._filtered)
        self._doubt, self._needed = Chip("in doubt 0"), Chip("needed 0")
        self._doubt.toggled.connect(self._filtered)
        self._needed.toggled.connect(self._filtered)
        self.header.noted.connect(self._doubt.toggle)
        tools = QWidget()
        lay = row(self._search, self._doubt, self._needed, spacing=6, margins=(t.M, 6, t.M, 4))
        lay.setStretch(0, 1)
        tools.setLayout(lay)
        body = QWidget()
        body.setLayout(column(tools, self.table))
        self.fill(body)
        self.clear()

    def display(self, story: Story) -> None:
        self._story = story
        if story.started is None:
            if not self.telling:
                self.clear()
            return
        self.untell()
        shown = rows(story, self.naming, next_needs(story, self.naming), self.draft)
        changed = shown != self._atoms.rows
        self._atoms.show_rows(shown, story.now)
        if changed:
            self._filter.invalidate()
            self.table.shape()
            doubts, needed = sum(bool(r.level) for r in shown), sum(r.needed for r in shown)
            self._doubt.rename(f"in doubt {doubts}")
            self._needed.rename(f"needed {needed}")
            note = (
                f"{count(doubts, 'atom')} in doubt"
                if doubts
                else f"{count(len(shown), 'atom')} · you may set any"
            )
            self.header.note.say(note, "doubt" if doubts else "")

    def _filtered(self) -> None:
        self._filter.words = self._search.text()
        self._filter.doubtful, self._filter.needed = self._doubt.isChecked(), self._needed.isChecked()
        self._filter.invalidate()
        self.table.shape()

    @property
    def selected(self) -> Atom | None:
        index = self.table.currentIndex()
        return index.data(ROW).atom if index.isValid() else None

    def judge(self, verdict: Verdict) -> None:
        """Set the selected atom. UNKNOWN is no value to set: it would keep the old one."""
        atom = self.selected
        if atom is not None and verdict is not Verdict.UNKNOWN and self._story.live:
            self.corrected.emit((self.own(atom, verdict),))

    def own(self, atom: Atom, verdict: Verdict) -> Answer:
        frame = self._story.frame.id if self._story.frame else ""
        return Answer(atom, verdict, Source.OPERATOR, "set by hand", self._story.turn, frame, self.by)

    def enter(self) -> None:
        self.table.setFocus()

    def search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def move(self, by: int) -> None:  # type: ignore[override]
        last = self._filter.rowCount() - 1
        if last >= 0:
            at = max(0, min(last, self.table.currentIndex().row() + by))
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.table.selectionModel().setCurrentIndex(self._filter.index(at, 0), flags)
