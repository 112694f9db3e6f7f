"""The picture of a question with the box of what it asks about."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter, QPainterPath

from app.controls.painted import Painted
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


class QuestionPicture(Painted):
    """The picture: enlarged about the box, or as a `whole`, with nothing beside it."""

    def __init__(self, side: int = 0) -> None:
        super().__init__()
        self.image: QImage | None = None
        self.box: BoundingBox | None = None
        self._doubtful = self._whole = False
        self.setAccessibleName("The picture that was asked about")
        if side:
            self.setFixedSize(side, side)

    def show_picture(
        self, image: QImage | None, box: BoundingBox | None, doubtful: bool = False, whole: bool = False
    ) -> None:
        self.image, self.box, self._doubtful, self._whole = image, box, doubtful, whole
        self.update()

    def draw(self, p: QPainter) -> None:
        image, place = self.image, QRectF(self.rect())
        w, h = place.width(), place.height()
        if image is None:
            paint.box(p, 0, 0, w, h, "sunken", "hair")
            icons.draw(p, "camera", w / 2 - 9, h / 2 - 9, 18, "faint")
            return
        if self._whole:
            place = fitted(image, w, h)
            place.moveLeft(0)
            w, h = place.width(), place.height()
        path = QPainterPath()
        path.addRoundedRect(place, t.RADIUS, t.RADIUS)
        p.save()
        p.setClipPath(path)
        p.fillRect(place, styling.colour("scrim"))
        area = fitted(image, w, h).translated(place.x(), place.y())
        if (box := self.box) is not None and not self._whole:
            area = zoomed(area, place, box, image)
        p.drawImage(area, image)
        if box is not None:
            k = area.width() / image.width()
            left, top = area.x() + box.left * k, area.y() + box.top * k
            rect = QRectF(left, top, (box.right - box.left) * k, (box.bottom - box.top) * k)
            level = "doubt" if self._doubtful else ""
            outline(p, rect.intersected(place.adjusted(2, 2, -2, -2)), BoxMark(box, "", level))
        p.restore()
        paint.box(p, place.x(), place.y(), w, h, None, styling.colour("ink", 0.18))
