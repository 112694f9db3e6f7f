"""Labels, separators, surfaces, painted widgets and layouts with the sizes of the design tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLayout,
    QMenu,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from app.theme import paint, styling
from app.theme import tokens as t
from core.text.untrusted_text import sanitise

Part = QWidget | QLayout
Item = Part | tuple[Part, int] | int  # with its stretch; an int alone is a stretch
Margins = tuple[int, int, int, int]


class PlainLabel(QLabel):
    """A label for plain text: it renders no markup, and cuts text that is too long to read."""

    def __init__(self, words: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setText(words)

    def setText(self, words: str) -> None:
        super().setText(sanitise(words))

    def say(self, words: str, tone: str = "text") -> None:
        """Show these words in the colour of this role."""
        self.setText(words)
        set_tone(self, tone)


class ElidedLabel(PlainLabel):
    """A line that shows as much of its words as there is room for, which is `least` px or more."""

    def __init__(self, role: str, tone: str = "text", least: int = 48) -> None:
        self._words, self._role = "", role
        super().__init__()
        self.setFont(styling.font(role))
        self.setProperty("tone", tone)
        self.setMinimumWidth(least)

    def text(self) -> str:
        return self._words

    def setText(self, words: str) -> None:
        if words != self._words:
            self._words = words
            self.setAccessibleName(sanitise(words))
            self.updateGeometry()
            super().setText(paint.elided(words, self._role, self.width()))

    def sizeHint(self) -> QSize:
        return QSize(round(paint.width(self._words, self._role) + 0.5), super().sizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        super().setText(paint.elided(self._words, self._role, self.width()))


def label(words: str = "", role: str = "body", tone: str = "text", wrap: bool = False) -> PlainLabel:
    """Return a label whose colour follows the theme."""
    w = PlainLabel(words)
    w.setFont(styling.font(role))
    w.setProperty("tone", tone)
    w.setWordWrap(wrap)
    return w


def set_property(w: QWidget, name: str, value: object) -> None:
    """Set a property that the style sheet asks for."""
    if w.property(name) != value:
        w.setProperty(name, value)
        restyle(w)


def restyle(w: QWidget) -> None:
    """Apply the style sheet anew, which asks for a property of it or of its parent."""
    w.style().unpolish(w)
    w.style().polish(w)
    w.update()


def set_tone(w: QWidget, tone: str) -> None:
    """Change the colour of a label."""
    set_property(w, "tone", tone)


class Separator(QFrame):
    """A line of one pixel, coloured by the style sheet."""

    def __init__(self, vertical: bool = False) -> None:
        super().__init__()
        (self.setFixedWidth if vertical else self.setFixedHeight)(1)


class Surface(QFrame):
    """A plain background with a line along an edge, "t" or "b", and a bar of a colour at its side."""

    def __init__(self, ground: str = "surface", edges: str = "") -> None:
        super().__init__()
        self.setProperty("ground", ground)
        self.setProperty("edges", edges)

    def show_bar(self, colour: str) -> None:
        """Show a bar of this colour along the left edge, "" for none."""
        set_property(self, "bar", colour)


def row(*items: Item, spacing: int = t.S, margins: Margins = (0, 0, 0, 0)) -> QHBoxLayout:
    """Return a horizontal layout."""
    box = QHBoxLayout()
    _fill(box, items, spacing, margins)
    return box


def column(*items: Item, spacing: int = 0, margins: Margins = (0, 0, 0, 0)) -> QVBoxLayout:
    """Return a vertical layout."""
    box = QVBoxLayout()
    _fill(box, items, spacing, margins)
    return box


def _fill(box: QBoxLayout, items: tuple[Item, ...], spacing: int, margins: Margins) -> None:
    box.setSpacing(spacing)
    box.setContentsMargins(*margins)
    for item in items:
        if isinstance(item, int):
            box.addStretch(item)
            continue
        part, stretch = item if isinstance(item, tuple) else (item, 0)
        if isinstance(part, QWidget):
            box.addWidget(part, stretch)
        else:
            box.addLayout(part, stretch)


def wrap_layout(layout: QLayout) -> QWidget:
    """Return a widget with this layout."""
    w = QWidget()
    w.setLayout(layout)
    return w


def clear_layout(layout: QLayout, keep: int = 0) -> None:
    """Remove and delete the widgets of a layout, except the last `keep` items."""
    while layout.count() > keep:
        item = layout.takeAt(0)
        if item is not None and (old := item.widget()) is not None:
            old.setParent(None)
            old.deleteLater()


def scroll_area(inner: QWidget) -> QScrollArea:
    """Return a vertical scroll area, which follows the focus inside.

    The bar's width is always reserved: content whose height depends on its width could otherwise show
    and hide the bar in turn, without end.
    """
    area = QScrollArea()
    area.setWidget(inner)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
    bar = area.verticalScrollBar()
    bar.setEnabled(False)  # shows no handle
    bar.rangeChanged.connect(lambda low, high: bar.setEnabled(high > low))
    return area


def open_menu(menu: QMenu, anchor: QWidget, once: bool = True) -> None:
    """Open a menu below the lower left corner of a widget; one that is opened `once` is deleted then."""
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, once)
    menu.popup(anchor.mapToGlobal(anchor.rect().bottomLeft()))


class ThemedMixin:
    """`_draw` shows what has a colour of the theme, anew when the theme changes."""

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)  # type: ignore[misc]
        if event.type() is QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        raise NotImplementedError


class Painted(QWidget):
    """A widget that only paints: `draw` paints over the colour GROUND; "" leaves what is below."""

    GROUND = ""

    def paintEvent(self, _: QPaintEvent) -> None:
        with paint.painter(self) as p:
            if self.GROUND:
                p.fillRect(self.rect(), styling.colour(self.GROUND))
            self.draw(p)

    def draw(self, p: QPainter) -> None:
        raise NotImplementedError


V = TypeVar("V", bound=QWidget)


class ViewStack(Generic[V]):
    """`make` is called for each view that is needed for the first time."""

    def __init__(self, make: Callable[[], V]) -> None:
        self.layout = column()
        self._make = make
        self.made: list[V] = []
        self._count = 0

    @property
    def views(self) -> list[V]:
        """Return the views that show an item, from top to bottom."""
        return self.made[: self._count]

    def views_for(self, count: int) -> list[V]:
        """Return this many views, and hide the others."""
        while len(self.made) < count:
            self.made.append(self._make())
            self.layout.addWidget(self.made[-1])
        self._count = count
        for i, view in enumerate(self.made):
            view.setVisible(i < count)
        return self.views

    @property
    def height(self) -> int:
        return sum(view.sizeHint().height() for view in self.views)
