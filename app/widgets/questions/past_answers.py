"""Below the cards: has this model been wrong here before? Past pictures of the predicate, and the share."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QResizeEvent

from app.controls.painted import Painted
from app.controls.tooltip import set_tooltip
from app.theme import icons, paint
from app.theme import tokens as t
from app.theme.states import VERDICT
from app.widgets.camera.picture_view import fitted
from core.review.past_answers import PastAnswer, PastAnswers

SIDES, WORDS = (48, 72), 100  # px: of a picture, in a narrow panel and in a wide one, and of its words
WIDE = 420  # px of a wide panel
LINE, PAD = 16, 8  # px high
FEW = 10  # judged answers below which the share is only hinted at


class PastAnswersView(Painted):
    """Hidden until there is something to tell. A click on a past picture opens its moment in the review."""

    GROUND = "surface"
    opened = Signal(str, int)  # episode, record number

    def __init__(self) -> None:
        super().__init__()
        self.past: PastAnswers | None = None
        self._pictures: Mapping[str, QImage] = {}
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.hide()

    def show_past(self, past: PastAnswers | None, pictures: Mapping[str, QImage]) -> None:
        """Show what is known, with the pictures by their ids: nothing without a judged answer."""
        self.past, self._pictures = past, pictures
        if past is not None:
            told = "; ".join(f"{p.atom} {describe(p)}" for p in past.latest)
            self.setAccessibleName(summary(past))
            self.setAccessibleDescription(told)
            set_tooltip(self, f"{summary(past)}.\n{told.replace('; ', chr(10))}" if told else summary(past))
        self._fit()
        self.setVisible(past is not None and past.judged > 0)
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _side(self) -> int:
        return SIDES[self.width() >= WIDE]

    def _words(self) -> list[str]:
        return paint.lines(summary(self.past), "small", self.width() - 2 * t.M - 20, 3) if self.past else []

    def _fit(self) -> None:
        """Be as high as the words and the past answers need."""
        pictures = self._side() + PAD if self.past is not None and self.past.latest else 0
        self.setFixedHeight(2 * PAD + LINE * max(1, len(self._words())) + pictures)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = int((event.position().x() - t.M) // (self._side() + WORDS))
        if self.past is not None and 0 <= at < len(self.past.latest):
            self.opened.emit(self.past.latest[at].episode, self.past.latest[at].number)

    def draw(self, p: QPainter) -> None:
        past, w = self.past, self.width()
        if past is None:
            return
        paint.fill(p, 0, 0, w, 1, "hair")
        few = past.judged < FEW
        icons.draw(p, "clock", t.M, PAD + 1, 14, "muted")
        for i, words in enumerate(rows := self._words()):
            ink = "muted" if few else "text"
            paint.text(p, t.M + 20, PAD + LINE * i, w - t.M - 20, LINE, words, "small", ink)
        top = 2 * PAD + LINE * len(rows)
        cell = self._side() + WORDS
        for i, answer in enumerate(past.latest):
            if t.M + (i + 1) * cell > w:
                break
            self._answer(p, answer, t.M + i * cell, top)

    def _answer(self, p: QPainter, answer: PastAnswer, x: float, y: float) -> None:
        image = self._pictures.get(answer.frame)
        side = self._side()
        paint.box(p, x, y, side, side, "sunken", "hair", 2)
        if image is not None:
            area = fitted(image, side, side).translated(x, y)
            p.drawImage(QRectF(area), image)
        icon, tone = ("check", "muted") if answer.right else ("cross", "fault")
        icons.draw(p, icon, x + side + 6, y + 2, 12, tone)
        room = WORDS - 8
        said = f"said {VERDICT[answer.model].word}"
        paint.text(p, x + side + 22, y, room - 20, 16, said, "caption", "text")
        for line, words in enumerate(paint.lines(_judged(answer), "caption", room - 6, 2)):
            paint.text(p, x + side + 6, y + 17 + 15 * line, room - 6, 15, words, "caption", "muted")


def summary(past: PastAnswers) -> str:
    """Return words such as "gpt on “inside” so far: right in 41 of 52 (66 to 88 %)"."""
    who = f"{past.model} on “{past.predicate}” so far"
    if not past.judged:
        return f"{who}: nobody has judged an answer"
    low, high = past.interval
    return f"{who}: right in {past.right} of {past.judged} ({100 * low:.0f} to {100 * high:.0f} %)"


def describe(answer: PastAnswer) -> str:
    """Return what was answered and who was right, such as "said yes; ada: no"."""
    return f"said {VERDICT[answer.model].word}; {_judged(answer)}"


def _judged(answer: PastAnswer) -> str:
    return f"{answer.judge}: {VERDICT[answer.truth].word}"
