"""A dialog over the panels: it stays in the window, whose size changes below it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtTest import QTest

from app.dialogs.overlay_dialog import OverlayDialog
from tests.app.conftest import Opened


def test_that_a_dialog_follows_the_window(opened: Opened) -> None:
    at = opened()
    window = at.window
    window.resize(1800, 1000)
    at.do("keys")
    dialog = at.controller.dialog
    assert dialog is not None
    wide = dialog.width()
    window.resize(1100, 700)
    at.until(lambda: window.frameGeometry().contains(dialog.geometry()))
    window.resize(1800, 1000)
    at.until(lambda: dialog.width() == wide)
    window.move(window.pos().x() + 40, window.pos().y())
    at.until(lambda: abs(dialog.geometry().center().x() - window.geometry().center().x()) <= 1)


def test_that_esc_closes_it_also_after_a_click_beside_it(opened: Opened) -> None:
    at = opened()
    at.do("keys")
    dialog = at.controller.dialog
    assert dialog is not None
    at.window.activateWindow()
    QTest.keyClick(at.window.windowHandle(), Qt.Key.Key_Escape)
    at.until(lambda: at.controller.dialog is None)


def test_that_enter_presses_the_button_that_says_so_while_it_is_there(opened: Opened) -> None:
    dialog = OverlayDialog(opened().window, "A question", "", QSize(400, 300))
    done = list[str]()
    button = dialog.button("Take it", lambda: done.append("taken"), key="Enter")
    dialog.open_over()
    QTest.keyClick(dialog, Qt.Key.Key_Return)
    button.hide()
    QTest.keyClick(dialog, Qt.Key.Key_Enter)
    assert done == ["taken"]
    dialog.reject()
