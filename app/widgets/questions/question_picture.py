"""The picture of a question with the box of what it asks about."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtGui import QImage

from app.widgets.camera.picture_view import BoxMark, PictureTag, PictureView
from core.episode_state import QuestionCard
from core.ports import BoundingBox


@dataclass(frozen=True)
class FocusedQuestion:
    """The question that a person's keys answer, as its card shows it."""

    card: QuestionCard
    image: QImage | None
    box: BoundingBox | None
    doubtful: bool


class QuestionPicture(PictureView):
    """The picture: enlarged about the box, or as a `whole`, with nothing beside it."""

    GROUND = "sunken"

    def __init__(self, side: int = 0) -> None:
        super().__init__()
        self.setAccessibleName("The picture that was asked about")
        self.setMinimumSize(0, 0)
        self.show_empty(PictureTag("", "camera"))
        if side:
            self.setFixedSize(side, side)

    def show_picture(
        self, image: QImage | None, box: BoundingBox | None, doubtful: bool = False, whole: bool = False
    ) -> None:
        self.show_image(image)
        self.show_marks(() if box is None else (BoxMark(box, "", "doubt" if doubtful else ""),))
        self.zoom_to(None if whole else box)
