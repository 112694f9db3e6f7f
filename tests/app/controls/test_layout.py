"""Layouts: what scrolls stays as wide as it is."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from app.controls.layout import scroll_area


def test_that_content_is_as_wide_whether_or_not_it_scrolls(qtbot: QtBot) -> None:
    """Else cards whose height depends on their width show and hide the bar until the stack overflows."""
    inner = QWidget()
    area = scroll_area(inner)
    qtbot.addWidget(area)
    area.resize(300, 200)
    area.show()
    inner.setMinimumHeight(100)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() == 0)
    short = inner.width()
    assert not area.verticalScrollBar().isEnabled()  # no handle where nothing scrolls
    inner.setMinimumHeight(400)
    qtbot.waitUntil(lambda: area.verticalScrollBar().maximum() > 0)
    assert area.verticalScrollBar().isEnabled()
    assert inner.width() == short
