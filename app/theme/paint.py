"""Painting helpers; colours and fonts are given by role."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPaintDevice, QPainter, QPen, QPolygonF, QStaticText, QTransform

from app.theme import styling
from app.theme import tokens as t
from core.text.untrusted_text import MAX_LINE_CHARS, sanitise

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
Shade = str | QColor
BREAK = re.compile(r"\s+(?!(?:%|s|ms|min|mm|kg|MB|GB)(?:\s|$))")  # where a line may break: before no unit
KEPT = 8192  # measured words: the same ones are painted again and again
LAID_OUT = 2048  # lines that are kept laid out, which takes longer than to paint them


def painter(device: QPaintDevice) -> QPainter:
    p, hints = QPainter(device), QPainter.RenderHint
    p.setRenderHints(hints.Antialiasing | hints.TextAntialiasing | hints.SmoothPixmapTransform)
    return p


def shade(colour: Shade) -> QColor:
    return styling.colour(colour) if isinstance(colour, str) else colour


@lru_cache(maxsize=KEPT)
def width(text: str, role: str) -> float:
    return styling.metrics(role).horizontalAdvance(sanitise(text, MAX_LINE_CHARS))


@lru_cache(maxsize=KEPT)
def elided(text: str, role: str, room: float) -> str:
    text = sanitise(text, MAX_LINE_CHARS)
    if width(text, role) <= room:
        return text
    return styling.metrics(role).elidedText(text, Qt.TextElideMode.ElideRight, room + 0.5)


def text(
    p: QPainter,
    x: float,
    y: float,
    w: float,
    h: float,
    words: str,
    role: str = "body",
    colour: Shade = "text",
    align: Qt.AlignmentFlag = LEFT,
    strike: bool = False,
) -> float:
    """Draw one line, elided to `w`; return its width in px."""
    if w <= 0 or not words:
        return 0.0
    line, wide, high = _laid_out(words, role, w, strike)
    if align is not LEFT:
        x += (w + 1 - wide) / (1 if align is RIGHT else 2)
    p.setFont(styling.font(role, strike))
    p.setPen(shade(colour))
    p.drawStaticText(QPointF(x, y + (h - high) / 2), line)
    return wide


@lru_cache(maxsize=LAID_OUT)
def _laid_out(words: str, role: str, room: float, strike: bool) -> tuple[QStaticText, float, float]:
    """Lay out one line, elided to `room`; return it with its width and height in px."""
    words = elided(words, role, room)
    line = QStaticText(words)
    line.setTextFormat(Qt.TextFormat.PlainText)
    line.prepare(QTransform(), styling.font(role, strike))
    return line, width(words, role), styling.metrics(role).height()


def lines(words: str, role: str, room: float, most: int) -> list[str]:
    """Break text at spaces into at most `most` lines, the last one elided. A number keeps its unit."""
    rows: list[str] = []
    row = ""
    rest = BREAK.split(sanitise(words).strip())
    while rest:
        trial = f"{row} {rest[0]}".strip()
        if width(trial, role) <= room or not row:
            row = trial
            rest.pop(0)
        elif len(rows) == most - 1:
            row = f"{row} {' '.join(rest)}"
            break
        else:
            rows.append(row)
            row = ""
    return [*rows, elided(row, role, room)] if row else rows


def line(
    p: QPainter, x1: float, y1: float, x2: float, y2: float, colour: Shade = "hair", w: float = 1.0
) -> None:
    p.setPen(QPen(shade(colour), w))
    p.drawLine(QPointF(x1, y1), QPointF(x2, y2))


def staircase(points: Sequence[QPointF]) -> QPolygonF:
    """Return a line that keeps each value until the next."""
    corners = list(points[:1])
    for point in points[1:]:
        corners += [QPointF(point.x(), corners[-1].y()), point]
    return QPolygonF(corners)


def box(
    p: QPainter,
    x: float,
    y: float,
    w: float,
    h: float,
    ground: Shade | None = None,
    edge: Shade | None = None,
    radius: float = t.RADIUS,
    line_width: float = 1.0,
) -> None:
    """Draw a rounded rectangle whose outline lies inside its bounds."""
    p.setBrush(shade(ground) if ground else Qt.BrushStyle.NoBrush)
    inset = line_width / 2 if edge else 0.0
    p.setPen(QPen(shade(edge), line_width) if edge else Qt.PenStyle.NoPen)
    p.drawRoundedRect(QRectF(x + inset, y + inset, w - 2 * inset, h - 2 * inset), radius, radius)
