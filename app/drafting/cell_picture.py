"""The picture with its cells and their kinds: cells are clicked, seams and boxes dragged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QImage, QMouseEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem

from app.theme import paint, styling
from app.widgets.camera.frame_images import image
from app.widgets.camera.picture_view import BoxMark, PictureTag, PictureView, fitted, outline, tag
from core.drafting.source import Seams, Sides
from core.drafting.world import Cell
from core.pictures import blank_frame
from core.ports import BoundingBox, Frame
from core.text.untrusted_text import one_line

CROP, BAND, CLICK, NEAR = 24, 4, 8, 5  # px; a drag of less is a click, and so near a seam is held


class Shown(NamedTuple):
    """A frame with its cells and their kinds, or with boxes in shares of it."""

    frame: Frame = blank_frame("picture", 0.0, "")
    seams: Seams = Seams()
    cells: Mapping[Cell, str] = {}
    kinds: Sequence[str] = ()
    boxes: Sequence[BoundingBox] = ()

    def places(self, kind: str) -> list[Sides]:
        """Return the sides of the cells of a kind, or of an object's box."""
        boxes = [(b.left, b.top, b.right, b.bottom) for b in self.boxes if b.name == kind]
        return boxes or [self.seams.sides_of(cell) for cell, one in self.cells.items() if one == kind]

    def colour(self, kind: str) -> QColor:
        """Return the colour that marks a kind."""
        return QColor.fromHsv(360 * self.kinds.index(kind) // len(self.kinds), 200, 220)


class CellPicture(PictureView):
    """A picture that is drafted from, with the chosen kind outlined; without cells, a drag draws a box."""

    changed = Signal(object)  # Cell that was clicked, Seams as dragged, or BoundingBox drawn, without a name

    def __init__(self, kinds: KindList) -> None:
        super().__init__()
        self.shown, self._kinds = Shown(), kinds
        kinds.currentRowChanged.connect(self.update)
        self._pressed: QPointF | None = None
        self._seam: tuple[int, int] | None = None
        self._dragged: Seams | BoundingBox | None = None
        self.setMinimumSize(200, 200)
        self.setMouseTracking(True)
        self.setAccessibleName("Picture that is drafted from")

    def show_map(self, shown: Shown) -> None:
        self.shown = shown
        self.show_image(image(shown.frame))
        self.update()

    @property
    def area(self) -> QRectF:
        return fitted(self.image, self.width(), self.height()) if self.image is not None else QRectF()

    def _share(self, at: QPointF) -> tuple[float, float]:
        area = self.area
        x, y = (at.x() - area.x()) / area.width(), (at.y() - area.y()) / area.height()
        return min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)

    def draw(self, p: QPainter) -> None:
        super().draw(p)
        area, shown, dragged = self.area, self.shown, self._dragged
        seams, cells = (dragged, {}) if isinstance(dragged, Seams) else (shown.seams, shown.cells)
        lit = "" if "" in cells.values() else self._kinds.kind  # first those without a name
        p.setBrush(Qt.BrushStyle.NoBrush)
        for cell in seams.cells:
            place, kind = between(seams.sides_of(cell), area), cells.get(cell)
            p.setPen(QPen(styling.colour("scrim", 0.5), 1))
            p.drawRect(place)
            if kind:
                p.fillRect(QRectF(place.topLeft(), place.size() / 6), shown.colour(kind))
            if kind == lit:
                p.setPen(QPen(styling.colour("accent"), 2))
                p.drawRect(place.adjusted(2, 2, -2, -2))
        for one in (*shown.boxes, *([dragged] if isinstance(dragged, BoundingBox) else [])):
            place = between((one.left, one.top, one.right, one.bottom), area)
            outline(p, place, BoxMark(one, one.name))
            if one.name:
                tag(p, place.x(), place.y(), PictureTag(one.name))

    def _seam_at(self, at: QPointF) -> tuple[int, int] | None:
        area, seams = self.area, self.shown.seams
        if not seams.size or not between(seams.sides, area).adjusted(-NEAR, -NEAR, NEAR, NEAR).contains(at):
            return None
        return seams.near(self._share(at), (NEAR / area.width(), NEAR / area.height()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed, self._seam = event.position(), self._seam_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at, began = event.position(), self._pressed
        if began is None:
            seam, shapes = self._seam_at(at), (Qt.CursorShape.SplitHCursor, Qt.CursorShape.SplitVCursor)
            self.setCursor(shapes[seam[0]] if seam else Qt.CursorShape.ArrowCursor)
        elif self.image is not None and (at - began).manhattanLength() > CLICK:
            if self._seam is not None:
                self._dragged = self.shown.seams.dragged(self._share(at), *self._seam)
            elif not self.shown.seams.size:
                (x, y), (x2, y2) = self._share(began), self._share(at)
                self._dragged = BoundingBox("", min(x, x2), min(y, y2), max(x, x2), max(y, y2))
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        began, seams, area = self._pressed, self.shown.seams, self.area
        changed: Seams | BoundingBox | Cell | None = self._dragged
        if changed is None and began is not None and area.contains(began):
            at = self._share(began)
            cells = (one for one in seams.cells if between(seams.sides_of(one), area).contains(began))
            changed = next(cells, None) if seams.size else BoundingBox("", *at, *at)
        self._pressed = self._dragged = None
        if changed is not None:
            self.changed.emit(changed)
        self.update()


def between(sides: Sides, area: QRectF) -> QRectF:
    """Return what lies between sides that are shares of an area."""
    (left, top, right, bottom), wide, high = sides, area.width(), area.height()
    return QRectF(area.x() + left * wide, area.y() + top * high, (right - left) * wide, (bottom - top) * high)


class KindList(QListWidget):
    """The kinds of cells, each with its colour, a crop and how many there are."""

    def __init__(self) -> None:
        super().__init__()
        self._kinds: Sequence[str] = ()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setIconSize(QSize(BAND + CROP, CROP))
        self.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.setFont(styling.font("label"))
        self.setAccessibleName("Kinds of cells")

    @property
    def kind(self) -> str:
        """Return the kind that is chosen, "" for none."""
        return self._kinds[row] if (row := self.currentRow()) >= 0 else ""

    def choose(self, kind: str) -> None:
        self.setCurrentRow(self._kinds.index(kind) if kind in self._kinds else -1)

    def show_kinds(self, shown: Shown) -> None:
        before, whole = self.kind, image(shown.frame) or QImage()
        self.clear()
        self._kinds = kinds = shown.kinds
        for kind in kinds:
            there, icon = shown.places(kind), QPixmap(self.iconSize())
            icon.fill(shown.colour(kind))
            with paint.painter(icon) as p:
                for sides in there[:1]:
                    p.drawImage(QRectF(BAND, 0, CROP, CROP), whole, between(sides, QRectF(whole.rect())))
            self.addItem(QListWidgetItem(QIcon(icon), f"{one_line(kind, 40)} · {len(there) or 'none'}"))
        self.choose(before)
        self.setMaximumHeight((self.sizeHintForRow(0) + 1) * len(kinds))  # less in a small window
