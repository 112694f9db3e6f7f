"""The picture with its cells and their kinds: cells are clicked, seams and boxes dragged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QIcon, QImage, QMouseEvent, QPainter, QPen, QPixmap
from PySide6.QtWidgets import QFrame, QListWidget, QListWidgetItem

from app.theme import paint, styling
from app.theme import tokens as t
from app.widgets.camera.frame_images import image
from app.widgets.camera.picture_view import BoxMark, PictureView, fitted
from core.drafting.picture_cells import Seams
from core.drafting.source import Sides
from core.drafting.world import Cell
from core.ports import BoundingBox, Frame
from core.text.untrusted_text import one_line

CROP, BAND, CLICK, NEAR = 24, 4, 8, 5  # px; a drag of less is a click, and so near a seam is held
KIND = Qt.ItemDataRole.UserRole


def kind_colour(kinds: Sequence[str], kind: str) -> QColor:
    """Return the colour that marks a kind."""
    return QColor.fromHsv(360 * kinds.index(kind) // len(kinds), 200, 220)


class CellPicture(PictureView):
    """A frame; over it the cells that are drafted from, or the boxes of a photograph."""

    edited = Signal(object)  # Cell that was clicked
    cut = Signal(object)  # Seams, as they were dragged
    boxed = Signal(object)  # Sides of a box that was drawn

    def __init__(self) -> None:
        super().__init__()
        self.seams = self._held = Seams()  # as they were when the mouse was pressed
        self.colours: Mapping[Cell, QColor] = {}
        self._lit = frozenset[Cell]()
        self._pressed: QPointF | None = None
        self._seam: tuple[int, int] | None = None
        self._drawn: Sides | None = None
        self.setMinimumSize(200, 200)
        self.setMouseTracking(True)
        self.setAccessibleName("Picture that is drafted from")

    def show_frame(self, frame: Frame, seams: Seams, boxes: Sequence[BoundingBox] = ()) -> None:
        """Show a frame with cells, or with boxes in shares of it; without cells a drag draws a box."""
        self.seams = self._held = seams
        self.show_image(shown := image(frame))
        wide, high = (shown.width(), shown.height()) if shown is not None else (0, 0)
        sides = ((b.name, b.left * wide, b.top * high, b.right * wide, b.bottom * high) for b in boxes)
        self.show_marks([BoxMark(BoundingBox(*one), one[0]) for one in sides])
        self.update()

    def light(self, cells: frozenset[Cell]) -> None:
        self._lit = cells
        self.update()

    @property
    def _area(self) -> QRectF:
        return fitted(self.image, self.width(), self.height()) if self.image is not None else QRectF()

    def _place(self, sides: Sides) -> QRectF:
        area, (left, top, right, bottom) = self._area, sides
        wide, high = area.width(), area.height()
        return QRectF(
            area.x() + left * wide, area.y() + top * high, (right - left) * wide, (bottom - top) * high
        )

    def _share(self, at: QPointF) -> tuple[float, float]:
        area = self._area
        x, y = (at.x() - area.x()) / area.width(), (at.y() - area.y()) / area.height()
        return min(max(x, 0.0), 1.0), min(max(y, 0.0), 1.0)

    def cell_at(self, at: QPointF) -> Cell | None:
        """Return the row and column of a place of the widget, from 1."""
        return next(
            (one for one in self.seams.cells if self._place(self.seams.sides_of(one)).contains(at)), None
        )

    def draw(self, p: QPainter) -> None:
        super().draw(p)
        for cell in self.seams.cells if self.image is not None else ():
            place = self._place(self.seams.sides_of(cell))
            p.setPen(QPen(styling.colour("scrim", 0.5), 1))
            p.setBrush(Qt.BrushStyle.NoBrush)
            p.drawRect(place)
            if (colour := self.colours.get(cell)) is not None:
                p.setBrush(colour)
                p.drawRect(QRectF(place.topLeft(), place.size() / 6))
            if cell in self._lit:
                _outline(p, place.adjusted(2, 2, -2, -2))
        if self._drawn is not None:
            _outline(p, self._place(self._drawn))

    def _seam_at(self, at: QPointF) -> tuple[int, int] | None:
        area = self._area
        reach = self._place(self.seams.sides).adjusted(-NEAR, -NEAR, NEAR, NEAR)
        if not self.seams.size or not reach.contains(at):
            return None
        return self.seams.near(self._share(at), (NEAR / area.width(), NEAR / area.height()))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed, self._held = event.position(), self.seams
        self._seam = self._seam_at(event.position())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at, began = event.position(), self._pressed
        if began is None:
            seam, shapes = self._seam_at(at), (Qt.CursorShape.SplitHCursor, Qt.CursorShape.SplitVCursor)
            self.setCursor(shapes[seam[0]] if seam else Qt.CursorShape.ArrowCursor)
        elif self.image is not None and (at - began).manhattanLength() > CLICK:
            if self._seam is not None:
                self.seams, self.colours = self._held.dragged(self._share(at), *self._seam), {}
            elif not self.seams.size:
                (x, y), (x2, y2) = self._share(began), self._share(at)
                self._drawn = min(x, x2), min(y, y2), max(x, x2), max(y, y2)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        began, drawn = self._pressed, self._drawn
        self._pressed = self._drawn = None
        if drawn is not None:
            self.boxed.emit(drawn)
        elif self.seams != self._held:
            self.cut.emit(self.seams)
        elif began is not None and (cell := self.cell_at(began)) is not None:
            self.edited.emit(cell)
        self.update()


def _outline(p: QPainter, place: QRectF) -> None:
    paint.box(p, place.x(), place.y(), place.width(), place.height(), None, "accent", t.RADIUS, 2)


class KindList(QListWidget):
    """The kinds of cells, each with its colour, a crop and how many there are."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setIconSize(QSize(BAND + CROP, CROP))
        self.setSizeAdjustPolicy(QListWidget.SizeAdjustPolicy.AdjustToContents)
        self.setFont(styling.font("label"))
        self.setAccessibleName("Kinds of cells")
        self.currentItemChanged.connect(lambda: self.chosen.emit(self.kind))

    @property
    def kind(self) -> str:
        """Return the kind that is chosen, "" for none."""
        return str(item.data(KIND)) if (item := self.currentItem()) else ""

    def choose(self, kind: str) -> None:
        rows = [self.item(n).data(KIND) for n in range(self.count())]
        self.setCurrentRow(rows.index(kind) if kind in rows else -1)

    def show_kinds(self, kinds: Sequence[str], cells: Mapping[Cell, str], picture: CellPicture) -> None:
        before, shown = self.kind, picture.image or QImage()
        self.clear()
        for kind in kinds:
            there, icon = [cell for cell, one in cells.items() if one == kind], QPixmap(self.iconSize())
            icon.fill(Qt.GlobalColor.transparent)
            with paint.painter(icon) as p:
                p.fillRect(0, 0, BAND, CROP, kind_colour(kinds, kind))
                for cell in there[:1]:
                    left, top, right, bottom = picture.seams.sides_of(cell)
                    wide, high = shown.width(), shown.height()
                    crop = QRectF(left * wide, top * high, (right - left) * wide, (bottom - top) * high)
                    p.drawImage(QRectF(BAND, 0, CROP, CROP), shown, crop)
            item = QListWidgetItem(QIcon(icon), f"{one_line(kind, 40)} · {len(there) or 'none'}")
            item.setData(KIND, kind)
            self.addItem(item)
        self.choose(before)
        self.setMaximumHeight(
            (self.sizeHintForRow(0) + 1) * len(kinds)
        )  # less, with a bar, where room is scarce
