"""The list model of logged episodes, loaded page by page, and how a row is painted."""

from __future__ import annotations

from datetime import datetime, timedelta

from PySide6.QtCore import QAbstractListModel, QModelIndex, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import QAbstractItemView, QListView, QStyle, QStyleOptionViewItem

from app.controls.rows import ROW, AnyIndex, RowDelegate, State, handle_row_key, set_up_view
from app.presentation.formatting import clock
from app.review.loaded_episode import fork_text
from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.events import EpisodeResult
from core.log.store import EpisodeSummary
from core.review.catalog import EpisodeListEntry
from core.state.causes import result_words
from core.text.plural import plural
from core.text.untrusted_text import tooltip

PAGE = 100
OPEN = ROW + 1  # whether the replay shows it
HIGH = 52


class EpisodeListModel(QAbstractListModel):
    """Has a row for every episode; a page is requested when one of its rows is painted."""

    page_wanted = Signal(int)  # page

    def __init__(self) -> None:
        super().__init__()
        self._total = 0
        self._pages: dict[int, tuple[EpisodeListEntry, ...]] = {}
        self._asked: set[int] = set()
        self.open_episode = ""  # the one that the replay shows

    def highlight(self, episode: str) -> None:
        """Mark the episode that is open, whatever is selected."""
        self.open_episode = episode
        if self._total:
            self.dataChanged.emit(self.index(0), self.index(self._total - 1))

    def restart(self, total: int) -> None:
        """Start a new list with this many rows."""
        self.beginResetModel()
        self._total = total
        self._pages.clear()
        self._asked.clear()
        self.endResetModel()

    def set_page(self, page: int, entries: tuple[EpisodeListEntry, ...]) -> None:
        self._pages[page] = entries
        first = page * PAGE
        if entries:
            self.dataChanged.emit(self.index(first), self.index(min(first + PAGE, self._total) - 1))

    def entry(self, at: int) -> EpisodeListEntry | None:
        page, place = divmod(at, PAGE)
        entries = self._pages.get(page)
        if entries is None:
            if page not in self._asked:
                self._asked.add(page)
                self.page_wanted.emit(page)
            return None
        return entries[place] if place < len(entries) else None

    def row_of(self, episode: str) -> int | None:
        """Return the row of an episode on a loaded page."""
        for page, entries in self._pages.items():
            for place, entry in enumerate(entries):
                if entry.summary.episode == episode:
                    return page * PAGE + place
        return None

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else self._total

    def data(self, index: AnyIndex, role: int = 0) -> object:
        if role not in (ROW, OPEN, Qt.ItemDataRole.AccessibleTextRole, Qt.ItemDataRole.ToolTipRole):
            return None
        entry = self.entry(index.row())
        if role == ROW or entry is None:
            return entry
        s = entry.summary
        if role == OPEN:
            return s.episode == self.open_episode
        state = ", open" if s.episode == self.open_episode else ""
        words = f"{s.task}, {outcome(s)[1]}, {date_text(s.began)}{state}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return words
        made = f"{s.robot}, {s.answerer}, {s.method}, seed {s.seed}"
        child = f"\n{fork_text(s)}" if s.parent else ""
        return tooltip(f"{s.episode}\n{words}\n{made}{child}" + (f"\n{s.reason}" if s.reason else ""))


def outcome(s: EpisodeSummary) -> tuple[str, str, str]:
    """Return icon, text and level of an episode's result."""
    match s.result:
        case None:
            return "play", result_words(s.result), "you"
        case EpisodeResult.SUCCEEDED:
            wrong = s.true_goal is False
            words = result_words(s.result, s.true_goal)
            return ("diamond", words, "doubt") if wrong else ("check", words, "")
        case EpisodeResult.ENDED:
            return "person", "ended by you", "you"
        case EpisodeResult.INTERRUPTED:
            return "diamond", result_words(s.result), "doubt"
    return "cross", s.result.value, "fault"


def date_text(wall: float) -> str:
    moment, now = datetime.fromtimestamp(wall), datetime.now()
    if moment.date() == now.date():
        return f"Today {moment:%H:%M}"
    if moment.date() == now.date() - timedelta(days=1):
        return f"Yesterday {moment:%H:%M}"
    return f"{moment.day} {moment:%b}" + ("" if moment.year == now.year else f" {moment.year}")


class EpisodeDelegate(RowDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        return QSize(10, HIGH)

    def draw(self, p: QPainter, box: QRectF, state: QStyle.StateFlag, index: AnyIndex) -> None:
        entry: EpisodeListEntry | None = index.data(ROW)
        x, y, w = box.x(), box.y(), box.width()
        if state & State.State_Selected:
            p.fillRect(box, styling.colour("accent_soft"))
            if state & State.State_HasFocus:  # the one that the keys act on
                paint.fill(p, x, y, t.BAR, HIGH, "accent")
        elif state & State.State_HasFocus:
            paint.box(p, x + 1, y + 1, w - 2, HIGH - 2, None, "accent")
        if index.data(OPEN):
            if not state & State.State_Selected:
                p.fillRect(box, styling.colour("raised"))
            paint.fill(p, x, y, t.BAR, HIGH, "ink")
        paint.fill(p, x, y + HIGH - 1, w, 1, "hair")
        if entry is None:
            paint.text(p, x + 34, y + 7, w, 20, "…", "strong", "muted")
        else:
            self._entry(p, entry, x, y, w)

    def _entry(self, p: QPainter, entry: EpisodeListEntry, x: float, y: float, w: float) -> None:
        s = entry.summary
        icon, words, level = outcome(s)
        tone = {"you": "accent", "": "muted"}.get(level, level)
        fill = f"{level}_fill" if level in ("doubt", "fault") else tone
        icons.draw(p, icon, x + t.M, y + 10, 14, fill)
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
        paint.text(p, x + 34 + used + t.S, y + 27, left, 16, date_text(s.began), "small", "muted")
        paint.text(p, x, y + 27, w - t.M, 16, counts, "caption", "muted", paint.RIGHT)


def _by_you(s: EpisodeSummary) -> str:
    return f"{s.overrides} by you" if s.overrides else ""


def _notes(n: int) -> str:
    return plural(n, "note") if n else ""


class EpisodeListView(QListView):
    chosen = Signal(int)  # a row was opened: Enter or a double click

    def __init__(self) -> None:
        super().__init__()
        self.setItemDelegate(EpisodeDelegate(self))
        self.setUniformItemSizes(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        set_up_view(self, "Episodes")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.doubleClicked.connect(self._opened)

    def _opened(self, index: QModelIndex) -> None:
        self.chosen.emit(index.row())

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if not handle_row_key(self, event, self._opened):
            super().keyPressEvent(event)
