"""The page with the table of episodes: flat, or grouped with every figure and its interval."""

from __future__ import annotations

from PySide6.QtCore import QItemSelection, QItemSelectionModel, Signal
from PySide6.QtWidgets import QStackedWidget

from app.controls.badge import Chip, SegmentedControl
from app.controls.button import ToolButton
from app.controls.header import Header
from app.controls.layout import Surface, column, scroll_area
from app.review.episode_list.episode_list_panel import EpisodeListPanel
from app.review.episode_table.episode_table import EpisodeTable
from app.review.episode_table.group_figures import GroupFigures
from core.review.groups import EpisodeGroup

GROUPINGS = ("Episodes", "Model", "Robot", "Method", "Task", "Seed", "Tag")
MIXED = "Put the episodes of all models into one group. Otherwise each model has its own."


class TablePage(Surface):
    """Shows what the list shows; a click on a group lists its episodes."""

    regrouped = Signal()

    def __init__(self, episodes: EpisodeListPanel) -> None:
        super().__init__()
        self._list = episodes
        self.grouping = SegmentedControl(GROUPINGS, 0, "Group by")
        self.together, self.export = Chip("models together"), ToolButton("export", "Export this table")
        self.together.setToolTip(MIXED)
        self.together.hide()
        self.header = Header("Table", self.together, self.grouping, self.export, height=40)
        self.table, self.figures = EpisodeTable(episodes.model), GroupFigures()
        self._stack = QStackedWidget()
        self._stack.addWidget(self.table)
        self._stack.addWidget(scroll_area(self.figures))
        self.setLayout(column(self.header, (self._stack, 1)))
        self.grouping.changed.connect(self._regroup)
        self.together.toggled.connect(self._regroup)
        self.table.sorted_by.connect(episodes.sort_by)
        self.table.chosen.connect(episodes.rows.chosen)
        self.table.selectionModel().selectionChanged.connect(self._selected)
        episodes.searched.connect(self._show_order)
        self.figures.chosen.connect(self._open_group)

    @property
    def by(self) -> tuple[str, ...] | None:
        """Return the facets of the groups, or None for a row per episode."""
        i = self.grouping.current_index
        if not i:
            return None
        name, mixed = GROUPINGS[i].lower(), self.together.isChecked()
        if name == "model":
            return () if mixed else ("model",)
        return (name,) if mixed else ("model", name)

    def show_groups(self, groups: tuple[EpisodeGroup, ...]) -> None:
        self.figures.show_groups(groups)
        self.header.note.set_note("95 % intervals; a ring: fewer than 10 episodes")

    def _regroup(self) -> None:
        flat = self.by is None
        self._stack.setCurrentIndex(0 if flat else 1)
        self.together.setVisible(not flat)
        self.header.note.set_note("")
        self.regrouped.emit()

    def _open_group(self, group: EpisodeGroup) -> None:
        by = self.by
        if by:
            self.grouping.choose(0)
            self._list.filter_by(tuple(zip(by, group.values, strict=True)))

    def _show_order(self) -> None:
        self.table.episodes.show_order(self._list.order, self._list.descending)

    def _selected(self) -> None:
        """Select the same episodes in the list, whose buttons act on them."""
        chosen = QItemSelection()
        for index in self.table.selectionModel().selectedRows():
            row = self._list.model.index(index.row())
            chosen.select(row, row)
        self._list.rows.selectionModel().select(chosen, QItemSelectionModel.SelectionFlag.ClearAndSelect)
