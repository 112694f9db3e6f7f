"""Above the belief: how likely the goal is reached, and the likeliest hypotheses."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from app.controls.painted import Painted
from app.presentation.goal_probability_series import GoalProbabilitySeries
from app.presentation.hypothesis_rows import SAME, HypothesisRow
from app.presentation.likelihood import clamp_probability, fine_percent, percent
from app.theme import paint, styling
from app.theme import tokens as t
from core.text.untrusted_text import tooltip

GOAL = 44  # px high: the goal's words and its curve
ROW = 22  # px high
FIGURE = 38  # px of a row's probability
WIDEST = 240  # px of the curve
LINE = "from there on the goal is claimed; below it, once making sure costs more than the doubt"
ODDS = 6.0  # log-odds at the curve's top, and negative at its bottom: 99.75 %


class HypothesesStrip(Painted):
    """Shown for methods that keep several hypotheses. While an episode runs it grows with its hypotheses and
    never shrinks, so that the table below stays where it is.
    """

    GROUND = "surface"

    def __init__(self) -> None:
        super().__init__()
        self.curve: GoalProbabilitySeries | None = None
        self.hypotheses: tuple[HypothesisRow, ...] = ()
        self._rows = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("The goal, and the likeliest hypotheses")
        self.hide()

    def clear(self) -> None:
        self.curve, self.hypotheses, self._rows = None, (), 0
        self.hide()

    def show_hypotheses(
        self, curve: GoalProbabilitySeries | None, hypotheses: tuple[HypothesisRow, ...], ended: bool = False
    ) -> None:
        rows = len(hypotheses) if ended else max(self._rows, len(hypotheses))
        if (curve, hypotheses, rows) == (self.curve, self.hypotheses, self._rows):
            return
        self.curve, self.hypotheses = curve, hypotheses
        self.setVisible(curve is not None and bool(hypotheses))
        if rows != self._rows:
            self._rows = rows
            self.updateGeometry()
        lines = [_spoken(row) for row in hypotheses]
        if curve is not None:
            lines.insert(0, f"The goal is {curve.text}: {curve.figure}")
            if curve.line:
                lines.insert(1, f"{_claims(curve)[:1].upper()}{_claims(curve)[1:]}: {LINE}")
        self.setAccessibleDescription(". ".join(lines))
        self.setToolTip(tooltip("\n".join(lines)))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, GOAL + ROW * self._rows + t.XS)

    def draw(self, p: QPainter) -> None:
        if self.curve is None:
            return
        w = self.width()
        words = t.M + paint.width("Goal", "caption") + t.S + paint.width(self.curve.text, "strong")
        spark = min(WIDEST, max(w * 0.25, min(w * 0.4, w - words - 2 * t.M)))
        room = w - spark - 3 * t.M
        x = t.M + paint.text(p, t.M, 6, room, 16, "Goal", "caption", "muted") + t.S
        paint.text(p, x, 6, room - x + t.M, 16, self.curve.text, "strong", "ink")
        figure = f"{self.curve.figure}{', ' if self.curve.line else ''}{_claims(self.curve)}"
        paint.text(p, t.M, 23, room, 16, figure, "caption", "text")
        _draw_curve(p, self.curve, w - spark - t.M, 6, spark, GOAL - 12)
        paint.fill(p, 0, GOAL - 1, w, 1, "hair")
        for i, row in enumerate(self.hypotheses):
            self._draw_row(p, row, GOAL + i * ROW, i == 0)
        paint.fill(p, 0, self.height() - 1, w, 1, "hair")

    def _draw_row(self, p: QPainter, row: HypothesisRow, y: float, first: bool) -> None:
        w, ink = self.width(), "ink" if first else "text"
        paint.text(p, t.M, y, FIGURE, ROW, percent(row.probability), "label", ink)
        x = t.M + FIGURE + t.XS
        whole = w - x - t.M
        room = whole - paint.width(row.cost, "caption") - t.S
        words = _describe(row, len(self.hypotheses))
        if paint.width(words, "small") > room and row.differences:
            words = row.shortest
        if paint.width(words, "small") <= room:
            paint.text(p, t.M, y, w - 2 * t.M, ROW, row.cost, "caption", "muted", paint.RIGHT)
        else:  # the facts before the cost, which the tooltip has
            room = whole
        paint.text(p, x, y, room, ROW, words, "small", ink)
        share = (w - 2 * t.M) * clamp_probability(row.probability)
        paint.fill(p, t.M, y + ROW - 3, share, 2, "muted" if first else "edge")


def _describe(row: HypothesisRow, of: int) -> str:
    return row.brief if of > 1 else "as listed below: no other hypothesis is likely"


def _spoken(row: HypothesisRow) -> str:
    differences = ", ".join(row.differences) or SAME
    return ": ".join(filter(None, (percent(row.probability), differences, row.cost)))


def _claims(curve: GoalProbabilitySeries) -> str:
    return f"claim line {fine_percent(curve.line)}" if curve.line else ""


def _draw_curve(p: QPainter, curve: GoalProbabilitySeries, x: float, y: float, w: float, h: float) -> None:
    """Draw the probability by its odds, so that 99 % and 99.9 % differ, with the claim line dashed."""
    first, last = curve.points[0][0], max(curve.points[-1][0], curve.points[0][0] + 1)

    def place(turn: float, probability: float) -> QPointF:
        along = (turn - first) / (last - first)
        return QPointF(x + along * (w - 3), y + h * (0.5 - _odds(probability) / (2 * ODDS)))

    middle = place(first, 0.5).y()
    paint.line(p, x, middle, x + w, middle, "hair")
    if curve.line:
        line = place(first, curve.line).y()
        p.setPen(QPen(styling.colour("muted"), 1, Qt.PenStyle.DashLine))
        p.drawLine(QPointF(x, line), QPointF(x + w, line))
    p.setPen(QPen(styling.colour("ink"), 1.5))
    p.drawPolyline(QPolygonF(_steps([place(*point) for point in curve.points])))
    p.setPen(Qt.PenStyle.NoPen)
    p.setBrush(styling.colour("ink"))
    p.drawEllipse(place(*curve.points[-1]), 2.5, 2.5)


def _steps(points: Sequence[QPointF]) -> list[QPointF]:
    """Return the corners of a line that keeps each value until the next."""
    corners = [points[0]]
    for point in points[1:]:
        corners += [QPointF(point.x(), corners[-1].y()), point]
    return corners


def _odds(probability: float) -> float:
    least = 1e-6
    probability = min(1 - least, max(least, probability))
    return min(ODDS, max(-ODDS, log(probability / (1 - probability))))
