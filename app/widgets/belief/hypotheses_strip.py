"""Above the belief: how likely the goal is reached, and the likeliest hypotheses."""

from __future__ import annotations

from math import log

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QPainter, QPen

from app.controls.layout import Painted, Surface, column, label, row
from app.controls.text_rows import TextRow, TextRows
from app.presentation.goal_probability_series import GoalProbabilitySeries
from app.presentation.hypothesis_rows import SAME, HypothesisRow
from app.presentation.likelihood import fine_percent, percent
from app.theme import paint, styling
from app.theme import tokens as t
from core.text.untrusted_text import tooltip

CURVE = 110, 32  # px of the curve
FIGURE = 34  # px of a row's probability
LINE = "below it, the goal is claimed once making sure costs more than the doubt"
ODDS = 6.0  # log-odds at the curve's top, and negative at its bottom: 99.75 %


class GoalCurve(Painted):
    """The goal's probability over the turns."""

    def __init__(self) -> None:
        super().__init__()
        self._curve: GoalProbabilitySeries | None = None
        self.setFixedSize(*CURVE)

    def show_curve(self, curve: GoalProbabilitySeries) -> None:
        self._curve = curve
        self.update()

    def draw(self, p: QPainter) -> None:
        if self._curve is not None:
            _draw_curve(p, self._curve, 0, 0, self.width(), self.height())


class HypothesesStrip(Surface):
    """Shown for methods that keep several hypotheses. While an episode runs it grows with its hypotheses and
    never shrinks, so that the table below stays where it is.
    """

    def __init__(self) -> None:
        super().__init__("surface", "b")
        self._text, self._figure = label("", "strong", "ink", wrap=True), label("", "caption", "text")
        self._curve, self._rows = GoalCurve(), TextRows("Hypotheses", FIGURE, "small")
        goal = column(row(label("Goal", "caption", "muted"), (self._text, 1)), self._figure, spacing=1)
        head = row((goal, 1), self._curve, margins=(t.M, 6, t.M, 0))
        self.setLayout(column(head, self._rows))
        self.setAccessibleName("The goal, and the likeliest hypotheses")
        self.hide()

    def clear(self) -> None:
        self.setMinimumHeight(0)
        self.hide()

    def show_hypotheses(
        self, curve: GoalProbabilitySeries | None, hypotheses: tuple[HypothesisRow, ...], ended: bool = False
    ) -> None:
        self.setVisible(curve is not None and bool(hypotheses))
        if curve is None:
            return
        self._text.setText(curve.text)
        self._figure.setText(", ".join(filter(None, (curve.figure, _claims(curve)))))
        self._curve.show_curve(curve)
        self._rows.show_rows([_row(h, i == 0, len(hypotheses)) for i, h in enumerate(hypotheses)])
        self.setMinimumHeight(0 if ended else max(self.minimumHeight(), self.sizeHint().height()))
        lines = [_spoken(one) for one in hypotheses]
        lines.insert(0, f"The goal is {curve.text}: {curve.figure}")
        if curve.line:
            lines.insert(1, f"{_claims(curve)[:1].upper()}{_claims(curve)[1:]}: {LINE}")
        self.setAccessibleDescription(". ".join(lines))
        self.setToolTip(tooltip("\n".join(lines)))


def _row(one: HypothesisRow, first: bool, of: int) -> TextRow:
    words = one.brief if of > 1 else "as listed below: no other hypothesis is likely"
    return TextRow(words, percent(one.probability), tone="ink" if first else "text", note=one.cost)


def _spoken(row: HypothesisRow) -> str:
    differences = ", ".join(row.differences) or SAME
    return ": ".join(filter(None, (percent(row.probability), differences, row.cost)))


def _claims(curve: GoalProbabilitySeries) -> str:
    return f"always claimed from {fine_percent(curve.line)} on" if curve.line else ""


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
    p.drawPolyline(paint.staircase([place(*point) for point in curve.points]))
    p.setPen(Qt.PenStyle.NoPen)
    p.setBrush(styling.colour("ink"))
    p.drawEllipse(place(*curve.points[-1]), 2.5, 2.5)


def _odds(probability: float) -> float:
    least = 1e-6
    probability = min(1 - least, max(least, probability))
    return min(ODDS, max(-ODDS, log(probability / (1 - probability))))
