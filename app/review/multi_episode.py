"""The pages about more than one episode: two side by side, a table of groups, and charts of one model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.review.episode_list.episode_list_panel import EpisodeListPanel
from app.review.episode_table.table_page import TablePage
from app.review.figure_export import PageExport
from app.review.loaded_episode import LoadedEpisode, open_episode
from app.review.log_worker import LogHandles, LogWorker, Progress
from core.log.export.tables import write_query, write_rows
from core.log.store import EpisodeFilter, Store
from core.review.belief_reliability import belief_reliability
from core.review.groups import WORDS, EpisodeGroup, groups
from core.review.notebook import groups_sql, predicates_sql, table_sql
from core.review.statistics import MetricCurve, metric_curves, predicate_statistics

if TYPE_CHECKING:
    from app.review.charts.trend_charts import Charts


def preload_charts(handles: LogHandles, progress: Progress) -> None:
    """Import pyqtgraph off the GUI thread, which takes 0.5 s."""
    import pyqtgraph  # noqa: F401


class MultiEpisodePages(QObject):
    """Reads several episodes for the compare page, the table and the charts. GUI thread only.

    The charts are made when they are first shown, one plot at a time. They are of the model with most
    episodes, until a person chooses another one or all together.
    """

    compared = Signal(object, object)  # two LoadedEpisode
    charts_made = Signal(object)  # the charts' page, a QWidget
    reported = Signal(str)  # for the title

    def __init__(self, library: LogWorker, episode_list: EpisodeListPanel) -> None:
        super().__init__(episode_list)
        self._library, self._list = library, episode_list
        self.table = TablePage(episode_list)
        self.table.regrouped.connect(self.draw_groups)
        self.charts: Charts | None = None
        self.model: str | None = ""  # whose charts are shown; "": the most frequent; None: all together
        self._drawn = EpisodeFilter()  # of the charts
        self._making = QTimer(self, interval=0)
        self._making.timeout.connect(self._make)

    # --- two ---------------------------------------------------------------------------------------------

    def compare_selected(self) -> None:
        ids = self._list.ids
        if len(ids) == 2:
            self.compare(*ids)
        else:
            self.reported.emit("Select two episodes in the list to compare them")

    def compare(self, left: str, right: str) -> None:
        def work(d: LogHandles, progress: Progress) -> tuple[LoadedEpisode, LoadedEpisode]:
            return open_episode(d, left, progress), open_episode(d, right, progress)

        self._library.submit(work, self._show_two, "Opening both episodes", "open")

    def _show_two(self, both: tuple[LoadedEpisode, LoadedEpisode]) -> None:
        self.compared.emit(*both)
        self.reported.emit("Two episodes, steps side by side")

    # --- charts ------------------------------------------------------------------------------------------

    def show_charts(self) -> None:
        """Make the charts' page, or draw it again."""
        if self.charts is None:
            from app.review.charts.trend_charts import Charts

            self.charts = Charts()
            self.charts_made.emit(self.charts)
            self._making.start()
        elif not self._making.isActive():
            self.draw()

    def _make(self) -> None:
        if self.charts is None or self.charts.make_next_plot():
            return
        self._making.stop()
        self.draw()

    def draw(self) -> None:
        charts, library = self.charts, self._library
        if charts is None or self._making.isActive():
            return
        which, model = self._list.which, self.model

        def read(d: LogHandles, _: Progress) -> ModelCurves:
            models = groups(d.store, which, ["model"])
            if model is None:
                (every,) = groups(d.store, which, []) or (None,)
                return models, every, which, metric_curves(d.store, which)
            one = next((g for g in models if g.values == (model,)), models[0] if models else None)
            of = replace(which, facets=(*which.facets, ("model", one.values[0]))) if one else which
            return models, one, of, metric_curves(d.store, of)

        library.submit(read, self._show_curves, key="curves")

    def _show_curves(self, found: ModelCurves) -> None:
        models, one, of, curves = found
        assert self.charts is not None
        self._drawn = of
        self.charts.show_models(models, one)
        self.charts.show_curves(curves)
        self._library.submit(
            lambda d, _: predicate_statistics(d.store, of),
            self.charts.show_tallies,
            "Counting answers",
            "tallies",
        )
        self._library.submit(
            lambda d, _: belief_reliability(d.store, of),
            self.charts.show_beliefs,
            "Comparing beliefs with what was so",
            "beliefs",
        )

    def choose_model(self, model: str | None) -> None:
        """Draw the charts of this model, or with None those of all models together."""
        self.model = model
        self.draw()

    # --- groups and export -------------------------------------------------------------------------------

    def draw_groups(self) -> None:
        """Show the groups of the table's page, if it shows groups."""
        which, by = self._list.which, self.table.by
        if by is not None:
            self._library.submit(
                lambda d, _: groups(d.store, which, by), self.table.show_groups, key="groups"
            )

    def table_export(self) -> PageExport:
        """Return what the table's page can export."""
        which, by = self._list.which, self.table.by
        if by is None:
            return PageExport(
                "episodes",
                lambda: table_sql(which),
                lambda store, to: write_query(store, table_sql(which), to),
            )
        return PageExport(
            "episodes-by-" + ("-".join(by) or "nothing"),
            lambda: groups_sql(which, by),
            lambda store, to: _write_groups(store, which, by, to),
            self.table.figures,
        )

    def charts_export(self) -> PageExport:
        """Return what the charts' page can export."""
        of = self._drawn
        return PageExport(
            "answers",
            lambda: predicates_sql(of),
            lambda store, to: write_query(store, predicates_sql(of), to),
            self.charts,
        )


ModelCurves = tuple[
    tuple[EpisodeGroup, ...], EpisodeGroup | None, EpisodeFilter, tuple[MetricCurve, ...]
]  # the models, the shown one, its episodes, its curves


def _write_groups(store: Store, which: EpisodeFilter, by: tuple[str, ...], to: Path) -> int:
    """Write a row for each group, with the interval of each figure."""
    figures = [f"{name}{part}" for name in WORDS for part in ("", "_low", "_high", "_n")]
    rows = (
        (
            *group.values,
            group.episodes,
            *(v for name in WORDS if (f := group.figures[name]) for v in (f.value, f.low, f.high, f.n)),
        )
        for group in groups(store, which, by)
    )
    return write_rows([*by, "episodes", *figures], rows, to)
