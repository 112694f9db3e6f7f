"""Text that is written or read, of which nothing can be dragged: a QDrag would swallow the stop key."""

from __future__ import annotations

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QLineEdit, QPlainTextEdit, QTextBrowser, QWidget

from app.theme import styling

# The heaviest weight that the typeface comes with: a bolder one would be smeared out of it.
STYLE = "b, h3, h4 { font-weight: 600; } h3, h4 { font-size: 15px; }"


class NoDragTextEdit(QPlainTextEdit):
    """A few lines in the fixed-width face."""

    def __init__(self, words: str, name: str) -> None:
        super().__init__(words)
        self.setFont(styling.font("mono"))
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)
        self.viewport().setAcceptDrops(False)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on selected text would begin a drag: there is no switch for it, so nothing is selected."""
        if event.button() is Qt.MouseButton.LeftButton and self.textCursor().hasSelection():
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)
        super().mousePressEvent(event)


class ReadOnlyText(QTextBrowser):
    """A page; it can be scrolled and its links followed, but not selected."""

    def __init__(self, html: str, name: str) -> None:
        super().__init__()
        self.document().setDefaultStyleSheet(STYLE)
        self.show_page(html)
        self.setAccessibleName(name)
        flags = Qt.TextInteractionFlag
        self.setTextInteractionFlags(flags.LinksAccessibleByMouse | flags.LinksAccessibleByKeyboard)
        self.setAcceptDrops(False)
        self.viewport().setAcceptDrops(False)

    def show_page(self, html: str) -> None:
        """Our own page; words of others in it are escaped."""
        self.setHtml(html)

    def loadResource(self, type: int, name: QUrl | str) -> None:
        """Nothing: no page of ours names a picture, or another file."""


def disable_drag(root: QWidget) -> None:
    """The same for what others made, such as Qt's own file dialog."""
    for view in root.findChildren(QAbstractItemView):
        view.setDragEnabled(False)
        view.setDragDropMode(QAbstractItemView.DragDropMode.NoDragDrop)
    for field in root.findChildren(QLineEdit):
        field.setDragEnabled(False)
        field.setAcceptDrops(False)
