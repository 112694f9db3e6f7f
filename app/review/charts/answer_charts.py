"""Charts of how often answers were right, per predicate and by confidence, as judged by people or a
simulator.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import pyqtgraph as pg
from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QWheelEvent

from app.controls.painted import Painted
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint, styling
from app.theme import tokens as t
from core.review.belief_reliability import BeliefReliability
from core.review.intervals import wilson_interval
from core.review.statistics import BINS, Accuracy, PredicateStatistics
from core.text.plural import plural

HIGH, HEAD = 30, 26  # px of a row, and of what stands above the first
ROOMY = 700  # px wide, from which there is room for long bars
FEW = 10  # judged answers below which a share is only hinted at


@dataclass(frozen=True)
class AnswerJudge:
    """Who judges whether an answer was right."""

    of: Callable[[PredicateStatistics | BeliefReliability], Accuracy]
    text: str
    missing: str  # where it has no word on a predicate


PEOPLE = AnswerJudge(lambda tally: tally.judged_by_people, "judged by people", "not judged")
TRUTH = AnswerJudge(lambda tally: tally.judged_by_simulator, "known to the simulator", "no simulator knew it")


def style_plot(plot: pg.PlotWidget) -> None:
    """Give a plot the theme's surface and unobtrusive axes."""
    plot.setBackground(styling.colour("surface"))
    for side in ("left", "bottom"):
        axis = plot.getAxis(side)
        axis.setPen(pg.mkPen(styling.colour("edge")))
        axis.setTextPen(pg.mkPen(styling.colour("muted")))
        axis.setStyle(tickFont=styling.font("caption"), tickLength=-4)
    plot.getAxis("left").setWidth(40)


class PredicateChart(Painted):
    """One row for each predicate: its answers by verdict, and the share judged right with its interval.

    One of them may be chosen, by a click or the arrow keys, so that the calibration is shown of it alone.
    """

    GROUND = "surface"

    chosen_changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.chosen = ""  # predicate; "": all
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        set_tooltip(self, "Click a predicate to see its calibration alone, and again to see all")
        self._tallies: tuple[PredicateStatistics, ...] = ()
        self._judge: AnswerJudge = PEOPLE
        self.setAccessibleName("Answers per predicate")

    def show_tallies(self, tallies: tuple[PredicateStatistics, ...], judge: AnswerJudge) -> None:
        self._tallies, self._judge = tallies, judge
        if self.chosen not in self._names:
            self.chosen = ""
        self.setMinimumHeight(HEAD + HIGH * len(tallies) + t.S)
        shares = ((x, judge.of(x)) for x in tallies)
        texts = (
            f"{x.predicate}: {s.correct} of {s.total} right, {plural(x.answers, 'answer')}" for x, s in shares
        )
        self.setAccessibleDescription("; ".join(texts))
        self.update()

    @property
    def _names(self) -> tuple[str, ...]:
        return "", *(tally.predicate for tally in self._tallies)

    def choose(self, predicate: str) -> None:
        """Choose a predicate, "" for all."""
        if predicate in self._names and predicate != self.chosen:
            self.chosen = predicate
            self.update()
            self.chosen_changed.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        row = int((event.position().y() - HEAD) // HIGH) + 1
        if 0 < row < len(self._names):
            name = self._names[row]
            self.choose("" if name == self.chosen else name)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        by = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        else:
            row = max(0, min(len(self._names) - 1, self._names.index(self.chosen) + by))
            self.choose(self._names[row])

    def draw(self, p: QPainter) -> None:
        w = self.width()
        if not self._tallies:
            paint.text(p, t.M, t.S, w, 20, "No answer was given in these episodes.", "body", "muted")
            return
        name, bars = (104.0, w * 0.2) if w > ROOMY else (84.0, w * 0.11)
        each, back = 52.0, 108.0
        x0 = name + bars + 40
        x1 = w - each - back - 88
        counted = "yes, no, unknown" if w > ROOMY else "answers"
        heads = ((t.M, "predicate"), (name, counted), (x1 + t.L, "right, %"))
        for x, words in heads:
            paint.text(p, x, 4, 160, 16, words, "caption", "muted")
        paint.text(p, 0, 4, w - back - t.M, 16, "s/answer", "caption", "muted", paint.RIGHT)
        paint.text(p, 0, 4, w - t.M, 16, "overrides, undone", "caption", "muted", paint.RIGHT)
        most = max(x.answers for x in self._tallies) or 1
        for v in (0, 50, 100):
            x = x0 + (x1 - x0) * v / 100
            paint.text(p, x - 20, 4, 40, 16, str(v), "caption", "muted", paint.CENTRE)
        for i, tally in enumerate(self._tallies):
            y = HEAD + i * HIGH
            if tally.predicate == self.chosen:
                paint.fill(p, 0, y, w, HIGH, "accent_soft")
                paint.fill(p, 0, y, t.BAR, HIGH, "accent")
            paint.fill(p, 0, y + HIGH - 1, w, 1, "hair")
            self._bars(p, tally, name, y, bars * tally.answers / most)
            share = self._judge.of(tally)
            self._share(p, share, x0, x1, y)
            few = not share.total
            paint.text(p, t.M, y, name - t.M - 4, HIGH, tally.predicate, "small", "muted" if few else "ink")
            seconds = "" if tally.mean_operator_seconds is None else f"{tally.mean_operator_seconds:.1f}"
            paint.text(p, 0, y, w - back - t.M, HIGH, seconds, "caption", "text", paint.RIGHT)
            taken = f"{tally.overrides}, {tally.undone}" if tally.overrides else ""
            paint.text(p, 0, y, w - t.M, HIGH, taken, "caption", "text", paint.RIGHT)

    @staticmethod
    def _bars(p: QPainter, tally: PredicateStatistics, x: float, y: float, room: float) -> None:
        """Paint yes filled, no outlined, unknown as a thin line, distinguishable without colour."""
        total = tally.answers or 1
        yes, no = room * tally.yes / total, room * tally.no / total
        paint.fill(p, x, y + 9, yes, 12, "muted")
        paint.box(p, x + yes, y + 9, max(no, 0.0), 12, None, "muted", 0)
        paint.fill(p, x + yes + no, y + 14, room - yes - no, 2, "muted")
        paint.text(p, x + room + 5, y, 60, HIGH, str(tally.answers), "caption", "muted")

    def _share(self, p: QPainter, share: Accuracy, x0: float, x1: float, y: float) -> None:
        left, wide = x0, x1 - x0
        for v in (0.0, 0.5, 1.0):
            paint.line(p, left + wide * v, y, left + wide * v, y + HIGH, "hair")
        if share.fraction is None:
            paint.text(p, left + 6, y, wide, HIGH, self._judge.missing, "caption", "muted")
            return
        low, high = wilson_interval(share.correct, share.total)
        ink = "muted" if share.total < FEW else "text"
        paint.line(p, left + wide * low, y + 15, left + wide * high, y + 15, ink, 2)
        icon = "ring" if share.total < FEW else "disc"
        icons.draw(p, icon, left + wide * share.fraction - 7, y + 8, 14, ink)
        paint.text(
            p, x1 + t.S, y, 100, HIGH, f"{100 * share.fraction:.0f} % of {share.total}", "caption", "muted"
        )


class ReliabilityDiagram(pg.PlotWidget):
    """How often answers were right by the model's confidence, or facts were so by the method's probability.

    On the diagonal the model, or the method, is calibrated.
    """

    def __init__(self) -> None:
        super().__init__(enableMenu=False)
        self._shares: list[Accuracy] = []
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setAccessibleName("Reliability")
        self.restyle()

    def show_shares(self, shares: list[Accuracy]) -> None:
        self._shares = shares
        self.restyle()

    @property
    def bins(self) -> list[tuple[float, float, int]]:
        """Return the non-empty bins: middle, share that was right, number of answers."""
        sums = [[sum(s.bins[i][k] for s in self._shares) for k in (0, 1)] for i in range(BINS)]
        return [((i + 0.5) / BINS, right / n, n) for i, (n, right) in enumerate(sums) if n]

    def restyle(self) -> None:
        self.clear()
        style_plot(self)
        dash = pg.mkPen(styling.colour("edge"), width=1, style=Qt.PenStyle.DashLine)
        self.plot([0, 100], [0, 100], pen=dash)
        bins = self.bins
        if bins:
            most = max(n for _, _, n in bins)
            self.plot(
                [100 * x for x, _, _ in bins],
                [100 * y for _, y, _ in bins],
                pen=pg.mkPen(styling.colour("ink"), width=2),
                symbol="o",
                symbolSize=[5 + 9 * math.sqrt(n / most) for _, _, n in bins],
                symbolPen=None,
                symbolBrush=QColor(styling.colour("ink")),
            )
        self.setXRange(0, 100, padding=0.02)
        self.setYRange(0, 100, padding=0.02)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()
