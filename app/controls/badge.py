"""A status badge, a toggle chip, a segmented control and an icon."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QTabBar

from app.controls.layout import PlainLabel, ThemedMixin, label, row, set_property, set_tone
from app.theme import icons, styling
from app.theme import tokens as t
from app.theme.states import WORLD
from core.ports import Embodiment


class Icon(ThemedMixin, PlainLabel):
    """Shows one icon, in a colour of the theme that is set."""

    def __init__(self, icon: str = "", colour: str = "muted", size: int = 16) -> None:
        super().__init__()
        self._shown, self._size = ("", ""), size
        self.setFixedSize(size, size)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.show_as(icon, colour)

    def show_as(self, icon: str, colour: str) -> None:
        if (icon, colour) != self._shown:
            self._shown = icon, colour
            self._draw()

    def _draw(self) -> None:
        icon, colour = self._shown
        self.setPixmap(icons.pixmap(icon, self._size, colour)) if icon else self.clear()


class Badge(QFrame):
    """An icon and a word in an outline; filled only for REAL."""

    def __init__(self) -> None:
        super().__init__()
        self._icon, self._word = Icon(size=14), label(role="label")
        self.setLayout(row(self._icon, self._word, spacing=t.XS, margins=(t.S, 0, t.S, 0)))
        self.setFixedHeight(t.H_CONTROL)

    def show_as(self, icon: str, word: str, ink: str = "text", ground: str = "") -> None:
        self._icon.show_as(icon, ink)
        self._word.setText(word)
        set_tone(self._word, ink)
        set_property(self, "ground", ground)
        self.setAccessibleName(word)

    def show_world(self, world: Embodiment) -> None:
        """Show what kind of world a robot moves in."""
        look = WORLD[world]
        self.show_as(look.icon, look.word, look.colour, "real" if world is Embodiment.REAL else "")


class Chip(QPushButton):
    """A toggle button that filters."""

    def __init__(self, word: str, on: bool = False) -> None:
        super().__init__(word)
        self.setCheckable(True)
        self.setChecked(on)
        self.setFont(styling.font("caption"))
        self.setFixedHeight(22)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAutoDefault(False)
        self.setAccessibleName(word)

    def rename(self, word: str) -> None:
        if word != self.text():
            self.setText(word)
            self.setAccessibleName(word)
            self.updateGeometry()


class SegmentedControl(QTabBar):
    """Two to five options in one frame, one of them selected. Left and Right change the selection."""

    def __init__(self, labels: tuple[str, ...], on: int = 0, name: str = "") -> None:
        super().__init__(drawBase=False, expanding=False, usesScrollButtons=False)
        self.setFont(styling.font("label"))
        for word in labels:
            self.addTab(word)
        self.setCurrentIndex(on)
        self.setFixedHeight(t.H_CONTROL)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"{name}: {labels[on]}")
        self.currentChanged.connect(lambda i: self.setAccessibleName(f"{name}: {labels[i]}"))

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # a scroll past it changes nothing
