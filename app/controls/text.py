"""Text fields and pages without drag and drop, because a QDrag would swallow the stop key."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, Qt, QUrl
from PySide6.QtGui import QMouseEvent, QTextOption
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QLineEdit, QPlainTextEdit, QTextBrowser, QWidget

from app.controls.button import ENTER
from app.theme import styling

LONG = 1_000  # letters of a word
# The heaviest weight that the typeface comes with: a bolder one would be smeared out of it.
STYLE = "b, h3, h4 { font-weight: 600; } h3, h4 { font-size: 15px; }"


class NoDragTextEdit(QPlainTextEdit):
    """A multi-line field in the monospaced font."""

    def __init__(self, words: str, name: str) -> None:
        super().__init__(words)
        self.setFont(styling.font("mono"))
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setAcceptDrops(False)
        self.viewport().setAcceptDrops(False)

    def setPlainText(self, text: str) -> None:
        super().setPlainText("")  # else a long word that stood there would be broken anew
        self._break_anywhere(text)
        super().setPlainText(text)

    def insertFromMimeData(self, source: QMimeData) -> None:
        self._break_anywhere(self.toPlainText() + source.text())
        super().insertFromMimeData(source)

    def _break_anywhere(self, text: str) -> None:
        """Break lines between words, but a long word anywhere: else 100,000 letters keep the window 0.4 s."""
        longest, mode = max(map(len, text.split()), default=0), QTextOption.WrapMode
        self.setWordWrapMode(mode.WrapAnywhere if longest > LONG else mode.WrapAtWordBoundaryOrAnywhere)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Clear the selection, because a press on selected text would start a drag and Qt has no option
        against it.
        """
        if event.button() is Qt.MouseButton.LeftButton and self.textCursor().hasSelection():
            cursor = self.textCursor()
            cursor.clearSelection()
            self.setTextCursor(cursor)
        super().mousePressEvent(event)


class TextField(QLineEdit):
    """A single-line field."""

    def __init__(self, text: str = "", name: str = "") -> None:
        super().__init__(text)
        self.setAccessibleName(name)
        self.setDragEnabled(False)
        self.setAcceptDrops(False)

    def event(self, event: QEvent) -> bool:
        """Keep Enter: the window's own Enter would accept or approve what waits."""
        if event.type() is QEvent.Type.ShortcutOverride and event.key() in ENTER:  # type: ignore[attr-defined]
            event.accept()
            return True
        return bool(super().event(event))


class ReadOnlyText(QTextBrowser):
    """A page that can be scrolled and whose links can be followed, without selection."""

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
        """Show HTML that the program made; text from outside is escaped in it."""
        self.setHtml(html)

    def loadResource(self, type: int, name: QUrl | str) -> None:
        """Load nothing, so that no page can name a picture or another file."""


def file_dialog(over: QWidget, title: str, mode: QFileDialog.FileMode, kinds: str = "") -> QFileDialog:
    """Return a file dialog of Qt's own, as a native one does not deliver Esc to the program."""
    made = QFileDialog(over, title, str(Path.home()), kinds)
    made.setOption(QFileDialog.Option.DontUseNativeDialog)
    made.setFileMode(mode)
    made.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    disable_drag(made)
    return made


def disable_drag(root: QWidget) -> None:
    """Disable dragging in all views and fields below `root`, such as those of Qt's file dialog."""
    for view in root.findChildren(QAbstractItemView):
        view.setDragEnabled(False)
        view.setDragDropMode(QAbstractItemView.DragDropMode.NoDragDrop)
    for field in root.findChildren(QLineEdit):
        field.setDragEnabled(False)
        field.setAcceptDrops(False)
