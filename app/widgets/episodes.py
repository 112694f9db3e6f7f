"""The list of episodes: pages that come when they are looked at, search, filters, and what they add up to."""

from __future__ import annotations

from datetime import datetime, timedelta

from PySide6.QtCore import (
    QAbstractListModel,
    QItemSelectionModel,
    QModelIndex,
    QPersistentModelIndex,
    QRectF,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QAction, QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QMenu, QStyle, QStyledItemDelegate, QWidget

from app.parts.badge import Chip
from app.parts.button import Button, Tool
from app.parts.header import Search
from app.parts.layout import Rule, Surface, column, label, row
from app.theme import glyphs, look, paint
from app.theme import tokens as t
from app.widgets.panel import Panel
from app.words import clock, count, money
from core.events import Result
from core.log.store import Filter, Summary
from core.review.catalog import Entry, Statistics
from core.story import Story

PAGE = 100
ENTRY = Qt.ItemDataRole.UserRole
HIGH = 52
TYPING = 250  # ms after the last letter until the log is searched
AnyIndex = QModelIndex | QPersistentModelIndex
ORDERS = (
    ("began", "Latest"),
    ("task", "Task"),
    ("result", "Result"),
    ("seconds", "Length"),
    ("steps", "Steps"),
    ("replans", "Re-plans"),
    ("questions", "Questions"),
    ("overrides", "Overrides"),
    ("cost", "Cost"),
)


class Episodes(QAbstractListModel):
    """As many rows as there are episodes; a page is asked for when one of its rows is painted."""

    wanted = Signal(int)  # page

    def __init__(self) -> None:
        super().__init__()
        self._total = 0
        self._pages: dict[int, tuple[Entry, ...]] = {}
        self._asked: set[int] = set()

    def restart(self, total: int) -> None:
        """Another list: nothing of the old one is kept."""
        self.beginResetModel()
        self._total = total
        self._pages.clear()
        self._asked.clear()
        self.endResetModel()

    def put(self, page: int, entries: tuple[Entry, ...]) -> None:
        self._pages[page] = entries
        first = page * PAGE
        if entries:
            self.dataChanged.emit(self.index(first), self.index(min(first + PAGE, self._total) - 1))

    def entry(self, at: int) -> Entry | None:
        page, place = divmod(at, PAGE)
        entries = self._pages.get(page)
        if entries is None:
            if page not in self._asked:
                self._asked.add(page)
                self.wanted.emit(page)
            return None
        return entries[place] if place < len(entries) else None

    def row_of(self, episode: str) -> int | None:
        """Of an episode on a page that is here."""
        for page, entries in self._pages.items():
            for place, entry in enumerate(entries):
                if entry.summary.episode == episode:
                    return page * PAGE + place
        return None

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._total

    def data(self, index: AnyIndex, role: int = 0) -> object:
        if role not in (ENTRY, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return None
        entry = self.entry(index.row())
        if role == ENTRY or entry is None:
            return entry
        s = entry.summary
        words = f"{s.task}, {outcome(s)[1]}, {when(s.began)}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return words
        made = f"{s.robot}, {s.answerer}, {s.method}, seed {s.seed}"
        child = f"\nfork of {s.parent}" if s.parent else ""
        return f"{s.episode}\n{words}\n{made}{child}" + (f"\n{s.why}" if s.why else "")


def outcome(s: Summary) -> tuple[str, str, str]:
    """Glyph, words and level of how an episode went."""
    match s.result:
        case None:
            return "play", "being recorded", "you"
        case Result.SUCCEEDED if s.true_goal is False:
            return "diamond", "false claim", "doubt"
        case Result.SUCCEEDED:
            return "check", "goal reached" if s.true_goal else "goal believed", ""
        case Result.ENDED:
            return "person", "ended by you", "you"
        case Result.BROKEN_OFF:
            return "diamond", "not closed, repaired", "doubt"
    return "cross", s.result.value, "fault"


def when(wall: float) -> str:
    moment, now = datetime.fromtimestamp(wall), datetime.now()
    if moment.date() == now.date():
        return f"Today {moment:%H:%M}"
    if moment.date() == now.date() - timedelta(days=1):
        return f"Yesterday {moment:%H:%M}"
    return f"{moment.day} {moment:%b}" + ("" if moment.year == now.year else f" {moment.year}")


class Delegate(QStyledItemDelegate):
    def sizeHint(self, option, index) -> QSize:
        return QSize(10, HIGH)

    def paint(self, p: QPainter, option, index) -> None:
        entry: Entry | None = index.data(ENTRY)
        box = QRectF(option.rect)
        x, y, w = box.x(), box.y(), box.width()
        p.save()
        p.setRenderHint(QPainter.RenderHint.Antialiasing)
        if option.state & QStyle.StateFlag.State_Selected:
            p.fillRect(box, look.colour("accent_soft"))
            paint.fill(p, x, y, t.BAR, HIGH, "accent")
        paint.fill(p, x, y + HIGH - 1, w, 1, "hair")
        if entry is None:
            paint.text(p, x + 34, y + 7, w, 20, "…", "strong", "muted")
        else:
            self._entry(p, entry, x, y, w)
        p.restore()

    def _entry(self, p: QPainter, entry: Entry, x: float, y: float, w: float) -> None:
        s = entry.summary
        glyph, words, level = outcome(s)
        tone = {"you": "accent", "": "muted"}.get(level, level)
        fill = f"{level}_fill" if level in ("doubt", "fault") else tone
        glyphs.draw(p, glyph, x + t.M, y + 10, 14, fill)
        long = clock(s.seconds) if s.seconds is not None else ""
        room = w - 34 - t.M - paint.width(long, "small") - t.S
        used = paint.text(p, x + 34, y + 7, room, 20, s.task.replace("_", " "), "strong", "ink")
        at = x + 34 + used + t.S
        for tag in (*(["fork"] if s.parent else []), *entry.tags):
            wide = paint.width(tag, "caption") + 12
            if at + wide > x + 34 + room:
                break
            paint.box(p, at, y + 9, wide, 16, None, "edge", 8)
            paint.text(p, at, y + 9, wide, 16, tag, "caption", "muted", paint.CENTRE)
            at += wide + 4
        paint.text(p, x, y + 7, w - t.M, 20, long, "small", "text", paint.RIGHT)
        counts = ", ".join(
            filter(None, (f"{s.questions} asked" if s.questions else "", _by_you(s), _notes(entry.notes)))
        )
        took = paint.width(counts, "caption")
        used = paint.text(p, x + 34, y + 27, w - 46, 16, words, "small", tone if level else "text")
        left = w - 34 - used - t.S - took - t.M - 6
        paint.text(p, x + 34 + used + t.S, y + 27, left, 16, when(s.began), "small", "muted")
        paint.text(p, x, y + 27, w - t.M, 16, counts, "caption", "muted", paint.RIGHT)


def _by_you(s: Summary) -> str:
    return f"{s.overrides} by you" if s.overrides else ""


def _notes(n: int) -> str:
    return count(n, "note") if n else ""


class Rows(QListView):
    chosen = Signal(int)  # a row was opened: Enter or a double click

    def __init__(self) -> None:
        super().__init__()
        self.setItemDelegate(Delegate(self))
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.setDragEnabled(False)
        self.setDragDropMode(QAbstractItemView.DragDropMode.NoDragDrop)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Episodes")
        self.doubleClicked.connect(self._opened)

    def _opened(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())
        elif event.text() and event.text().isprintable() and not event.modifiers():
            event.ignore()  # letters are the room's keys, no search in the list
        else:
            super().keyPressEvent(event)


class EpisodesPanel(Panel):
    """Says what it wants; who reads the log answers with `show_total`, `put`, `show_statistics`."""

    searched = Signal()  # another filter or order: begin anew
    wanted = Signal(int)  # this page
    selected = Signal()
    opened = Signal(str)  # episode

    def __init__(self) -> None:
        self.sort, self.more = Tool("filter", "Sort and filter"), Tool("more", "More")
        super().__init__("Episodes", self.sort, self.more)
        self.order, self.descending = "began", True
        self.results: tuple[Result, ...] = ()
        self.tags: tuple[str, ...] = ()
        self.model = Episodes()
        self.model.wanted.connect(self.wanted)
        self.rows = Rows()
        self.rows.setModel(self.model)
        self.rows.chosen.connect(self._chosen)
        self.rows.selectionModel().selectionChanged.connect(self.selected)
        self._search = Search("Task, tag, note, atom")
        self._soon = QTimer(self, interval=TYPING, singleShot=True)
        self._soon.timeout.connect(self.searched)
        self._search.textChanged.connect(self._soon.start)
        self.overridden, self.false_claims = Chip("has override"), Chip("false claim")
        for chip in (self.overridden, self.false_claims):
            chip.toggled.connect(self.searched)
        self.sort.clicked.connect(self._open_sort)
        self._total = -1
        self._foot = label("", "caption", "muted")
        self.compare = Button("Compare", "columns", "", "quiet", t.H_CONTROL)
        self.charts = Button("Charts", "chart", "", "quiet", t.H_CONTROL)
        tools, foot, body = Surface(), Surface("sunken", "t"), QWidget()
        chips = row(self.overridden, self.false_claims, 1, spacing=6)
        tools.setLayout(column(self._search, chips, spacing=t.S, margins=(t.M, t.S, t.M, t.S)))
        foot.setLayout(
            column(
                self._foot,
                row(self.compare, self.charts, 1, spacing=0),
                spacing=0,
                margins=(t.M, t.XS, t.XS, 2),
            )
        )
        self._foot.setWordWrap(True)
        body.setLayout(column(tools, Rule(), self.rows, foot))
        self.fill(body)
        self._select_later = ""

    def display(self, story: Story) -> None:
        """The list shows no episode's story."""

    @property
    def which(self) -> Filter:
        words = self._search.text().strip()
        if not any(c.isalnum() for c in words):
            words = ""
        return Filter(
            results=self.results,
            tags=self.tags,
            words=words,
            overridden=self.overridden.isChecked(),
            false_claims=self.false_claims.isChecked(),
        )

    # --- what was found ----------------------------------------------------------------------------------

    def show_total(self, total: int) -> None:
        self._total = total
        current = (
            self.model.entry(self.rows.currentIndex().row()) if self.rows.currentIndex().isValid() else None
        )
        if current is not None and not self._select_later:
            self._select_later = current.summary.episode
        self.model.restart(total)
        filtered = self.which != Filter()
        self.header.note.say(f"{total} found" if filtered else str(total))
        if total:
            self.untell()
        elif filtered:
            self.untell()
            self._foot.setText("No episode has all of that.")
        else:
            self.tell("page", "There are no episodes yet", "Each one that runs is kept here, as it happens.")

    def put(self, page: int, entries: tuple[Entry, ...]) -> None:
        self.model.put(page, entries)
        if self._select_later:
            self.select(self._select_later)

    def show_statistics(self, s: Statistics, of_selection: bool) -> None:
        parts = [count(s.episodes, "episode") + (" selected" if of_selection else "")]
        if s.believed is not None:
            parts.append(f"{s.believed:.0%} believed")
        if s.true is not None:
            parts.append(f"{s.true:.0%} true")
        if s.steps is not None:
            parts.append(f"{s.steps:.1f} steps")
        if s.replans:
            parts.append(f"{s.replans:.1f} re-plans")
        if s.overrides:
            parts.append(f"{s.overrides} by you")
        if s.cost:
            parts.append(money(s.cost))
        self._foot.setText(" · ".join(parts))

    # --- selecting ---------------------------------------------------------------------------------------

    @property
    def ids(self) -> tuple[str, ...]:
        """The selected episodes, from top to bottom, as far as their pages are here."""
        places = sorted(index.row() for index in self.rows.selectionModel().selectedIndexes())
        found = (self.model.entry(place) for place in places)
        return tuple(entry.summary.episode for entry in found if entry is not None)

    @property
    def all_selected(self) -> bool:
        return len(self.rows.selectionModel().selectedIndexes()) in (0, self._total)

    def select(self, episode: str) -> None:
        """Now, or as soon as its page is here."""
        at = self.model.row_of(episode)
        self._select_later = "" if at is not None else episode
        if at is not None:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect
            self.rows.selectionModel().setCurrentIndex(self.model.index(at), flags)

    def _chosen(self, at: int) -> None:
        entry = self.model.entry(at)
        if entry is not None:
            self.opened.emit(entry.summary.episode)

    # --- sorting and filtering ---------------------------------------------------------------------------

    def _open_sort(self) -> None:
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for id, words in ORDERS:
            mark = (" ↓" if self.descending else " ↑") if id == self.order else ""
            self._entry(menu, words + mark, ("order", id), id == self.order)
        results = menu.addMenu("Result")
        self._entry(results, "any", ("result", None), not self.results)
        for result in Result:
            self._entry(results, result.value, ("result", result), result in self.results)
        menu.triggered.connect(self._sorted)
        menu.popup(self.sort.mapToGlobal(self.sort.rect().bottomLeft()))

    @staticmethod
    def _entry(menu: QMenu, words: str, data: object, on: bool) -> None:
        action = QAction(words, menu, checkable=True, checked=on)
        action.setData(data)
        menu.addAction(action)

    def _sorted(self, action: QAction) -> None:
        what, value = action.data()
        if what == "order":
            self.sort_by(value)
        else:
            self.results = () if value is None else (value,)
            self.searched.emit()

    def sort_by(self, order: str) -> None:
        """By another column, the most first; again: the least first."""
        self.descending = not self.descending if order == self.order else True
        self.order = order
        self.searched.emit()

    def enter(self) -> None:
        self.rows.setFocus()

    def search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def move(self, by: int) -> None:  # type: ignore[override]
        at = max(0, min(self.model.rowCount() - 1, self.rows.currentIndex().row() + by))
        self.rows.setCurrentIndex(self.model.index(at))
