"""The picture with its cells and their kinds; a click on a cell gives it the chosen kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPen

from app.controls.painted import Painted
from app.theme import paint, styling
from app.theme import tokens as t
from app.widgets.camera.frame_images import image
from app.widgets.camera.picture_view import fitted
from core.drafting.world import Cell
from core.ports import BoundingBox, Frame
from core.text.untrusted_text import one_line

CROP, ROW, LEAST = 24, 30, 8  # px; a drag of less draws no box


class CellPicture(Painted):
    """Shows a frame; over the one that is drafted from, its cells. `edited` tells the clicked one."""

    GROUND = "sunken"
    edited = Signal(object)  # Cell
    boxed = Signal(float, float, float, float)  # left, top, right, bottom, in shares of the photograph

    def __init__(self) -> None:
        super().__init__()
        self._image: QImage | None = None
        self._playing: QImage | None = None
        self._size, self._lit = 0, frozenset[Cell]()
        self._boxes: tuple[BoundingBox, ...] = ()
        self._pressed: QPointF | None = None  # where a box begins
        self._drawn = QRectF()
        self.setMinimumSize(200, 200)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName("Picture that is drafted from")

    def show_picture(self, frame: Frame, size: int) -> None:
        """Show the picture with `size` cells a side, 0 for one without cells."""
        self._image, self._playing, self._size = image(frame), None, size
        self.update()

    def show_boxes(self, boxes: tuple[BoundingBox, ...]) -> None:
        """Show what stands where on a photograph; a drag draws another box."""
        self._boxes = boxes
        self.update()

    def show_moment(self, frame: Frame | None) -> None:
        """Show a frame of a walk; None: the picture again."""
        self._playing = image(frame) if frame is not None else None
        self.update()

    def light(self, cells: frozenset[Cell]) -> None:
        self._lit = cells
        self.update()

    @property
    def shown(self) -> QImage | None:
        return self._playing or self._image

    def _area(self) -> QRectF | None:
        return fitted(self.shown, self.width(), self.height()) if self.shown is not None else None

    def draw(self, p: QPainter) -> None:
        area = self._area()
        if area is None or self.shown is None:
            paint.text(p, 0, 0, self.width(), self.height(), "no picture", "body", "muted", paint.CENTRE)
            return
        p.drawImage(area, self.shown)
        for one in self._boxes:
            wide, high = one.right - one.left, one.bottom - one.top
            x, y = area.x() + one.left * area.width(), area.y() + one.top * area.height()
            paint.box(p, x, y, wide * area.width(), high * area.height(), None, "accent", 2, 2)
            paint.fill(p, x, y, min(paint.width(one.name, "caption") + t.S, area.right() - x), 16, "scrim")
            paint.text(p, x + t.XS, y, area.right() - x, 16, one.name, "caption", "on_scrim")
        if not self._drawn.isEmpty():
            one_ = self._drawn
            paint.box(p, one_.x(), one_.y(), one_.width(), one_.height(), None, "accent", 2, 1)
        if self._playing is not None or not self._size:
            return
        side = area.width() / self._size
        p.setPen(QPen(styling.colour("scrim", 0.35), 1))
        for n in range(self._size + 1):
            p.drawLine(QPointF(area.x() + n * side, area.y()), QPointF(area.x() + n * side, area.bottom()))
            p.drawLine(QPointF(area.x(), area.y() + n * side), QPointF(area.right(), area.y() + n * side))
        for row, column in self._lit:
            x, y = area.x() + (column - 1) * side, area.y() + (row - 1) * side
            paint.box(p, x + 2, y + 2, side - 4, side - 4, None, "accent", t.RADIUS, 2)

    def cell_at(self, at: QPointF) -> Cell | None:
        """Return the row and column of a place of the widget, from 1."""
        area = self._area()
        if area is None or not self._size or self._playing is not None or not area.contains(at):
            return None
        side = area.width() / self._size
        cell = int((at.y() - area.y()) / side) + 1, int((at.x() - area.x()) / side) + 1
        return min(cell[0], self._size), min(cell[1], self._size)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if (cell := self.cell_at(event.position())) is not None:
            self.edited.emit(cell)
        elif not self._size:
            self._pressed = event.position()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        area = self._area()
        if self._pressed is not None and area is not None:
            self._drawn = QRectF(self._pressed, event.position()).normalized().intersected(area)
            self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        area, drawn = self._area(), self._drawn
        self._pressed, self._drawn = None, QRectF()
        if area is not None and min(drawn.width(), drawn.height()) > LEAST:
            left, right = ((x - area.x()) / area.width() for x in (drawn.left(), drawn.right()))
            top, bottom = ((y - area.y()) / area.height() for y in (drawn.top(), drawn.bottom()))
            self.boxed.emit(left, top, right, bottom)
        self.update()


class KindList(Painted):
    """The kinds of cells, each with a crop of the picture; a click on a cell makes it the chosen one."""

    chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.kinds: Sequence[str] = ()
        self.kind = ""
        self._counts: dict[str, int] = {}
        self._crops: dict[str, QImage] = {}
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Kinds of cells")

    def show_kinds(self, kinds: Sequence[str], cells: Mapping[Cell, str], frame: Frame) -> None:
        self.kinds, picture = tuple(kinds), image(frame)
        self.kind = self.kind if self.kind in kinds else ""
        self._counts = {kind: list(cells.values()).count(kind) for kind in kinds}
        self._crops.clear()
        size = max((row for row, _ in cells), default=1)
        for (row, column), kind in cells.items():
            if picture is not None and kind not in self._crops:
                side = picture.width() // size
                self._crops[kind] = picture.copy((column - 1) * side, (row - 1) * side, side, side)
        self.setFixedHeight(ROW * len(self.kinds) + t.S)
        self._choose(self.kind)

    def _choose(self, kind: str) -> None:
        self.kind = kind
        self.setAccessibleDescription(f"a click on a cell makes it {kind or 'the next kind'}")
        self.chosen.emit(kind)
        self.update()

    def draw(self, p: QPainter) -> None:
        wide = self.width()
        for n, kind in enumerate(self.kinds):
            y, on = n * ROW + t.XS, kind == self.kind
            if on:
                paint.fill(p, 0, y, wide, ROW, "accent_soft")
                paint.fill(p, 0, y, t.BAR, ROW, "accent")
            if (crop := self._crops.get(kind)) is not None:
                p.drawImage(QRectF(t.M, y + 3, CROP, CROP), crop)
            paint.box(p, t.M, y + 3, CROP, CROP, None, "edge", 2)
            x = t.M + CROP + t.S
            paint.text(p, x, y, wide - x - 70, ROW, one_line(kind, 40), "label", "ink" if on else "text")
            said = str(self._counts.get(kind, 0) or "none")
            paint.text(p, wide - 70, y, 70 - t.M, ROW, said, "caption", "muted", paint.RIGHT)
        if self.hasFocus():
            paint.box(p, 0, 0, wide, self.height(), None, "accent", t.RADIUS)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = int((event.position().y() - t.XS) // ROW)
        if 0 <= at < len(self.kinds):
            self._choose(self.kinds[at])

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if move is None or not self.kinds:
            super().keyPressEvent(event)
        else:
            at = self.kinds.index(self.kind) + move if self.kind else 0
            self._choose(self.kinds[max(0, min(at, len(self.kinds) - 1))])
