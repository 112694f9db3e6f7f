"""Above the belief: how likely the goal is reached, and the likeliest stories of how things stand."""

from __future__ import annotations

from collections.abc import Sequence
from math import log

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy

from app.controls.painted import Painted
from app.presentation.goal_curve import GoalCurve
from app.presentation.likelihood import fine_percent, percent, within
from app.presentation.stories import SAME, Story
from app.theme import paint, styling
from app.theme import tokens as t
from core.text.untrusted_text import tooltip

GOAL = 44  # px high: the goal's words and its curve
STORY = 22  # px high
FIGURE = 38  # px of a story's probability
WIDEST = 240  # px of the curve
LINE = "from there on the goal is claimed; below it, once making sure costs more than the doubt"
ODDS = 6.0  # log-odds at the curve's top, and negative at its bottom: 99.75 %


class StoriesStrip(Painted):
    """Shown for methods that keep several hypotheses. While an episode runs it grows with its stories and
    never shrinks, so that the table below stays where it is.
    """

    GROUND = "surface"

    def __init__(self) -> None:
        super().__init__()
        self.curve: GoalCurve | None = None
        self.stories: tuple[Story, ...] = ()
        self._rows = 0
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("The goal, and the likeliest stories")
        self.hide()

    def clear(self) -> None:
        self.curve, self.stories, self._rows = None, (), 0
        self.hide()

    def show_stories(self, curve: GoalCurve | None, stories: tuple[Story, ...], ended: bool = False) -> None:
        rows = len(stories) if ended else max(self._rows, len(stories))
        if (curve, stories, rows) == (self.curve, self.stories, self._rows):
            return
        self.curve, self.stories = curve, stories
        self.setVisible(curve is not None and bool(stories))
        if rows != self._rows:
            self._rows = rows
            self.updateGeometry()
        words = [_spoken(story) for story in stories]
        if curve is not None:
            words.insert(0, f"The goal is {curve.words}: {curve.figure}")
            if curve.line:
                words.insert(1, f"{_claims(curve)[:1].upper()}{_claims(curve)[1:]}: {LINE}")
        self.setAccessibleDescription(". ".join(words))
        self.setToolTip(tooltip("\n".join(words)))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(200, GOAL + STORY * self._rows + t.XS)

    def draw(self, p: QPainter) -> None:
        if self.curve is None:
            return
        w = self.width()
        words = t.M + paint.width("Goal", "caption") + t.S + paint.width(self.curve.words, "strong")
        spark = min(WIDEST, max(w * 0.25, min(w * 0.4, w - words - 2 * t.M)))
        room = w - spark - 3 * t.M
        x = t.M + paint.text(p, t.M, 6, room, 16, "Goal", "caption", "muted") + t.S
        paint.text(p, x, 6, room - x + t.M, 16, self.curve.words, "strong", "ink")
        figure = f"{self.curve.figure}{', ' if self.curve.line else ''}{_claims(self.curve)}"
        paint.text(p, t.M, 23, room, 16, figure, "caption", "text")
        _draw_curve(p, self.curve, w - spark - t.M, 6, spark, GOAL - 12)
        paint.fill(p, 0, GOAL - 1, w, 1, "hair")
        for i, story in enumerate(self.stories):
            self._draw_story(p, story, GOAL + i * STORY, i == 0)
        paint.fill(p, 0, self.height() - 1, w, 1, "hair")

    def _draw_story(self, p: QPainter, story: Story, y: float, first: bool) -> None:
        w, ink = self.width(), "ink" if first else "text"
        paint.text(p, t.M, y, FIGURE, STORY, percent(story.probability), "label", ink)
        x = t.M + FIGURE + t.XS
        whole = w - x - t.M
        room = whole - paint.width(story.cost, "caption") - t.S
        words = _describe(story, len(self.stories))
        if paint.width(words, "small") > room and story.differences:
            words = story.differences[0]
        if paint.width(words, "small") <= room:
            paint.text(p, t.M, y, w - 2 * t.M, STORY, story.cost, "caption", "muted", paint.RIGHT)
        else:  # the story before its cost, which the tooltip has
            room = whole
        paint.text(p, x, y, room, STORY, words, "small", ink)
        share = (w - 2 * t.M) * within(story.probability)
        paint.fill(p, t.M, y + STORY - 3, share, 2, "muted" if first else "edge")


def _describe(story: Story, of: int) -> str:
    return story.brief if of > 1 else "as listed below: no other story is likely"


def _spoken(story: Story) -> str:
    differences = ", ".join(story.differences) or SAME
    return ": ".join(filter(None, (percent(story.probability), differences, story.cost)))


def _claims(curve: GoalCurve) -> str:
    return f"claim line {fine_percent(curve.line)}" if curve.line else ""


def _draw_curve(p: QPainter, curve: GoalCurve, x: float, y: float, w: float, h: float) -> None:
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
