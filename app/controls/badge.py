"""A status badge, a toggle chip, a segmented control and an icon."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QButtonGroup, QFrame, QPushButton, QSizePolicy

from app.controls.layout import PlainLabel, label, row, set_property, set_tone
from app.controls.tooltip import set_tooltip
from app.theme import icons, styling
from app.theme import tokens as t


class Icon(PlainLabel):
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

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self._draw()


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


class SegmentedControl(QFrame):
    """Two to five options in one frame, one of them selected. Left and Right change the selection."""

    changed = Signal(int)

    def __init__(self, labels: tuple[str, ...], on: int = 0, name: str = "") -> None:
        super().__init__()
        self.labels, self._name = labels, name
        self._group = QButtonGroup(self)
        parts = [QPushButton(word, autoDefault=False) for word in labels]
        for i, part in enumerate(parts):
            part.setCheckable(True)
            part.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Expanding)
            part.setFont(styling.font("label"))
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            part.setAccessibleName(part.text())
            self._group.addButton(part, i)
        parts[on].setChecked(True)
        self.setLayout(row(*parts, spacing=0, margins=(1, 1, 1, 1)))
        self.setFixedSize(self.sizeHint().width(), t.H_CONTROL)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._group.idToggled.connect(self._toggled)
        self.setAccessibleName(f"{name}: {labels[on]}")

    @property
    def current_index(self) -> int:
        return self._group.checkedId()

    def choose(self, i: int) -> None:
        part = self._group.button(i)
        if part is not None and part.isEnabled():
            part.setChecked(True)

    def disable_with_reason(self, reasons: dict[int, str]) -> None:
        """Disable the options that have a reason, which becomes their tooltip."""
        for i, word in enumerate(self.labels):
            self._group.button(i).setEnabled(i not in reasons)
            set_tooltip(self._group.button(i), f"{word}: {reasons[i]}" if i in reasons else "")

    def _toggled(self, i: int, on: bool) -> None:
        if on:
            self.setAccessibleName(f"{self._name}: {self.labels[i]}")
            self.changed.emit(i)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        self.choose(self.current_index + move) if move else super().keyPressEvent(event)
