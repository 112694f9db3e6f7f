"""The pages about more than one episode: two side by side, and charts of all that the list shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from app.review.episode_list.episode_list_panel import EpisodeListPanel
from app.review.loaded_episode import LoadedEpisode, open_episode
from app.review.log_worker import LogHandles, LogWorker, Progress
from core.review.statistics import metric_curves, predicate_statistics

if TYPE_CHECKING:
    from app.review.charts.trend_charts import Charts


def preload_charts(handles: LogHandles, progress: Progress) -> None:
    """Import pyqtgraph off the GUI thread, which takes 0.5 s."""
    import pyqtgraph  # noqa: F401


class MultiEpisodePages(QObject):
    """Reads several episodes for the compare page and the charts. GUI thread only.

    The charts are made when they are first shown, one plot at a time.
    """

    compared = Signal(object, object)  # two LoadedEpisode
    charts_made = Signal(object)  # the charts' page, a QWidget
    reported = Signal(str)  # for the title

    def __init__(self, library: LogWorker, episode_list: EpisodeListPanel) -> None:
        super().__init__(episode_list)
        self._library, self._list = library, episode_list
        self.charts: Charts | None = None
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
        which = self._list.which
        library.submit(lambda d, _: metric_curves(d.store, which), charts.show_curves, key="curves")
        library.submit(
            lambda d, _: predicate_statistics(d.store, which),
            charts.show_tallies,
            "Counting answers",
            "tallies",
        )
