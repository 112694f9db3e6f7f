"""The picture of a question with the box of what it asks about."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QPainterPath

from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.widgets.camera.picture_view import BoxMark, fitted, outline, zoomed
from core.episode_state import QuestionCard
from core.ports import BoundingBox


@dataclass(frozen=True)
class FocusedQuestion:
    """The question that a person's keys answer, as its card shows it."""

    card: QuestionCard
    image: QImage | None
    box: BoundingBox | None
    doubtful: bool


def draw_question_picture(
    p: QPainter, place: QRectF, image: QImage | None, box: BoundingBox | None, doubtful: bool, whole: bool
) -> None:
    """Draw the picture into `place`: enlarged about the box, or as a `whole`, with nothing beside it."""
    x, y, w, h = place.x(), place.y(), place.width(), place.height()
    if image is None:
        paint.box(p, x, y, w, h, "sunken", "hair")
        icons.draw(p, "camera", x + w / 2 - 9, y + h / 2 - 9, 18, "faint")
        return
    if whole:
        place = fitted(image, w, h).translated(0, y)
        place.moveLeft(x)
        w, h = place.width(), place.height()
    path = QPainterPath()
    path.addRoundedRect(place, t.RADIUS, t.RADIUS)
    p.save()
    p.setClipPath(path)
    p.fillRect(place, styling.colour("scrim"))
    area = fitted(image, w, h).translated(x, y)
    if box is not None and not whole:
        area = zoomed(area, place, box, image)
    p.drawImage(area, image)
    if box is not None:
        k = area.width() / image.width()
        rect = QRectF(area.x() + box.left * k, area.y() + box.top * k, (box.right - box.left) * k, 0.0)
        rect.setHeight((box.bottom - box.top) * k)
        outline(
            p, rect.intersected(place.adjusted(2, 2, -2, -2)), BoxMark(box, "", "doubt" if doubtful else "")
        )
    p.restore()
    paint.box(p, x, y, w, h, None, styling.colour("ink", 0.18))
