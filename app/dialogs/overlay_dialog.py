"""A dialog over the window's panels; the top bar and its stop button stay usable."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QDialog, QLayout

from app.controls.button import ENTER, Button
from app.controls.layout import Separator, column, label, row, wrap_layout
from app.controls.list_picker import ListPicker
from app.main_window import MainWindow
from app.theme import tokens as t

ESC = "Esc closes this and stops any motion"


class OverlayDialog(QDialog):
    """A dialog with title and hint above and buttons below. Neither modal nor native, so that Esc always
    arrives.
    """

    def __init__(self, window: MainWindow, title: str, hint: str, size: QSize) -> None:
        super().__init__(window, Qt.WindowType.Dialog | Qt.WindowType.FramelessWindowHint)
        self.window_ = window
        self.on_enter: Callable[[], object] | None = None
        self.picker: ListPicker | None = None  # Up and Down select in it, also from a search field
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._size = size
        window.installEventFilter(self)
        self.hint = label(hint, "small", "muted")
        head = wrap_layout(
            row(label(title, "title", "ink"), self.hint, 1, spacing=t.M, margins=(t.XL, 0, t.L, 0))
        )
        head.setFixedHeight(t.H_TOP)
        self._body = column()
        self._foot = row(label(ESC, "caption", "muted"), 1, spacing=t.S, margins=(t.XL, 0, t.L, 0))
        foot = wrap_layout(self._foot)
        foot.setFixedHeight(60)
        body = wrap_layout(self._body)
        self.setLayout(column(head, Separator(), body, Separator(), foot, margins=(1, 1, 1, 1)))
        self.finished.connect(self._gone)

    def set_body(self, content: QLayout) -> None:
        self._body.addLayout(content)

    def button(
        self, words: str, do: Callable[[], object], icon: str = "", key: str = "", primary: bool = False
    ) -> Button:
        """Add a button that does this at the bottom right, also by Enter if that is its key."""
        made = Button(words, icon, key, "primary" if primary else "plain")
        if key == "Enter":
            self.on_enter = partial(_click_visible, made)
        made.activated.connect(do)
        self._foot.addWidget(made)
        return made

    def open_over(self) -> None:
        """Open the dialog and dim everything except the top bar."""
        self.window_.show_backdrop(True)
        self.place()
        self.show()
        self.activateWindow()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Resize, QEvent.Type.Move):
            self.place()
        pressed = event.type() is QEvent.Type.KeyPress
        if pressed and isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            self.reject()  # after a click beside the dialog the window has the keyboard
        return super().eventFilter(watched, event)

    def place(self) -> None:
        """Centre the dialog below the top bar, as large as it wants and the window allows."""
        window = self.window_
        below = window.height() - t.H_TOP
        self.setFixedSize(self._size.boundedTo(QSize(window.width() - 32, below - 24)))
        at = QPoint((window.width() - self.width()) // 2, t.H_TOP + max(8, (below - self.height()) // 2))
        self.move(window.mapToGlobal(at))

    def _gone(self) -> None:
        self.window_.show_backdrop(False)
        self.window_.activateWindow()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        move = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
        if move is not None and self.picker is not None:
            self.picker.step(move)
        elif event.key() in ENTER and self.on_enter is not None:
            self.on_enter()
        else:
            super().keyPressEvent(event)


def _click_visible(button: Button) -> None:
    if button.isVisible():
        button.click()
