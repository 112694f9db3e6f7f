"""Many episodes at once: curves over them, how right the answers are, and how sure the model is of it."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QColor, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QScrollArea, QWidget

from app.parts.header import Header
from app.parts.layout import Rule, Surface, column, row
from app.theme import glyphs, look, paint
from app.theme import tokens as t
from app.words import count
from core.review.figures import BINS, Curve, Tally, interval, running

WINDOW = 20  # episodes in a running mean
DOTS = 400  # episodes up to which each one is a dot
HIGH = 30
FEW = 10  # judged answers below which a share is only hinted at


class Plot(pg.PlotWidget):
    """One quantity over the episodes: a dot each, and the running mean."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.title = title
        self._drawn: tuple[Sequence[Curve], ...] = ()
        self.setMenuEnabled(False)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setMinimumSize(160, 110)
        self.setAccessibleName(title)
        self._restyle()

    def _restyle(self) -> None:
        self.setBackground(look.colour("surface"))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(look.colour("edge")))
            axis.setTextPen(pg.mkPen(look.colour("muted")))
            axis.setStyle(tickFont=look.font("caption"), tickLength=-4)
        self.getAxis("left").setWidth(40)
        self.getPlotItem().showGrid(x=False, y=True, alpha=0.12)

    def draw(self, curves: Sequence[Curve]) -> None:
        """The first curve in ink, the second one dashed in the muted tone."""
        self._drawn = (curves,)
        self.clear()
        styles = (("ink", Qt.PenStyle.SolidLine), ("muted", Qt.PenStyle.DashLine))
        scale = 100.0 if curves[0].unit == "%" else 1.0
        most = 0.0
        for curve, (tone, style) in zip(curves, styles, strict=False):
            x = list(range(1, len(curve.values) + 1))
            known = [v * scale for v in curve.values if v is not None]
            most = max([most, *known])
            if len(x) <= DOTS and curve.unit != "%":
                points = [(i, v * scale) for i, v in zip(x, curve.values, strict=True) if v is not None]
                self.plot(
                    [i for i, _ in points],
                    [v for _, v in points],
                    pen=None,
                    symbol="o",
                    symbolSize=4,
                    symbolPen=None,
                    symbolBrush=look.colour("faint"),
                )
            means = [m * scale for m in running(curve.values, WINDOW)]
            if any(not math.isnan(m) for m in means):
                self.plot(x, means, pen=pg.mkPen(look.colour(tone), width=2, style=style), connect="finite")
        top = 100.0 if curves[0].unit == "%" else most * 1.1 or 1.0
        self.setYRange(0, top, padding=0.03)
        self.setXRange(1, max(2, len(curves[0].values)), padding=0.02)

    def restyle(self) -> None:
        self._restyle()
        for curves in self._drawn:
            self.draw(curves)

    def wheelEvent(self, event) -> None:
        event.ignore()


def _titled(title: str, plot: QWidget, note: str = "") -> Surface:
    head = Header(title, height=30)
    head.note.say(note)
    made = Surface()
    made.setLayout(column(head, plot, margins=(0, 0, t.S, t.XS)))
    return made


class Predicates(QWidget):
    """A row a predicate: its answers by verdict, the share that people agreed with, with its interval."""

    def __init__(self) -> None:
        super().__init__()
        self._tallies: tuple[Tally, ...] = ()
        self.setAccessibleName("Answers per predicate")

    def show_tallies(self, tallies: tuple[Tally, ...]) -> None:
        self._tallies = tallies
        self.setMinimumHeight(26 + HIGH * len(tallies) + t.S)
        told = (f"{x.predicate}: {x.agreed} of {x.judged} right, {x.answers} answers" for x in tallies)
        self.setAccessibleDescription("; ".join(told))
        self.update()

    def paintEvent(self, _: QPaintEvent) -> None:
        p = paint.painter(self)
        w = self.width()
        p.fillRect(self.rect(), look.colour("surface"))
        if not self._tallies:
            paint.text(p, t.M, t.S, w, 20, "No answer was given in these episodes.", "body", "muted")
            return
        name, bars, each, back = 104.0, w * 0.2, 52.0, 62.0
        x0 = name + bars + 48
        x1 = w - each - back - 96
        heads = ((t.M, "predicate"), (name, "yes, no, unknown"), (x1 + t.L, "right, %"))
        for x, words in heads:
            paint.text(p, x, 4, 160, 16, words, "caption", "muted")
        paint.text(p, 0, 4, w - back - t.M, 16, "s each", "caption", "muted", paint.RIGHT)
        paint.text(p, 0, 4, w - t.M, 16, "set, back", "caption", "muted", paint.RIGHT)
        most = max(x.answers for x in self._tallies) or 1
        for v in (0, 50, 100):
            x = x0 + (x1 - x0) * v / 100
            paint.text(p, x - 20, 4, 40, 16, str(v), "caption", "muted", paint.CENTRE)
        for i, tally in enumerate(self._tallies):
            y = 26 + i * HIGH
            paint.fill(p, 0, y + HIGH - 1, w, 1, "hair")
            self._bars(p, tally, name, y, bars * tally.answers / most)
            self._share(p, tally, x0, x1, y)
            few = not tally.judged
            paint.text(p, t.M, y, name - t.M - 4, HIGH, tally.predicate, "small", "muted" if few else "ink")
            seconds = "" if tally.seconds_each is None else f"{tally.seconds_each:.1f}"
            paint.text(p, 0, y, w - back - t.M, HIGH, seconds, "caption", "text", paint.RIGHT)
            taken = f"{tally.set}, {tally.taken_back}" if tally.set else ""
            paint.text(p, 0, y, w - t.M, HIGH, taken, "caption", "text", paint.RIGHT)

    @staticmethod
    def _bars(p, tally: Tally, x: float, y: float, room: float) -> None:
        """Ink for yes, an outline for no, a thin line for unknown: told apart without colour."""
        total = tally.answers or 1
        yes, no = room * tally.yes / total, room * tally.no / total
        paint.fill(p, x, y + 9, yes, 12, "muted")
        paint.box(p, x + yes, y + 9, max(no, 0.0), 12, None, "muted", 0)
        paint.fill(p, x + yes + no, y + 14, room - yes - no, 2, "muted")
        paint.text(p, x + room + 5, y, 60, HIGH, str(tally.answers), "caption", "muted")

    @staticmethod
    def _share(p, tally: Tally, x0: float, x1: float, y: float) -> None:
        left, wide = x0, x1 - x0
        for v in (0.0, 0.5, 1.0):
            paint.line(p, left + wide * v, y, left + wide * v, y + HIGH, "hair")
        if tally.share is None:
            paint.text(p, left + 6, y, wide, HIGH, "nobody judged it", "caption", "muted")
            return
        low, high = interval(tally.agreed, tally.judged)
        ink = "muted" if tally.judged < FEW else "text"
        paint.line(p, left + wide * low, y + 15, left + wide * high, y + 15, ink, 2)
        glyph = "ring" if tally.judged < FEW else "disc"
        glyphs.draw(p, glyph, left + wide * tally.share - 7, y + 8, 14, ink)
        words = f"{tally.share:.0%} of {tally.judged}"
        paint.text(p, x1 + t.S, y, 100, HIGH, words, "caption", "muted")


class Reliability(pg.PlotWidget):
    """How often answers were right, by how sure the model was; on the diagonal it knows itself."""

    def __init__(self) -> None:
        super().__init__()
        self._tallies: tuple[Tally, ...] = ()
        self.setMenuEnabled(False)
        self.setMouseEnabled(x=False, y=False)
        self.hideButtons()
        self.setAccessibleName("Reliability")
        self.restyle()

    def show_tallies(self, tallies: tuple[Tally, ...]) -> None:
        self._tallies = tallies
        self.restyle()

    @property
    def bins(self) -> list[tuple[float, float, int]]:
        """Middle of the bin, share that was right, answers: those that are not empty."""
        sums = [[sum(x.bins[i][k] for x in self._tallies) for k in (0, 1)] for i in range(BINS)]
        return [((i + 0.5) / BINS, right / n, n) for i, (n, right) in enumerate(sums) if n]

    def restyle(self) -> None:
        self.clear()
        self.setBackground(look.colour("surface"))
        for side in ("left", "bottom"):
            axis = self.getAxis(side)
            axis.setPen(pg.mkPen(look.colour("edge")))
            axis.setTextPen(pg.mkPen(look.colour("muted")))
            axis.setStyle(tickFont=look.font("caption"), tickLength=-4)
        self.getAxis("left").setWidth(40)
        dash = pg.mkPen(look.colour("edge"), width=1, style=Qt.PenStyle.DashLine)
        self.plot([0, 100], [0, 100], pen=dash)
        bins = self.bins
        if bins:
            most = max(n for _, _, n in bins)
            self.plot(
                [100 * x for x, _, _ in bins],
                [100 * y for _, y, _ in bins],
                pen=pg.mkPen(look.colour("ink"), width=2),
                symbol="o",
                symbolSize=[5 + 9 * math.sqrt(n / most) for _, _, n in bins],
                symbolPen=None,
                symbolBrush=QColor(look.colour("ink")),
            )
        self.setXRange(0, 100, padding=0.02)
        self.setYRange(0, 100, padding=0.02)

    def wheelEvent(self, event) -> None:
        event.ignore()


class Charts(Surface):
    NAMES = ("turns", "re-plans", "overrides", "seconds", "cost")

    def __init__(self) -> None:
        super().__init__("window")
        self.plots = {name: Plot(name) for name in ("success", *self.NAMES)}
        notes = {"success": "believed solid, true dashed, %", "seconds": "s", "cost": "US dollars"}
        grid = QGridLayout()
        grid.setSpacing(1)
        grid.setContentsMargins(0, 0, 0, 0)
        for i, (name, plot) in enumerate(self.plots.items()):
            titled = _titled(name.capitalize(), plot, notes.get(name, "an episode"))
            grid.addWidget(titled, i // 3, i % 3)
            grid.setColumnStretch(i % 3, 1)
        self.predicates, self.reliability = Predicates(), Reliability()
        area = QScrollArea()
        area.setWidget(self.predicates)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._answers = Header("Answers per predicate", height=30)
        self._sure = Header("As right as it is sure", height=30)
        left, right = Surface(), Surface()
        left.setLayout(column(self._answers, area))
        right.setLayout(column(self._sure, self.reliability, margins=(0, 0, t.S, t.XS)))
        below = row(left, Rule(vertical=True), right, spacing=0)
        below.setStretch(0, 3)
        below.setStretch(2, 2)
        whole = column(grid, Rule(), below)
        whole.setStretch(0, 1)
        whole.setStretch(2, 1)
        self.setLayout(whole)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.reliability.restyle()
            for plot in self.plots.values():
                plot.restyle()

    def show_curves(self, curves: Sequence[Curve]) -> None:
        by_name = {curve.name: curve for curve in curves}
        self.plots["success"].draw((by_name["goal believed"], by_name["goal true"]))
        for name in self.NAMES:
            self.plots[name].draw((by_name[name],))

    def show_tallies(self, tallies: tuple[Tally, ...]) -> None:
        self.predicates.show_tallies(tallies)
        self.reliability.show_tallies(tallies)
        judged = sum(x.judged for x in tallies)
        self._answers.note.say(
            f"{count(sum(x.answers for x in tallies), 'answer')}, {judged} judged by people"
        )
        known = sum(n for _, _, n in self.reliability.bins)
        self._sure.note.say(f"{known} judged answers" if known else "no judged answer has a confidence")
