"""The card of a logged question for a reviewer: only picture and question until it is labelled."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Signal
from PySide6.QtGui import QImage, QPainter, QPainterPath, QResizeEvent

from app.controls.button import Button
from app.controls.layout import Surface, column, row
from app.controls.painted import Painted
from app.review.question_view import QuestionView, ReviewProgress
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.widgets.camera.picture_view import BoxMark, fitted, outline
from core.belief import Verdict
from core.ports import BoundingBox

HIGH, SIDE, SMALL = 252, 200, 132  # px: the card, its picture, and that of a narrow card
NARROW = 520
SAYS = (("Yes", "disc", "Y", Verdict.YES), ("No", "ring", "N", Verdict.NO))
CANNOT = ("Can't tell", "dashring", "U", Verdict.UNKNOWN)
HIDDEN = "What the model answered, and everything that depends on it, stays hidden until you answer."


class ReviewCard(Surface):
    """Emits verdicts about the question's text."""

    judged = Signal(object)  # Verdict

    def __init__(self) -> None:
        super().__init__()
        self.setFixedHeight(HIGH)
        self._face = QuestionDisplay()
        self.buttons: list[Button] = []
        for words, icon, key, verdict in (*SAYS, CANNOT):
            button = Button(words, icon, key)
            button.setProperty("verdict", verdict)
            button.clicked.connect(self._clicked)
            self.buttons.append(button)
        self._face.setParent(self)
        self._below = row(*((button, 1) for button in self.buttons))
        self.setLayout(column(1, self._below))
        self._face.lower()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._face.setGeometry(0, 0, self.width(), HIGH)
        self._below.setContentsMargins(t.M + _side(self.width()) + t.L, 0, t.M, 44)

    def _clicked(self) -> None:
        self.judged.emit(self.sender().property("verdict"))

    def show_question(
        self,
        seen: QuestionView | None,
        progress: ReviewProgress | None,
        image: QImage | None,
        box: BoundingBox | None,
    ) -> None:
        self._face.show_face(seen, progress, image, box)
        for button in self.buttons:
            button.setEnabled(seen is not None)


def _side(width: int) -> int:
    """Return the side of the picture in px; text and buttons take the rest."""
    return SMALL if width < NARROW else SIDE


class QuestionDisplay(Painted):
    """Paints what may be seen of the question."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: QuestionView | None = None
        self._progress: ReviewProgress | None = None
        self._image: QImage | None = None
        self._box: BoundingBox | None = None

    def show_face(
        self,
        seen: QuestionView | None,
        progress: ReviewProgress | None,
        image: QImage | None,
        box: BoundingBox | None,
    ) -> None:
        self._seen, self._progress, self._image, self._box = seen, progress, image, box
        if seen is not None:
            known = "" if seen.blind else f" {'. '.join(words for _, _, words in seen.lines)}."
            self.setAccessibleName(f"{seen.question}{known}")
        self.update()

    def draw(self, p: QPainter) -> None:
        if self._seen is None:
            paint.text(
                p, t.M, t.M, self.width(), 20, "No question was asked yet at this moment.", "body", "muted"
            )
            return
        self._paint_picture(p)
        self._paint_progress(p)
        seen = self._seen
        x = t.M + _side(self.width()) + t.L
        room = self.width() - x - t.M
        paint.text(p, x, t.M, room, 14, seen.head.upper(), "micro", "muted")
        y = t.M + 18.0
        for line in paint.lines(seen.question, "display", room, 2):
            paint.text(p, x, y, room, 28, line, "display", "ink")
            y += 28
        y += 4
        if seen.blind:
            icons.draw(p, "lock", x, y + 1, 14, "muted")
            paint.wrap(p, x + 22, y, room - 22, HIDDEN, "small", "muted", 3)
            return
        for icon, tone, words in seen.lines:
            icons.draw(p, icon, x, y + 2, 14, "doubt_fill" if tone == "doubt" else tone)
            paint.text(p, x + 22, y, room - 22, 18, words, "small", tone if tone != "muted" else "text")
            y += 19

    def _paint_progress(self, p: QPainter) -> None:
        if self._progress is None:
            return
        left = t.M + _side(self.width()) + t.L
        room, y = self.width() - left - t.M, HIGH - 34
        n = max(1, self._progress.of)
        wide = room / n
        for i in range(n):
            ink = "accent" if i == self._progress.at else "muted" if i in self._progress.done else "hair"
            paint.fill(p, left + i * wide, y, max(1.0, wide - (1.5 if n < 150 else 0.0)), 6, ink)
        used = paint.text(p, left, y + 9, room, 16, self._progress.text, "caption", "muted")
        hint = "Backspace undoes" if self._progress.done else ""
        paint.text(p, left + used, y + 9, room - used, 16, hint, "caption", "muted", paint.RIGHT)

    def _paint_picture(self, p: QPainter) -> None:
        side = _side(self.width())
        frame = QRectF(t.M, t.M, side, side)
        if self._image is None:
            paint.box(p, t.M, t.M, side, side, "sunken", "hair")
            icons.draw(p, "camera", t.M + side / 2 - 9, t.M + side / 2 - 9, 18, "faint")
            words = "without a picture"
        else:
            path = QPainterPath()
            path.addRoundedRect(frame, t.RADIUS, t.RADIUS)
            p.save()
            p.setClipPath(path)
            p.fillRect(frame, styling.colour("scrim"))
            area = fitted(self._image, side, side).translated(t.M, t.M)
            p.drawImage(area, self._image)
            if (b := self._box) is not None:
                k = area.width() / self._image.width()
                x, y = area.x() + b.left * k, area.y() + b.top * k
                rect = QRectF(x, y, (b.right - b.left) * k, (b.bottom - b.top) * k)
                outline(p, rect.intersected(frame.adjusted(2, 2, -2, -2)), BoxMark(b, ""))
            p.restore()
            words = "picture as asked"
        number = self._seen.number if self._seen else 0
        paint.text(p, t.M, t.M + side + 6, side, 16, f"Q{number} · {words}", "caption", "muted")
