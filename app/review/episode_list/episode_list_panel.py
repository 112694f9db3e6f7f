"""The list of episodes: search, filters and statistics."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from PySide6.QtCore import QItemSelectionModel, QTimer, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.controls.badge import Chip
from app.controls.button import Button, ToolButton
from app.controls.header import SearchField
from app.controls.layout import Separator, Surface, column, label, open_menu, row
from app.review.episode_list.episode_list_model import PAGE as PAGE
from app.review.episode_list.episode_list_model import EpisodeListModel, EpisodeListView
from app.theme import tokens as t
from app.widgets.panel import Panel
from core.episode_state import EpisodeState
from core.events import EpisodeResult
from core.log.store import RECORDED, EpisodeFilter
from core.review.catalog import EpisodeListEntry
from core.review.groups import EpisodeGroup
from core.state.causes import result_words
from core.text.numbers import money
from core.text.plural import plural
from core.text.untrusted_text import one_line

COVERED = ("lock", "Hidden during blind review", "B ends it.")
TYPING = 250  # ms after the last letter until the log is searched
ORDERS = (
    (RECORDED, "Latest"),
    ("task", "Task"),
    ("result", "Result"),
    ("seconds", "Length"),
    ("steps", "Steps"),
    ("replans", "Re-plans"),
    ("questions", "Questions"),
    ("overrides", "Overrides"),
    ("cost", "Cost"),
    ("answerer", "Model"),
    ("robot", "Robot"),
    ("method", "Method"),
    ("seed", "Seed"),
    ("true_goal", "Goal true"),
    ("failures", "Failed steps"),
    ("contradictions", "Contradictions"),
    ("stops", "Stops"),
)


class EpisodeListPanel(Panel):
    """Emits what it needs; whoever reads the log calls `show_total`, `set_page` and `show_statistics`."""

    searched = Signal()  # another filter or order: begin anew
    page_wanted = Signal(int)  # this page
    selected = Signal()
    opened = Signal(str)  # episode

    def __init__(self) -> None:
        self.sort, self.more = ToolButton("filter", "Sort and filter"), ToolButton("more", "More")
        super().__init__("Episodes", self.sort, self.more)
        self.order, self.descending = RECORDED, True
        self.facets: tuple[tuple[str, str], ...] = ()
        self._facet_values: Mapping[str, tuple[str, ...]] = {}
        self.model = EpisodeListModel()
        self.model.page_wanted.connect(self.page_wanted)
        self.rows = EpisodeListView(self.model)
        self.rows.chosen.connect(self._chosen)
        self.rows.selectionModel().selectionChanged.connect(self.selected)
        self._search = SearchField("Task, tag, note, atom")
        self._soon = QTimer(self, interval=TYPING, singleShot=True)
        self._soon.timeout.connect(self.searched)
        self._search.textChanged.connect(self._soon.start)
        self.overridden, self.false_claims = Chip("has override"), Chip("false claim")
        for chip in (self.overridden, self.false_claims):
            chip.toggled.connect(self.searched)
        self.sort.clicked.connect(self._open_sort)
        self.filters = Button("", "close", "", "quiet", 22)
        self.filters.setToolTip("Show all of them again")
        self.filters.clicked.connect(lambda: self.filter_by(()))
        self.filters.hide()
        self.total = -1
        self._foot = label("", "caption", "muted")
        self.compare = Button("Compare", "columns", "", "quiet", t.H_CONTROL)
        self.report = Button("Report", "chart", "", "quiet", t.H_CONTROL)
        self.report.setToolTip("Opens a page with the figures of the listed or selected episodes, by model")
        tools, foot = Surface(), Surface("sunken", "t")
        chips = row(self.overridden, self.false_claims, 1, spacing=6)
        tools.setLayout(column(self._search, chips, self.filters, spacing=t.S, margins=(t.M, t.S, t.M, t.S)))
        foot.setLayout(
            column(
                self._foot,
                row(self.compare, self.report, 1, spacing=0),
                spacing=0,
                margins=(t.M, t.XS, t.M, 2),
            )
        )
        self._foot.setWordWrap(True)
        self.set_body(tools, Separator(), self.rows, foot)
        self._select_later = ""
        self._covered = False  # by a blind review

    def display(self, state: EpisodeState) -> None:
        """Do nothing: the list does not follow an episode."""

    @property
    def which(self) -> EpisodeFilter:
        words = self._search.text().strip()
        if not any(c.isalnum() for c in words):
            words = ""
        return EpisodeFilter(
            facets=self.facets,
            text=words,
            overridden=self.overridden.isChecked(),
            false_claims=self.false_claims.isChecked(),
        )

    def cover(self, on: bool) -> None:
        """Hide the episodes and their results during a blind review."""
        self._covered = on
        self.show_placeholder(*COVERED) if on else self.hide_placeholder()

    # --- what was found ----------------------------------------------------------------------------------

    def show_total(self, total: int) -> None:
        self.total = total
        current = (
            self.model.entry(self.rows.currentIndex().row()) if self.rows.currentIndex().isValid() else None
        )
        if current is not None and not self._select_later:
            self._select_later = current.summary.episode
        self.model.restart(total)
        filtered = self.which != EpisodeFilter()
        self.header.note.set_note(f"{total} found" if filtered else str(total))
        if self._covered:
            return
        if total:
            self.hide_placeholder()
        elif filtered:
            self.hide_placeholder()
            self._foot.setText("No episode matches.")
        else:
            self.show_placeholder(
                "page", "There are no episodes yet", "Every episode is logged here while it runs."
            )

    def set_page(self, page: int, entries: tuple[EpisodeListEntry, ...]) -> None:
        self.model.set_page(page, entries)
        if self._select_later:
            self.select(self._select_later)
        elif page == 0 and entries and not self.rows.currentIndex().isValid():  # Enter opens the latest
            flags = QItemSelectionModel.SelectionFlag.NoUpdate
            self.rows.selectionModel().setCurrentIndex(self.model.index(0, 0), flags)

    def show_statistics(self, found: Sequence[EpisodeGroup], selected: int) -> None:
        """Show the figures of so many selected episodes; 0: of those that are listed."""
        count = plural(selected or self.total, "episode")
        parts = [f"{count} selected" if selected else count]
        if not found:  # none has ended, or there is none, which is said elsewhere
            return self._foot.setText(parts[0]) if self.total else None
        figures = found[0].figures
        for name, words in (("true_goal", "true"), ("believed_goal", "believed")):
            if (share := figures[name].value) is not None:
                parts.append(f"{100 * share:.0f} % {words}")
        if figures["true_goal"].n:
            parts.append(plural(round(figures["false_claims"].total), "false claim"))
        means = (("steps", "step"), ("replans", "re-plan"))
        parts += [_mean(mean, thing) for name, thing in means if (mean := figures[name].value)]
        if overrides := round(figures["overrides"].total):
            parts.append(plural(overrides, "override"))
        if cost := figures["cost"].total:
            parts.append(money(cost))
        self._foot.setText(" · ".join(parts))

    # --- selecting ---------------------------------------------------------------------------------------

    @property
    def ids(self) -> tuple[str, ...]:
        """Return the selected episodes on loaded pages, from top to bottom."""
        places = sorted(index.row() for index in self.rows.selectionModel().selectedRows())
        found = (self.model.entry(place) for place in places)
        return tuple(entry.summary.episode for entry in found if entry is not None)

    @property
    def chosen(self) -> EpisodeFilter:
        """Return the selected episodes if they are several, but not all; else those that are listed."""
        count = len(self.rows.selectionModel().selectedRows())
        return replace(self.which, ids=self.ids) if 1 < count != self.total else self.which

    def select(self, episode: str) -> None:
        """Select an episode now, or as soon as its page is loaded."""
        at = self.model.row_of(episode)
        self._select_later = "" if at is not None else episode
        if at is not None:
            flags = QItemSelectionModel.SelectionFlag.ClearAndSelect | QItemSelectionModel.SelectionFlag.Rows
            self.rows.selectionModel().setCurrentIndex(self.model.index(at, 0), flags)

    def _chosen(self, at: int) -> None:
        entry = self.model.entry(at)
        if entry is not None:
            self.opened.emit(entry.summary.episode)

    # --- sorting and filtering ---------------------------------------------------------------------------

    def _open_sort(self) -> None:
        menu = QMenu(self)
        for id, words in ORDERS:
            mark = (" ↓" if self.descending else " ↑") if id == self.order else ""
            self._entry(menu, words + mark, ("order", id), id == self.order)
        menu.addSeparator()
        chosen = dict(self.facets)
        for name, values in self._facet_values.items():
            part = menu.addMenu(name.capitalize())
            self._entry(part, "any", (name, None), name not in chosen)
            for value in values:
                self._entry(part, value_words(name, value), (name, value), chosen.get(name) == value)
        menu.triggered.connect(self._sorted)
        open_menu(menu, self.sort)

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
            rest = tuple(pair for pair in self.facets if pair[0] != what)
            self.filter_by(rest if value is None else (*rest, (what, value)))

    def show_facets(self, values: Mapping[str, tuple[str, ...]]) -> None:
        """Offer these values to filter by."""
        self._facet_values = values

    def filter_by(self, facets: tuple[tuple[str, str], ...]) -> None:
        """List only the episodes with all of these values; () lists all."""
        self.facets = facets
        words = ", ".join(f"{name} {value_words(name, value)}" for name, value in facets)
        self.filters.relabel(words)
        self.filters.setVisible(bool(facets))
        self.searched.emit()

    def sort_by(self, order: str) -> None:
        """Sort by this column, descending; again, ascending."""
        self.descending = not self.descending if order == self.order else True
        self.order = order
        self.searched.emit()

    def enter(self) -> None:
        self.rows.setFocus()

    def focus_search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def select_relative(self, by: int) -> bool:
        at = max(0, min(self.model.rowCount() - 1, self.rows.currentIndex().row() + by))
        self.rows.setCurrentIndex(self.model.index(at, 0))
        return self.model.rowCount() > 0


def _mean(value: float, thing: str) -> str:
    """Return a mean with its noun, such as "1 re-plan" or "7.5 steps"."""
    figure = f"{value:.1f}".removesuffix(".0")
    return f"{figure} {thing}" if figure == "1" else f"{figure} {thing}s"


def value_words(facet: str, value: str) -> str:
    """Return the value of a facet as text."""
    if facet == "result" and value in {result.value for result in EpisodeResult}:
        return result_words(EpisodeResult(value))
    return one_line(value, 60) or "none"
