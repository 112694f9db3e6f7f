"""The pages about more than one episode: two side by side, and charts of all that the list shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.review.loaded_episode import LoadedEpisode, open_episode
from app.review.log_worker import LogHandles, Progress
from core.review.statistics import metric_curves, predicate_statistics

if TYPE_CHECKING:
    from app.review.charts.trend_charts import Charts
    from app.review.review_window import ReviewWindow


def preload_charts(desktop: LogHandles, progress: Progress) -> None:
    """Half a second that the screen's thread need not spend."""
    import pyqtgraph  # noqa: F401


class MultiEpisodePages(QObject):
    """Screen's thread only. The charts are made when they are first looked at, a plot at a time."""

    def __init__(self, room: ReviewWindow) -> None:
        super().__init__(room)
        self._room = room
        self.charts: Charts | None = None
        self._making = QTimer(self, interval=0)
        self._making.timeout.connect(self._make)

    # --- two ---------------------------------------------------------------------------------------------

    def compare_selected(self) -> None:
        ids = self._room.episode_list.ids
        if len(ids) == 2:
            self.compare(*ids)
        else:
            self._room.show_title("Select two episodes in the list to compare them")

    def compare(self, left: str, right: str) -> None:
        def work(d: LogHandles, progress: Progress) -> tuple[LoadedEpisode, LoadedEpisode]:
            return open_episode(d, left, progress), open_episode(d, right, progress)

        self._room.library.submit(work, self._show_two, "Opening both episodes", "open")

    def _show_two(self, both: tuple[LoadedEpisode, LoadedEpisode]) -> None:
        self._room.turn_page(1)
        self._room.compare.show_two(*both)
        self._room.show_title("Two episodes, steps side by side")

    # --- charts ------------------------------------------------------------------------------------------

    def show_charts(self) -> None:
        """The page is there by now."""
        if self.charts is None:
            from app.review.charts.trend_charts import Charts

            self.charts = Charts()
            self._room.add_page(self.charts)
            self._making.start()
        elif not self._making.isActive():
            self.draw()

    def _make(self) -> None:
        if self.charts is None or self.charts.make_next_plot():
            return
        self._making.stop()
        self.draw()

    def draw(self) -> None:
        room, charts = self._room, self.charts
        if charts is None or self._making.isActive():
            return
        which = room.episode_list.which
        room.library.submit(lambda d, _: metric_curves(d.store, which), charts.show_curves, key="curves")
        room.library.submit(
            lambda d, _: predicate_statistics(d.store, which),
            charts.show_tallies,
            "Counting answers",
            "tallies",
        )
