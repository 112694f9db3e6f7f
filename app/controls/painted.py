"""The base of widgets that paint themselves."""

from __future__ import annotations

from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from app.theme import paint, styling


class PaintedMixin:
    """`draw` paints over the colour GROUND; "" leaves what is below."""

    GROUND = ""

    def paintEvent(self, _: QPaintEvent) -> None:
        assert isinstance(self, QWidget)
        with paint.painter(self) as p:
            if self.GROUND:
                p.fillRect(self.rect(), styling.colour(self.GROUND))
            self.draw(p)

    def draw(self, p: QPainter) -> None:
        raise NotImplementedError


class Painted(PaintedMixin, QWidget):
    """A widget that only paints."""
