"""The list model of logged episodes, loaded page by page, and how a row looks."""

from __future__ import annotations

from datetime import datetime, timedelta

from PySide6.QtCore import QAbstractTableModel, QModelIndex, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QAbstractItemView

from app.controls.button import ENTER
from app.controls.rows import LINE, ROW, AnyIndex, Cell, RowLook, RowsTable
from app.presentation.formatting import clock, method_title, spaced
from app.review.loaded_episode import fork_text
from app.theme import tokens as t
from core.events import EpisodeResult
from core.log.store import EpisodeSummary
from core.review.catalog import EpisodeListEntry
from core.state.causes import result_words
from core.text.plural import plural

PAGE = 100
HIGH = t.H_ROW + LINE + 2  # px of each row, whose note has one line


class EpisodeListModel(QAbstractTableModel):
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
            self.dataChanged.emit(self.index(0, 0), self.index(self._total - 1, 1))

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
            self.dataChanged.emit(self.index(first, 0), self.index(min(first + PAGE, self._total) - 1, 1))

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

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 2

    def data(self, index: AnyIndex, role: int = 0) -> object:
        entry = self.entry(index.row())
        if role == ROW:
            return entry
        is_open = entry is not None and entry.summary.episode == self.open_episode
        look = episode_look(entry, is_open) if entry is not None else NOT_LOADED
        return look.data(index.column(), role)


def outcome(s: EpisodeSummary) -> tuple[str, str, str]:
    """Return icon, text and level of an episode's result."""
    match s.result:
        case None:
            return "play", result_words(s.result), "you"
        case EpisodeResult.SUCCEEDED:
            looks = {True: ("check", ""), False: ("diamond", "doubt"), None: ("flag", "")}
            icon, level = looks[s.true_goal]
            return icon, result_words(s.result, s.true_goal), level
        case EpisodeResult.ENDED:
            return "person", result_words(s.result), "you"
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


def episode_look(entry: EpisodeListEntry, is_open: bool) -> RowLook:
    """Return the task with its tags, and below it how and when it ended and what a person did."""
    s = entry.summary
    icon, words, level = outcome(s)
    tone = {"you": "accent", "": "muted"}.get(level, level)
    tags = " · ".join((*(["fork"] if s.parent else []), *entry.tags))
    asked = f"{s.questions} asked" if s.questions else ""
    mine = plural(s.overrides, "override") if s.overrides else ""
    said = (words, date_text(s.began), asked, mine, plural(entry.notes, "note") if entry.notes else "")
    head = f"{spaced(s.task)}{f'  ({tags})' if tags else ''}"
    cells = (
        Cell(head, icon, "ink", f"{level}_fill" if level in ("doubt", "fault") else tone, "strong"),
        Cell(clock(s.seconds) if s.seconds is not None else "", font="small", right=True),
    )
    spoken = f"{spaced(s.task)}, {words}, {date_text(s.began)}{', open' if is_open else ''}"
    made = f"{s.robot}, {s.answerer}, {method_title(s.method)}, seed {s.seed}"
    tip = (s.episode, spoken, made, fork_text(s) if s.parent else "", s.reason)
    ground = "accent_soft" if is_open else ""
    note = " · ".join(filter(None, said))
    return RowLook(cells, spoken, "\n".join(filter(None, tip)), note, tone, ground=ground)


NOT_LOADED = RowLook((Cell("…", tone="muted"), Cell()), "…", note=" ")


class EpisodeListView(RowsTable):
    chosen = Signal(int)  # a row was opened: Enter or a double click

    def __init__(self, model: EpisodeListModel) -> None:
        super().__init__(model, "Episodes", (0, 52))
        self._delegate.most = 1
        self.horizontalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(HIGH)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.doubleClicked.connect(lambda index: self.chosen.emit(index.row()))

    def fit(self) -> None:
        """Leave all rows as high as they are: there may be a hundred thousand."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Open the current row with Enter, and leave letters to the window: no search in the list."""
        if event.key() in ENTER and self.currentIndex().isValid():
            self.chosen.emit(self.currentIndex().row())
        elif event.text() and event.text().isprintable() and not event.modifiers():
            event.ignore()
        else:
            super().keyPressEvent(event)
