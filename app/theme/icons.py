"""Paint the icons of resources/icons in one colour, sharp at any scale.

An icon is an SVG file of 16 x 16 units, drawn in `currentColor`; `white` stands for a colour that contrasts.
"""

from __future__ import annotations

from functools import lru_cache

from PySide6.QtCore import QByteArray, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from app.theme import styling
from core.install_paths import resource_path

ICONS = resource_path("resources", "icons")


def draw(p: QPainter, name: str, x: float, y: float, size: float, colour: str | QColor) -> None:
    """Paint an icon into the square at (x, y), at whole pixels."""
    p.drawPixmap(round(x), round(y), pixmap(name, size, colour, p.device().devicePixelRatioF()))


def pixmap(name: str, size: float, colour: str | QColor, ratio: float = 2.0) -> QPixmap:
    """Return an icon as a picture; do not modify it."""
    ink = styling.colour(colour) if isinstance(colour, str) else colour
    return _pixmap(name, size, ink.rgba(), ratio)


@lru_cache(maxsize=1024)
def _pixmap(name: str, size: float, rgba: int, ratio: float) -> QPixmap:
    ink = QColor.fromRgba(rgba)
    svg = _renderer(name, ink.name())  # before a painter is there, which no error may leave open
    picture = QPixmap(round(size * ratio), round(size * ratio))
    picture.setDevicePixelRatio(ratio)
    picture.fill(Qt.GlobalColor.transparent)
    p = QPainter(picture)
    p.setRenderHint(QPainter.RenderHint.Antialiasing)
    p.setOpacity(ink.alphaF())
    svg.render(p, QRectF(0, 0, size, size))
    p.end()
    return picture


@lru_cache(maxsize=1024)
def _renderer(name: str, ink: str) -> QSvgRenderer:
    try:
        svg = (ICONS / f"{name}.svg").read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ValueError(f"there is no icon {name!r}: `docs resources/icons` lists them") from error
    svg = svg.replace("white", _contrast(QColor(ink))).replace("currentColor", ink)
    return QSvgRenderer(QByteArray(svg.encode()))


def _contrast(colour: QColor) -> str:
    luma = 0.3 * colour.redF() + 0.59 * colour.greenF() + 0.11 * colour.blueF()
    return "#FFFFFF" if luma < 0.55 else "#12161C"
