"""Paint the icons of `icon_paths` in one colour, sharp at any scale."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPainterPath, QPen, QPixmap

from app.theme import styling
from app.theme.icon_paths import ICON_PATHS

_WORD = re.compile(r"([MLCZOR])([^MLCZOR]*)")
_WIDTH = {"s": 1.5, "b": 2.0, "d": 1.6, "x": 1.9}


def draw(p: QPainter, name: str, x: float, y: float, size: float, colour: str | QColor) -> None:
    """Paint an icon into the square at (x, y)."""
    ink = styling.colour(colour) if isinstance(colour, str) else colour
    p.save()
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.translate(x, y)
    p.scale(size / 16, size / 16)
    for pen, path in _marks(name):
        shade = _contrast(ink) if pen in "kx" else ink
        if pen in "fk":
            p.setPen(Qt.PenStyle.NoPen)
            p.setBrush(shade)
        else:
            p.setPen(_pen(pen, shade))
            p.setBrush(Qt.BrushStyle.NoBrush)
        p.drawPath(path)
    p.restore()


def stamp(p: QPainter, name: str, x: float, y: float, size: int, colour: str) -> None:
    """Paint an icon at whole pixels from a cached pixmap, for icons that are painted by the hundred."""
    ratio = p.device().devicePixelRatioF()
    p.drawPixmap(round(x), round(y), _stamped(name, size, styling.colour(colour).rgba(), ratio))


@lru_cache(maxsize=256)
def _stamped(name: str, size: int, rgba: int, ratio: float) -> QPixmap:
    return pixmap(name, size, QColor.fromRgba(rgba), ratio)


def pixmap(name: str, size: int, colour: str | QColor, ratio: float = 2.0) -> QPixmap:
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    p = QPainter(picture)
    draw(p, name, 0, 0, size, colour)
    p.end()
    return picture


def qicon(name: str, size: int = 16, colour: str | QColor = "text") -> QIcon:
    return QIcon(pixmap(name, size, colour))


def _pen(kind: str, colour: QColor) -> QPen:
    pen = QPen(colour, _WIDTH[kind])
    pen.setCapStyle(Qt.PenCapStyle.RoundCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    if kind == "d":
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1.8, 1.5])
    return pen


def _contrast(colour: QColor) -> QColor:
    luma = 0.3 * colour.redF() + 0.59 * colour.greenF() + 0.11 * colour.blueF()
    return QColor("#FFFFFF" if luma < 0.55 else "#12161C")


@cache
def _marks(name: str) -> tuple[tuple[str, QPainterPath], ...]:
    marks = (mark.strip() for mark in ICON_PATHS[name].split(";"))
    return tuple((mark[0], _path(mark[1:])) for mark in marks)


def _path(text: str) -> QPainterPath:
    path = QPainterPath()
    for word, rest in _WORD.findall(text):
        v = [float(n) for n in re.split(r"[\s,]+", rest.strip()) if n]
        match word:
            case "M":
                path.moveTo(*v)
            case "L":
                path.lineTo(*v)
            case "C":
                path.cubicTo(*v)
            case "Z":
                path.closeSubpath()
            case "O":
                path.addEllipse(QPointF(v[0], v[1]), v[2], v[3])
            case "R":
                path.addRoundedRect(QRectF(*v[:4]), v[4], v[4])
    return path
