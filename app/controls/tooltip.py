"""Tooltips: what lies over a widget is text, also where it looks like a page."""

from __future__ import annotations

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QWidget

from core.untrusted_text import tooltip


def set_tooltip(of: QWidget | QAction, words: str) -> None:
    """Qt renders a tooltip that looks like HTML, with whatever it names: so no other file sets one of words
    that are not its own."""
    text = tooltip(words)
    if text != of.toolTip():
        of.setToolTip(text)
