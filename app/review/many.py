"""The pages about more than one episode: two side by side, and charts of all that the list shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

from app.review.library import Desktop, Progress
from app.review.opened import Opened, open_episode
from core.review.statistics import metric_curves, predicate_statistics

if TYPE_CHECKING:
    from app.review.room import Review
    from app.widgets.charts import Charts


def import_charts(desktop: Desktop, progress: Progress) -> None:
    """Half a second that the screen's thread need not spend."""
    import pyqtgraph  # noqa: F401


class Many(QObject):
    """Screen's thread only. The charts are made when they are first looked at, a plot at a time."""

    def __init__(self, room: Review) -> None:
        super().__init__(room)
        self._room = room
        self.charts: Charts | None = None
        self._making = QTimer(self, interval=0)
        self._making.timeout.connect(self._make)

    # --- two ---------------------------------------------------------------------------------------------

    def compare_selected(self) -> None:
        ids = self._room.list.ids
        if len(ids) == 2:
            self.compare(*ids)
        else:
            self._room.say("Select two episodes in the list to compare them")

    def compare(self, left: str, right: str) -> None:
        def work(d: Desktop, progress: Progress) -> tuple[Opened, Opened]:
            return open_episode(d, left, progress), open_episode(d, right, progress)

        self._room.library.ask(work, self._show_two, "Opening both episodes", "open")

    def _show_two(self, both: tuple[Opened, Opened]) -> None:
        self._room.turn_page(1)
        self._room.compare.show_two(*both)
        self._room.say("Two episodes, their steps beside each other")

    # --- charts ------------------------------------------------------------------------------------------

    def show_charts(self) -> None:
        """The page is there by now."""
        if self.charts is None:
            from app.widgets.charts import Charts

            self.charts = Charts()
            self._room.add_page(self.charts)
            self._making.start()
        elif not self._making.isActive():
            self.draw()

    def _make(self) -> None:
        if self.charts is None or self.charts.add_one():
            return
        self._making.stop()
        self.draw()

    def draw(self) -> None:
        room, charts = self._room, self.charts
        if charts is None or self._making.isActive():
            return
        which = room.list.which
        room.library.ask(lambda d, _: metric_curves(d.store, which), charts.show_curves, key="curves")
        room.library.ask(
            lambda d, _: predicate_statistics(d.store, which),
            charts.show_tallies,
            "Counting answers",
            "tallies",
        )
