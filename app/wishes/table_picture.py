"""The camera's picture with the region of a row on it: hovered, painted on, and with the ghost of a plan."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QImage, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QSizePolicy

from app.controls.layout import Painted
from app.theme import paint, styling
from app.theme import tokens as t
from app.widgets.camera.picture_view import PictureTag, fitted, tag, tag_width
from app.wishes.projection import FROM_ABOVE, FROM_ASIDE, Projection, hull
from core.motion.frames import scene_bodies
from core.scene import Bodies, Body, Scene, Shot
from core.wishes.desk import BOX, LOOK, Place, Shown, canvas, stroke
from core.wishes.english import TABLE
from core.wishes.grasps import GraspTry
from core.wishes.region import YAWS, Region, Turns
from core.wishes.sheet import Mask

_STEP_M = 0.01  # of an arrow key, a quarter with Shift
_SHARE = 0.94  # of the room, that the table takes
P = Qt.BrushStyle
K = Qt.Key
MOVES = {K.Key_Up: (1, 0), K.Key_Down: (-1, 0), K.Key_Left: (0, 1), K.Key_Right: (0, -1)}  # along x, y


class TablePicture(Painted):
    """Painting, and a place that is looked at, with pointer or arrow keys; Space uses the tool there."""

    pointed = Signal()
    painted = Signal(object)  # Mask

    def __init__(self) -> None:
        super().__init__()
        self.at: Place | None = None  # that is looked at
        self._tool, self._scene = LOOK, Scene((), "")
        self._table: Body | None = None
        self._image = self._scaled = QImage()  # the camera's, and as large as it is shown
        self._shown, self._shot, self._caption = Shown(), Shot({}, ()), ""
        self._turns: Turns = (), ()
        self._canvas: Mask = np.zeros((0, 0), bool)  # what was painted before `_stroke`
        self._stroke: Mask | None = None
        self._corner: Place = (0, 0)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setMinimumSize(320, 240)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Table")

    def show_scene(self, scene: Scene, image: QImage | None) -> None:
        self._scene, self._image, self._scaled, self.at = scene, image or QImage(), QImage(), None
        self._table = scene_bodies(scene).get(TABLE)
        self.update()

    def show_row(self, shown: Shown) -> None:
        self._shown, self._turns = shown, ((), ())
        self.setAccessibleName(": ".join(filter(None, ("Table", shown.note.replace("\n", "; ")))))
        self.update()

    def show_shot(self, shot: Shot | None = None, caption: str = "") -> None:
        """Show a moment of the ghost, None for none."""
        self._shot, self._caption = shot or Shot({}, ()), caption
        self.update()

    def show_turns(self, turns: Turns) -> None:
        """Show which rests and yaws pass at the place that is looked at."""
        self._turns = turns
        self.update()

    def use(self, tool: int) -> None:
        self._tool, self._stroke = tool, None
        self.setCursor(Qt.CursorShape.CrossCursor if tool else Qt.CursorShape.ArrowCursor)

    def projection(self) -> Projection:
        """Return it so that the table, in the middle, is as large as there is room for."""
        whole, view = QRectF(self.rect()), np.array(self._scene.view or FROM_ABOVE)
        area = whole if self._image.isNull() else fitted(self._image, self.width(), self.height())
        if self._table is not None:
            corners = np.array((self._table.lower, self._table.upper))[:, :2]
            seen = Projection(view, area).polygon(corners).boundingRect()
            k = _SHARE * min(whole.width() / seen.width(), whole.height() / seen.height())
            area = QRectF(whole.center() + (area.topLeft() - seen.center()) * k, area.size() * k)
        return Projection(view, area)

    # --- pointer and keys ----------------------------------------------------------------------------------

    def _go(self, at: Place) -> None:
        self.at, self._turns = at, ((), ())
        self.setAccessibleDescription(
            f"{1000 * at[0]:.0f}, {1000 * at[1]:.0f} mm: {self._shown.words_at(at)}"
        )
        if self._stroke is not None and self._shown.region:
            on = self._canvas if self._tool == BOX else self._stroke
            self._stroke = stroke(on, self._shown.region.low, self._tool, self._corner, at)
        self.pointed.emit()
        self.update()

    def _begin(self) -> None:
        if self._tool != LOOK and self._shown.region and self.at:
            self._canvas = self._stroke = canvas(self._shown.region, self._shown.painted, self._tool)
            self._corner = self.at
            self._go(self.at)

    def _finish(self) -> None:
        made, self._stroke = self._stroke, None
        if made is not None:
            self.painted.emit(made)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._go(self.projection().on_table(event.position()))
        self._begin()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._go(self.projection().on_table(event.position()))

    def mouseReleaseEvent(self, _: QMouseEvent) -> None:
        self._finish()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if (move := MOVES.get(K(event.key()))) is not None:
            step = _STEP_M / (4 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1)
            x, y = self.at or (0.5, 0.0)
            self._go((x + step * move[0], y + step * move[1]))
        elif event.key() == K.Key_Space and self._tool != LOOK:
            first = self._stroke is None
            self._begin() if first else None
            self._finish() if self._tool != BOX or not first else None
        else:
            super().keyPressEvent(event)

    # --- looks ---------------------------------------------------------------------------------------------

    def draw(self, p: QPainter) -> None:
        to, shown = self.projection(), self._shown
        p.fillRect(self.rect(), styling.colour("scrim"))
        if self._image.isNull():
            _draw_boxes(p, to, scene_bodies(self._scene))
        else:
            size = (to.area.size() * self.devicePixelRatioF()).toSize()
            if self._scaled.size() != size:  # once, as scaling takes most of a painting
                made = self._image.scaled(size, mode=Qt.TransformationMode.SmoothTransformation)
                self._scaled = made.convertToFormat(QImage.Format.Format_RGB32)
            self._scaled.setDevicePixelRatio(self.devicePixelRatioF())
            p.drawImage(to.area.topLeft().toPoint(), self._scaled)
        if shown.grasps and not self._shot.arm:
            self._draw_grasps(p, to, shown.grasps)
        elif shown.region is not None:
            self._draw_region(p, to, shown.region)
        if self._shot.arm:
            self._draw_ghost(p, to)
        elif shown.region is not None and self.at is not None:
            self._draw_place(p, to, self.at)
        said, room = self._caption or shown.note, self.width() - 6 * t.S
        lines = [one for line in said.splitlines() for one in paint.lines(line, "caption", room, 9)]
        for k, words in enumerate(reversed(lines)):
            icon = "play" if self._caption and k + 1 == len(lines) else ""
            bottom = min(self.height(), to.area.bottom())  # of what is seen of the picture
            tag(p, t.S, bottom - 28 * (k + 1), PictureTag(words, icon))
        if self.hasFocus():
            paint.box(p, 0, 0, self.width(), self.height(), None, "accent", 0, 2)

    def _draw_region(self, p: QPainter, to: Projection, region: Region) -> None:
        """Draw what passes; what was gained is crossed, what was lost dotted; hindrances are hatched."""
        path, shown = to.outline(region.passes, region.low), self._shown
        p.fillPath(path, QBrush(_colour("accent", 0.3)))
        if shown.before is not None:
            old = shown.before.passes
            won, lost = (to.outline(m, region.low) for m in (region.passes & ~old, old & ~region.passes))
            p.fillPath(won, QBrush(_colour("on_scrim"), P.DiagCrossPattern))
            p.fillPath(lost, QBrush(_colour("scrim", 0.85), P.Dense5Pattern))
        hindered = to.outline(shown.hindrances.cells >= 0, region.low)
        p.fillPath(hindered, QBrush(_colour("on_scrim"), P.BDiagPattern))
        _trace(p, path, "accent", 1.75)
        mask = shown.painted if self._stroke is None else self._stroke
        if mask is not None:
            _trace(p, to.outline(mask, region.low), "on_scrim", 1.5, Qt.PenStyle.DashLine)

    def _draw_grasps(self, p: QPainter, to: Projection, grasps: Sequence[GraspTry]) -> None:
        """Draw the cone from which the hand comes, a line to a dot for each grasp; a dotted one: hindered."""
        ends = to.points(np.array([point for one in grasps for point in (one.start, one.at)]))
        lines = [(one.words, a, b) for one, a, b in zip(grasps, ends[::2], ends[1::2], strict=True)]
        cone = hull([end for words, a, b in lines if not words for end in (a, b)])
        p.fillPath(cone, QBrush(_colour("accent", 0.3)))
        for words, start, at in sorted(lines, key=lambda line: not line[0]):
            p.setPen(QPen(_colour("on_scrim"), 1, Qt.PenStyle.DotLine if words else Qt.PenStyle.SolidLine))
            p.drawLine(start, (start + at) / 2 if words else at)
            if not words:
                p.fillRect(QRectF(start.x() - 2, start.y() - 2, 4, 4), _colour("on_scrim"))
        _trace(p, cone, "accent", 2)

    def _draw_place(self, p: QPainter, to: Projection, place: Place) -> None:
        """Draw a cross, a ring of the yaws, and the six rests; those that pass are filled."""
        (at,) = to.points(np.array([(*place, 0.0)]))
        cross = QPainterPath(at - QPointF(6, 0))
        cross.lineTo(at + QPointF(6, 0))
        cross.moveTo(at - QPointF(0, 6))
        cross.lineTo(at + QPointF(0, 6))
        _trace(p, cross, "on_scrim", 1.5)
        p.setPen(QPen(_colour("on_scrim"), 1.25))
        rests, yaws = self._turns
        for passes, yaw in zip(yaws, YAWS, strict=False):  # as seen from above: x is up, y to the left
            p.setBrush(_colour("on_scrim") if passes else _colour("scrim", 0.6))
            p.drawEllipse(at + QPointF(-math.sin(yaw), -math.cos(yaw)) * 22.0, 2.5, 2.5)
        for k, passes in enumerate(rests if len(rests) > 1 else ()):
            p.setBrush(_colour("on_scrim") if passes else _colour("scrim", 0.6))
            p.drawRect(QRectF(at.x() - 35 + 12 * k, at.y() + 32, 8, 8))
        words = self._shown.words_at(place)
        said = PictureTag(words, level="" if words.startswith("passes") else "doubt")
        left = min(max(at.x() + 12, 0), self.width() - tag_width(said))
        tag(p, left, min(max(0.0, at.y() - 46), self.height() - 20.0), said)

    def _draw_ghost(self, p: QPainter, to: Projection) -> None:
        """Draw a moment of the rehearsal over the picture, and once more from aside, in three dimensions."""
        wide = min(0.36 * self.width(), 300.0)
        corner = QRectF(self.width() - wide - t.S, t.S, wide, 0.7 * wide)
        for area in (to, Projection(FROM_ASIDE, corner)):
            if area is not to:
                p.fillRect(corner, styling.colour("scrim"))
            p.save()
            p.setClipRect(area.area)
            _draw_boxes(p, area, self._shot.bodies, with_table=area is not to)
            first, *others = area.points(np.array(self._shot.arm))
            arm = QPainterPath(first)
            for joint in others:
                arm.lineTo(joint)
            _trace(p, arm, "accent", 3)
            p.restore()


def _draw_boxes(p: QPainter, to: Projection, bodies: Bodies, with_table: bool = False) -> None:
    for name, body in bodies.items():
        if name != TABLE or with_table:
            _trace(p, to.box(body), "scrim_doubt" if body.lower[2] > 0.03 else "on_scrim", 1.25)


def _colour(role: str, alpha: float = 1.0) -> QColor:
    """Return a colour for the picture's ground, which is the same in both themes."""
    colour = QColor(t.DARK["accent"] if role == "accent" else styling.colour(role))
    colour.setAlphaF(alpha)
    return colour


def _trace(
    p: QPainter, path: QPainterPath, role: str, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine
) -> None:
    p.strokePath(path, QPen(_colour("scrim", 0.6), width + 2))
    p.strokePath(path, QPen(_colour(role), width, style))
