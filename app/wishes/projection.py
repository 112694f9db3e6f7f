"""Between the table and the picture: places as points on the screen, regions as outlines. Pure but for Qt."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainterPath, QPolygonF

from core.scene import Body
from core.wishes.region import CELL_M

Matrix = NDArray[np.float64]  # 3 x 4, as of a scene's view
# Of a scene whose camera is not known: the table seen from above. And of the ghost, from the robot's right.
FROM_ABOVE: Matrix = np.array(((0, -0.85, 0, 0.5), (-1.1, 0, 0, 1.07), (0, 0, 0, 1.0)))
FROM_ASIDE: Matrix = np.array(((-0.38, -0.52, 0, 0.7), (-0.3, 0.26, -0.8, 0.86), (0, 0, 0, 1.0)))
_EDGES = ((0, 1), (1, 3), (3, 2), (2, 0), (4, 5), (5, 7), (7, 6), (6, 4), (0, 4), (1, 5), (2, 6), (3, 7))


@dataclass(frozen=True)
class Projection:
    """From metres in the robot's frame to a rectangle of the screen, and from there back to the table."""

    view: Matrix
    area: QRectF

    def points(self, metres: NDArray[np.float64]) -> list[QPointF]:
        """Return where these n x 3 points are."""
        u, v, w = self.view @ np.column_stack((metres, np.ones(len(metres)))).T
        x, y = self.area.x() + self.area.width() * u / w, self.area.y() + self.area.height() * v / w
        return [QPointF(a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True)]

    def on_table(self, at: QPointF) -> tuple[float, float]:
        """Return the place on the table that is seen here."""
        u = (at.x() - self.area.x()) / self.area.width()
        v = (at.y() - self.area.y()) / self.area.height()
        x, y, w = np.linalg.inv(self.view[:, (0, 1, 3)]) @ (u, v, 1.0)
        return float(x / w), float(y / w)

    def polygon(self, places: NDArray[np.float64]) -> QPolygonF:
        """Return these n x 2 places on the table."""
        return QPolygonF(self.points(np.column_stack((places, np.zeros(len(places))))))

    def outline(self, mask: NDArray[np.bool_], low: tuple[float, float]) -> QPainterPath:
        """Return the outline of cells, with its holes."""
        path = QPainterPath()
        grown = mask.astype(np.uint8).repeat(2, 0).repeat(2, 1)  # so that no cell is only a point
        padded = np.pad(grown, 1)
        found, _ = cv2.findContours(padded, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_SIMPLE)
        for contour in found:
            rows = contour[:, 0, ::-1].astype(np.float64) - 0.5  # column, row -> x, y in half cells
            path.addPolygon(self.polygon(rows * CELL_M / 2 + np.array(low)))
            path.closeSubpath()
        return path

    def box(self, body: Body) -> QPainterPath:
        """Return the edges of the upright box around a thing."""
        path, (a, b, c), (d, e, f) = QPainterPath(), body.lower, body.upper
        corners = self.points(np.array([(x, y, z) for x in (a, d) for y in (b, e) for z in (c, f)]))
        for i, j in _EDGES:
            path.moveTo(corners[i])
            path.lineTo(corners[j])
        return path


def hull(points: list[QPointF]) -> QPainterPath:
    """Return the outline around points."""
    path = QPainterPath()
    if points:
        found = cv2.convexHull(np.array([q.toTuple() for q in points], np.float32))
        path.addPolygon(QPolygonF([QPointF(*at) for at in found[:, 0].tolist()]))
        path.closeSubpath()
    return path
