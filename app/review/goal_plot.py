"""Plot how likely the goal was over two episodes, where their methods say."""

from __future__ import annotations

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QWheelEvent

from app.presentation.hypothesis_rows import GoalProbabilitySeries
from app.theme import styling
from app.theme import tokens as t

LINES = (("left", "ink", Qt.PenStyle.SolidLine), ("right", "muted", Qt.PenStyle.DashLine))


class GoalPlot(pg.PlotWidget):
    """Each episode's probability by turn, in percent: the left one solid, the right one dashed."""

    _series: tuple[GoalProbabilitySeries | None, ...] = ()  # of the class: Qt calls while it is made

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setFixedHeight(140)
        self.setAccessibleName("How likely the goal was")
        self.setYRange(0, 100, padding=0.03)
        self.setLabel("left", "goal likely, %")
        self.setLabel("bottom", "turn (left solid, right dashed)")
        self.hide()

    def show_series(self, left: GoalProbabilitySeries | None, right: GoalProbabilitySeries | None) -> None:
        """Show both; hide the plot if neither method says how likely the goal is."""
        self._series = (left, right)
        self.setVisible(any(self._series))
        sides = zip(LINES, self._series, strict=True)
        said = [f"{side}: {series.figure} in the end" for (side, *_), series in sides if series]
        self.setAccessibleDescription("; ".join(said))
        self._draw()

    def _draw(self) -> None:
        self.clear()
        self.setBackground(styling.colour("surface"))
        for name in ("left", "bottom"):
            axis = self.getAxis(name)
            axis.setPen(pg.mkPen(styling.colour("edge")))
            axis.setTextPen(pg.mkPen(styling.colour("muted")))
            axis.setStyle(tickFont=styling.font("caption"), tickLength=-t.XS)
        for (_, tone, style), series in zip(LINES, self._series, strict=True):
            if series:
                turns, shares = zip(*series.points, strict=True)
                pen = pg.mkPen(styling.colour(tone), width=2, style=style)
                ends = [*turns, turns[-1] + 1]  # each value holds until the next
                self.plot(ends, [100 * share for share in shares], pen=pen, stepMode="center")

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange and self._series:
            self._draw()

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
