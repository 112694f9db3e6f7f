"""Without a mouse, without eyes: every control has a name, can be reached, and shows where the focus is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QScrollBar,
    QTextEdit,
    QWidget,
)

from core.episode_state import Phase
from tests.app.conftest import Driver, Opened

ACTED_ON = (
    QAbstractButton,
    QLineEdit,
    QComboBox,
    QAbstractSpinBox,
    QPlainTextEdit,
    QTextEdit,
    QAbstractItemView,
    QAbstractSlider,
)
OWNERS = (QAbstractSpinBox, QComboBox, QAbstractItemView, QPlainTextEdit, QTextEdit)
SHEETS = ("setup", "goal", "choose", "keys", "about")
TAB, TAB_REASON = Qt.FocusPolicy.TabFocus, Qt.FocusReason.TabFocusReason
LOOP = ("decision", "supervision", "camera", "questions", "belief", "plan", "time")


def parts(root: QWidget) -> Iterator[QWidget]:
    """What is on the screen; the insides of a field belong to the field."""
    for w in root.findChildren(QWidget):
        above = w.parentWidget()
        inner = isinstance(w, QScrollBar)
        while above is not None and not inner:
            inner, above = isinstance(above, OWNERS), above.parentWidget()
        if w.isVisible() and not inner and w.window() is root.window() and w.x() >= 0:
            yield w


def on_screen(w: QWidget) -> bool:
    """Scrolled to where that is needed, as Tab does it."""
    above = w.parentWidget()
    while above is not None:
        if isinstance(above, QScrollArea):
            above.ensureWidgetVisible(w)
        above = above.parentWidget()
    return not w.visibleRegion().isEmpty()


def named(root: QWidget) -> list[QWidget]:
    """What has no name though something can be done with it, or it is painted by ourselves."""
    nameless = []
    for w in parts(root):
        ours = type(w).__module__.startswith(
            ("app.widgets", "app.review.episode_list")
        ) and not w.findChildren(QWidget)
        if isinstance(w, ACTED_ON) or w.focusPolicy() & TAB or (ours and not isinstance(w, QLabel)):
            nameless += [] if w.accessibleName() else [w]
    return nameless


def unseen(root: QWidget) -> list[QWidget]:
    """What looks the same with the focus and without it."""
    same = []
    for w in parts(root):
        if w.focusPolicy() & TAB and w.isEnabled() and on_screen(w):
            if focus := QApplication.focusWidget():
                focus.clearFocus()
            before = w.grab().toImage()
            w.setFocus(TAB_REASON)
            same += [] if w.hasFocus() and w.grab().toImage() != before else [w]
    return same


def waiting(again: Opened, theme: str) -> Driver:
    at = again()
    at.window.resize(1280, 800)
    at.do(theme)
    at.start("Approve")
    at.phase(Phase.WAITING)
    at.read()
    return at


def test_that_the_keyboard_is_the_windows_again_once_what_had_it_is_gone(again: Opened) -> None:
    at = again()
    at.ready()
    at.controller.refresh()
    start = next(b for b in at.window.decision.findChildren(QAbstractButton) if b.accessibleName() == "Start")
    start.setFocus(TAB_REASON)
    assert QApplication.focusWidget() is start
    start.hide()
    assert at.window.focusWidget() is at.window, "no letter is typed into a field by chance"
    start.show()
    start.setFocus(TAB_REASON)
    at.do("setup")
    assert at.controller.dialog is not None
    at.until(at.controller.dialog.isActiveWindow)
    start.hide()
    at.controller.dialog.reject()
    at.until(at.window.isActiveWindow)
    assert at.window.focusWidget() is at.window, "nor by what goes while a dialog is open"


@pytest.mark.parametrize("theme", ["light", pytest.param("dark", marks=pytest.mark.long)])
def test_that_every_control_has_a_name_and_shows_the_focus(again: Opened, theme: str) -> None:
    at = waiting(again, theme)
    assert (named(at.window), unseen(at.window)) == ([], [])
    for command in SHEETS:
        at.do(command)
        dialog = at.controller.dialog
        assert dialog is not None, command
        at.until(dialog.isActiveWindow)
        assert (named(dialog), unseen(dialog)) == ([], []), command
        if command == "setup":
            dialog.answerer._profile.setCurrentIndex(dialog.answerer._profile.findData("http"))
            assert (named(dialog), unseen(dialog)) == ([], [])
        dialog.reject()


def test_that_every_control_of_the_review_has_a_name_and_shows_the_focus(again: Opened) -> None:
    at = waiting(again, "light")
    at.do("episodes")
    review = at.console.review
    at.until(lambda: review.episode_list.model.rowCount())
    assert named(review) == [] and unseen(review) == []


def tabbed(at: Driver) -> list[QWidget]:
    """Where Tab goes, once around."""
    seen: list[QWidget] = []
    while True:
        QTest.keyClick(at.window.windowHandle(), Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        if focus is None or focus in seen:
            return seen
        seen.append(focus)


def test_that_tab_goes_as_the_loop_does_and_back_to_where_it_began(again: Opened) -> None:
    at = waiting(again, "light")
    at.window.setFocus()
    w = at.window
    bands = {name: getattr(w, name) for name in LOOP}
    heads = {name: getattr(bands[name], "header", None) for name in LOOP}
    order: list[str] = []
    for widget in tabbed(at):
        for name, band in bands.items():
            head = heads[name]
            if band.isAncestorOf(widget) or (head is not None and head.isAncestorOf(widget)):
                order += [] if order[-1:] == [name] else [name]
    assert order == list(LOOP)


def test_that_tab_stays_in_what_lies_over_the_panels(again: Opened) -> None:
    at = waiting(again, "light")
    at.do("episodes")
    review, top = at.console.review, at.window.top
    went = tabbed(at)
    assert top.stop in went, "the stop stays within reach"
    assert all(w is review or review.isAncestorOf(w) or top.isAncestorOf(w) for w in went)
    at.do("episodes")
    assert at.window.decision.primary in tabbed(at)


def test_that_a_level_chosen_by_mouse_leaves_the_keys_to_the_answers(opened: Opened) -> None:
    at = opened()
    before = at.window.focusWidget()
    box = at.window.supervision.findChildren(QComboBox)[0]
    QTest.mouseClick(box, Qt.MouseButton.LeftButton)
    box.hidePopup()
    assert at.window.focusWidget() is before and not box.hasFocus()
