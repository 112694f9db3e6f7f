"""Set tooltips as plain text, even if the text looks like HTML."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QToolTip, QWidget

from core.text.untrusted_text import tooltip


def set_tooltip(of: QWidget | QAction, words: str) -> None:
    """Set an escaped tooltip.

    Qt would render a tooltip that looks like HTML, with the files that it names, so every tooltip with text
    from outside is set here.
    """
    text = tooltip(words)
    if text != of.toolTip():
        of.setToolTip(text)


def show_tooltip(of: QWidget, words: str) -> None:
    """Show escaped words below a widget now, until something else is done."""
    QToolTip.showText(of.mapToGlobal(of.rect().bottomLeft()), tooltip(words), of)
