"""A picture, never cropped, with boxes and captions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy

from app.controls.layout import Painted
from app.theme import icons, paint, styling
from app.theme import tokens as t
from app.widgets.arm import grasp_overlay
from core.arm.step_candidates import StepCandidate
from core.ports import BoundingBox

ZOOM = 1.55  # at most, about the object that was asked about
INSET = 0.36  # of the picture's size


@dataclass(frozen=True)
class BoxMark:
    """A box on the picture with its caption. `level` "doubt" marks a doubtful answer."""

    box: BoundingBox
    text: str
    level: str = ""
    dashed: bool = False


@dataclass(frozen=True)
class PictureTag:
    text: str
    icon: str = ""
    level: str = ""


@dataclass(frozen=True)
class PointMark:
    """A place of the picture, with words in a disc if it has any; `on` is the chosen one."""

    column: float
    row: float
    text: str = ""
    on: bool = False


class PictureView(Painted):
    GROUND = "scrim"
    pointed = Signal(float, float, float)  # column and row of the picture, its pixels to one of the screen's

    def __init__(self) -> None:
        super().__init__()
        self.image: QImage | None = None
        self._inset: QImage | None = None
        self._zoom: BoundingBox | None = None
        self._marks: Sequence[BoxMark] = ()
        self._points: Sequence[PointMark] = ()
        self._options: Sequence[StepCandidate] = ()
        self._chosen: StepCandidate | None = None
        self._left, self._right = PictureTag(""), PictureTag("")
        self._empty = PictureTag("no picture yet", "camera")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(120, 90)
        self.setAccessibleName("Picture")

    def sizeHint(self) -> QSize:
        return QSize(440, 275)

    def show_image(self, image: QImage | None) -> None:
        if image is not self.image:
            self.image = image
            self.update()

    def show_inset(self, inset: QImage | None) -> None:
        """Show another picture small in a corner of this one; None removes it."""
        self._inset = inset
        self.update()

    @property
    def ratio(self) -> float:
        """Return the height of the picture divided by its width."""
        if self.image is None or not self.image.width():
            return 0.625
        return self.image.height() / self.image.width()

    def show_marks(self, marks: Sequence[BoxMark]) -> None:
        if marks != self._marks:
            self._marks = marks
            self.update()

    def zoom_to(self, box: BoundingBox | None) -> None:
        """Enlarge the picture about a box; None shows all of it."""
        if box != self._zoom:
            self._zoom = box
            self.update()

    def show_points(self, points: Sequence[PointMark]) -> None:
        """Show places; while some have words, `pointed` reports clicks on the picture."""
        self._points = points
        self.update()

    def show_options(self, options: Sequence[StepCandidate], chosen: StepCandidate | None) -> None:
        """Show candidates of the next step; while there are any, `pointed` reports clicks on the picture."""
        if (options, chosen) != (self._options, self._chosen):
            self._options, self._chosen = options, chosen
            self.setCursor(Qt.CursorShape.CrossCursor if options else Qt.CursorShape.ArrowCursor)
            self.update()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        image = self.image
        wanted = self._options or any(point.text for point in self._points)
        if image is None or not wanted or event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
            return
        area = fitted(image, self.width(), self.height())
        if area.contains(event.position()):
            k = image.width() / area.width()
            self.pointed.emit((event.position().x() - area.x()) * k, (event.position().y() - area.y()) * k, k)

    def show_tags(self, left: PictureTag, right: PictureTag) -> None:
        if (left, right) != (self._left, self._right):
            self._left, self._right = left, right
            self.setAccessibleDescription(f"{left.text}, {right.text}")
            self.update()

    def show_empty(self, empty: PictureTag) -> None:
        if empty != self._empty:
            self._empty = empty
            self.setAccessibleDescription(empty.text)
            self.update()

    def draw(self, p: QPainter) -> None:
        w, h = self.width(), self.height()
        if self.image is None:
            self._paint_empty(p, w, h)
        else:
            area = fitted(self.image, w, h)
            if self._zoom is not None:
                area = zoomed(area, QRectF(self.rect()), self._zoom, self.image)
            p.drawImage(area, self.image)
            self._paint_marks(p, area, self.image)
            self._paint_points(p, area, area.width() / self.image.width())
            grasp_overlay.draw(p, area, area.width() / self.image.width(), self._options, self._chosen)
            if self._inset is not None:
                small = fitted(self._inset, INSET * area.width(), INSET * area.height())
                small.moveTopRight(area.topRight() + QPointF(-t.S, t.S))
                p.drawImage(small, self._inset)
                paint.box(p, small.x(), small.y(), small.width(), small.height(), None, "on_scrim", 1)
        if self._left.text:
            tag(p, t.S, h - 28, self._left)
        if self._right.text:
            tag(p, w - tag_width(self._right) - t.S, h - 28, self._right)

    def _paint_empty(self, p: QPainter, w: int, h: int) -> None:
        rows = paint.lines(self._empty.text, "strong", w - 2 * t.L, 5)
        y = h / 2 - (36 + 18 * len(rows)) / 2
        role = "on_scrim" if self.GROUND == "scrim" else "muted"
        ink = styling.colour(role, 0.85)
        icons.draw(p, self._empty.icon or "camera", w / 2 - 14, y, 28, styling.colour(role, 0.6))
        for i, words in enumerate(rows):
            paint.text(p, t.L, y + 36 + i * 18, w - 2 * t.L, 18, words, "strong", ink, paint.CENTRE)

    def _paint_marks(self, p: QPainter, area: QRectF, image: QImage) -> None:
        k = area.width() / image.width()
        for m in self._marks:
            b = m.box
            rect = QRectF(
                area.x() + b.left * k, area.y() + b.top * k, (b.right - b.left) * k, (b.bottom - b.top) * k
            ).intersected(area.intersected(QRectF(self.rect())).adjusted(1, 1, -1, -1))
            outline(p, rect, m)
        for m in sorted(self._marks, key=lambda m: m.level):  # doubts last: on top
            if m.text:
                self._paint_label(p, area, k, m)

    def _paint_points(self, p: QPainter, area: QRectF, k: float) -> None:
        for m in self._points:
            r, ink = (12 if m.text else 4), "on_accent" if m.on else "on_scrim"
            x, y = area.x() + m.column * k - r, area.y() + m.row * k - r
            paint.box(p, x, y, 2 * r, 2 * r, "accent" if m.on else "scrim", "on_scrim", r)
            paint.text(p, x, y, 2 * r, 2 * r, m.text, "strong", ink, paint.CENTRE)

    def _paint_label(self, p: QPainter, area: QRectF, k: float, m: BoxMark) -> None:
        words = PictureTag(m.text, "diamond" if m.level else "", m.level)
        width = tag_width(words)
        right = min(area.x() + m.box.right * k + 1, area.right())  # of a drawn picture, words are on the left
        x = max(right - width, area.x())
        top = area.y() + m.box.top * k
        tag(p, x, top - 21 if top - 21 >= area.y() else max(top, area.y()) + 1, words)


def fitted(image: QImage, w: float, h: float) -> QRectF:
    """Return where the whole image fits into w x h."""
    k = min(w / image.width(), h / image.height())
    iw, ih = image.width() * k, image.height() * k
    return QRectF((w - iw) / 2, (h - ih) / 2, iw, ih)


def zoomed(area: QRectF, frame: QRectF, box: BoundingBox, image: QImage) -> QRectF:
    """Return the picture enlarged about a box so that it still covers the frame; a large box is
    shown whole.
    """
    k = area.width() / image.width()
    wide, high = (box.right - box.left) * k, (box.bottom - box.top) * k
    zoom = max(1.0, min(ZOOM, 0.9 * frame.width() / max(wide, 1.0), 0.9 * frame.height() / max(high, 1.0)))
    k *= zoom
    iw, ih = image.width() * k, image.height() * k
    cx, cy = (box.left + box.right) / 2 * k, (box.top + box.bottom) / 2 * k

    def place(low: float, room: float, size: float, centre: float) -> float:
        if size <= room:
            return low + (room - size) / 2
        return min(max(low + room / 2 - centre, low + room - size), low)

    x = place(frame.x(), frame.width(), iw, cx)
    y = place(frame.y(), frame.height(), ih, cy)
    return QRectF(x, y, iw, ih)


def outline(p: QPainter, rect: QRectF, m: BoxMark) -> None:
    p.setBrush(Qt.BrushStyle.NoBrush)
    p.setPen(QPen(styling.colour("scrim", 0.55), 3.5))
    p.drawRect(rect)
    style = Qt.PenStyle.DashLine if m.dashed else Qt.PenStyle.SolidLine
    p.setPen(QPen(styling.colour("scrim_doubt" if m.level else "on_scrim"), 1.75, style))
    p.drawRect(rect)


def tag_width(words: PictureTag) -> float:
    return paint.width(words.text, "caption") + 12 + (16 if words.icon else 0)


def tag(p: QPainter, x: float, y: float, words: PictureTag) -> None:
    """Draw a caption on a dark background in both themes, so that it is legible on any picture."""
    w = tag_width(words)
    paint.box(p, x, y, w, 20, styling.colour("scrim", 0.78), None, 3)
    ink = f"scrim_{words.level}" if words.level else "on_scrim"
    tx = x + 6
    if words.icon:
        icons.draw(p, words.icon, tx, y + 4, 12, ink)
        tx += 16
    paint.text(p, tx, y, w, 20, words.text, "caption", ink)


class QuestionPicture(PictureView):
    """The picture: enlarged about the box, or as a `whole`, with nothing beside it."""

    GROUND = ""

    def __init__(self, side: int = 0) -> None:
        super().__init__()
        self.box: BoundingBox | None = None
        self.setAccessibleName("The picture that was asked about")
        self.setMinimumSize(0, 0)
        self.show_empty(PictureTag("", "camera"))
        if side:
            self.setFixedSize(side, side)

    def show_picture(
        self, image: QImage | None, box: BoundingBox | None, doubtful: bool = False, whole: bool = False
    ) -> None:
        self.box = box
        self.show_image(image)
        self.show_marks(() if box is None else (BoxMark(box, "", "doubt" if doubtful else ""),))
        self.zoom_to(None if whole else box)
