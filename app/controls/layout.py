"""Labels, lines and layouts in the tokens' measures."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLabel, QLayout, QSizePolicy, QVBoxLayout, QWidget

from app.theme import paint, styling
from app.theme import tokens as t
from core.untrusted_text import sanitise

Item = QWidget | QLayout | int
Margins = tuple[int, int, int, int]


class PlainLabel(QLabel):
    """Its text is plain: nothing in it is markup, and no more of it is laid out than can be read."""

    def __init__(self, words: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(words)

    def setText(self, words: str) -> None:
        super().setText(sanitise(words))


def label(words: str = "", role: str = "body", tone: str = "text", wrap: bool = False) -> PlainLabel:
    """A label whose colour follows the theme."""
    w = PlainLabel(words)
    w.setFont(styling.font(role))
    w.setProperty("tone", tone)
    w.setWordWrap(wrap)
    return w


def set_tone(w: QWidget, tone: str) -> None:
    """Give a label another colour."""
    if w.property("tone") != tone:
        w.setProperty("tone", tone)
        w.style().unpolish(w)
        w.style().polish(w)


class Separator(QWidget):
    """A hairline."""

    def __init__(self, vertical: bool = False) -> None:
        super().__init__()
        (self.setFixedWidth if vertical else self.setFixedHeight)(1)

    def paintEvent(self, _: QPaintEvent) -> None:
        paint.painter(self).fillRect(self.rect(), styling.colour("hair"))


class Surface(QWidget):
    """A plain ground with a hairline on some sides: "t", "b", "l", "r"."""

    def __init__(self, ground: str = "surface", edges: str = "") -> None:
        super().__init__()
        self.ground, self.edges = ground, edges

    def paintEvent(self, _: QPaintEvent) -> None:
        with paint.painter(self) as p:
            w, h = self.width(), self.height()
            p.fillRect(self.rect(), styling.colour(self.ground))
            sides = {"t": (0, 0, w, 1), "b": (0, h - 1, w, 1), "l": (0, 0, 1, h), "r": (w - 1, 0, 1, h)}
            for side in self.edges:
                paint.fill(p, *sides[side], "hair")


def row(*items: Item, spacing: int = t.S, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    """Side by side; an int is a stretch."""
    box = QHBoxLayout()
    _fill(box, items, spacing, margins)
    return box


def column(*items: Item, spacing: int = 0, margins: Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    """One below the other; an int is a stretch."""
    box = QVBoxLayout()
    _fill(box, items, spacing, margins)
    return box


def _fill(box: QBoxLayout, items: tuple[Item, ...], spacing: int, margins: Margins) -> None:
    box.setSpacing(spacing)
    box.setContentsMargins(*margins)
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
        elif isinstance(item, QWidget):
            box.addWidget(item)
        else:
            box.addLayout(item)


def wrap_layout(layout: QLayout) -> QWidget:
    """A widget for a layout."""
    w = QWidget()
    w.setLayout(layout)
    return w


def spacer(width: int) -> QWidget:
    w = QWidget()
    w.setFixedWidth(width)
    w.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Ignored)
    return w
