"""Stopping wins over everything, from wherever the keyboard is."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFileDialog, QLineEdit
from pytestqt.qtbot import QtBot

import main
from app.controls.text import NoDragTextEdit
from app.theme import tokens as t
from app.widgets.bars.stop_button import stop_progress
from core.belief import Verdict
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import EpisodeState, Phase, StopState
from core.events import EpisodeResult
from core.planning_model import Step
from core.ports import StepStatus
from core.supervision import WATCH, SupervisionLevels
from tests.app.conftest import PATIENCE, Driver, Opened
from tests.sampling import some


def press_esc(at: Driver) -> None:
    at.key(Qt.Key.Key_Escape)


def acting(at: Driver) -> None:
    at.start("Watch")
    at.phase(Phase.ACTING)


def stopped(at: Driver) -> None:
    at.phase(Phase.STOPPED)
    assert at.state.stop is not None and not at.state.stop.released


@pytest.fixture
def moving(again: Opened) -> Driver:
    """An episode in the middle of a motion that takes long."""
    at = again(preset="Watch", pace=30.0)
    acting(at)
    return at


def test_that_esc_stops_the_motion_and_not_the_episode(moving: Driver) -> None:
    press_esc(moving)
    stopped(moving)
    assert moving.state.ended is None
    assert moving.state.last_step is not None and moving.state.last_step.result.status is StepStatus.HALTED
    assert moving.window.top.stop.phase == "stopped"


def test_that_the_button_stops_when_it_goes_down(moving: Driver) -> None:
    QTest.mousePress(moving.window.top.stop, Qt.MouseButton.LeftButton)
    stopped(moving)
    QTest.mouseRelease(moving.window.top.stop, Qt.MouseButton.LeftButton)


def test_that_esc_stops_from_a_text_field(moving: Driver) -> None:
    moving.window.belief.focus_search()
    assert isinstance(QApplication.focusWidget(), QLineEdit)
    press_esc(moving)
    stopped(moving)


def test_that_esc_stops_over_a_menu_and_closes_it(moving: Driver) -> None:
    moving.window.open_menu()
    moving.until(lambda: QApplication.activePopupWidget())
    press_esc(moving)
    stopped(moving)
    moving.until(lambda: QApplication.activePopupWidget() is None)


@pytest.mark.parametrize("command", some(["setup", "messages", "keys", "goal"], 2))
def test_that_esc_stops_over_every_sheet_and_closes_it(moving: Driver, command: str) -> None:
    moving.do(command)
    moving.until(lambda: moving.controller.dialog is not None and moving.controller.dialog.isVisible())
    dialog = moving.controller.dialog
    assert dialog is not None
    moving.until(lambda: QGuiApplication.focusWindow() is dialog.windowHandle())
    press_esc(moving)
    stopped(moving)
    moving.until(lambda: moving.controller.dialog is None)


def test_that_esc_stops_over_the_file_dialog(moving: Driver) -> None:
    moving.do("setup")
    dialog = moving.controller.dialog
    assert dialog is not None
    dialog.tasks.choose_folder()
    file_dialog = dialog.findChild(QFileDialog)
    assert file_dialog is not None and file_dialog.testOption(QFileDialog.Option.DontUseNativeDialog)
    moving.until(lambda: QGuiApplication.focusWindow() is file_dialog.windowHandle())
    press_esc(moving)
    stopped(moving)


def test_that_the_stop_button_can_be_clicked_while_a_sheet_is_open(moving: Driver) -> None:
    moving.do("setup")
    moving.until(lambda: moving.controller.dialog is not None and moving.controller.dialog.isVisible())
    QTest.mouseClick(moving.window.top.stop, Qt.MouseButton.LeftButton)
    stopped(moving)


def test_that_no_press_shorter_than_a_hold_releases_a_stop(moving: Driver) -> None:
    press_esc(moving)
    stopped(moving)
    moving.key(Qt.Key.Key_Return)
    QTest.mouseClick(moving.window.decision.primary, Qt.MouseButton.LeftButton)
    moving.qtbot.wait(150)
    assert moving.state.phase is Phase.STOPPED


def test_that_holding_enter_releases_it_and_what_was_touched_is_asked_again(moving: Driver) -> None:
    press_esc(moving)
    stopped(moving)
    turn = moving.state.turn
    moving.until(lambda: moving.window.decision.primary.hold)
    moving.press(Qt.Key.Key_Return)
    moving.until(lambda: moving.state.phase is not Phase.STOPPED)
    moving.release(Qt.Key.Key_Return)
    moving.until(lambda: moving.state.turn > turn)
    assert moving.state.stop is not None and moving.state.stop.released


def test_that_holding_the_button_with_the_mouse_releases_it(moving: Driver) -> None:
    press_esc(moving)
    stopped(moving)
    button = moving.window.decision.primary
    moving.until(lambda: button.hold)
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    moving.until(lambda: moving.state.phase is not Phase.STOPPED)
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton)


def test_that_a_hold_ends_when_the_pointer_leaves(moving: Driver) -> None:
    press_esc(moving)
    stopped(moving)
    button = moving.window.decision.primary
    moving.until(lambda: button.hold)
    QTest.mousePress(button, Qt.MouseButton.LeftButton)
    assert button.holding
    QTest.mouseMove(button, QPoint(-40, -40))
    assert not button.holding
    QTest.mouseRelease(button, Qt.MouseButton.LeftButton, pos=QPoint(-40, -40))


def test_that_a_stop_pressed_while_an_earlier_one_is_released_stays(moving: Driver) -> None:
    press_esc(moving)
    stopped(moving)
    first = moving.state.stop
    button = moving.window.decision.primary
    moving.until(lambda: button.hold)
    button._filling.setDuration(3000)  # so that a slow machine presses Esc before it is filled
    moving.press(Qt.Key.Key_Return)
    assert button.holding
    press_esc(moving)
    moving.until(lambda: not button.holding)
    moving.release(Qt.Key.Key_Return)
    assert first is not None
    moving.until(lambda: moving.state.stop is not None and moving.state.stop.number > first.number)
    assert moving.state.phase is Phase.STOPPED and moving.state.acting is None
    assert moving.state.stop is not None
    assert not moving.state.stop.released


def test_that_a_dialog_that_takes_the_keyboard_ends_a_hold(moving: Driver) -> None:
    press_esc(moving)
    stopped(moving)
    button = moving.window.decision.primary
    moving.until(lambda: button.hold)
    button._filling.setDuration(5000)  # so that a slow machine opens the dialog before it is filled
    moving.press(Qt.Key.Key_Return)
    assert button.holding
    moving.do("keys")
    moving.until(lambda: QGuiApplication.focusWindow() is not moving.window.windowHandle())
    moving.until(lambda: not button.holding)
    moving.release(Qt.Key.Key_Return)
    assert moving.state.phase is Phase.STOPPED


def test_that_a_screen_that_stood_still_holds_nothing_for_a_person(moving: Driver) -> None:
    """The key may have been let go meanwhile, unseen."""
    press_esc(moving)
    stopped(moving)
    button = moving.window.decision.primary
    moving.until(lambda: button.hold)
    done: list[bool] = []
    button.activated.connect(lambda: done.append(True))
    moving.press(Qt.Key.Key_Return)
    time.sleep(1.5 * t.HOLD)
    moving.release(Qt.Key.Key_Return)
    moving.until(lambda: not button.holding)
    moving.qtbot.wait(50)
    assert not done
    moving.press(Qt.Key.Key_Return)
    time.sleep(1.5 * t.HOLD)
    moving.qtbot.wait(50)
    assert not done and button.holding, "what was not seen counts for little"
    moving.until(lambda: done)
    moving.release(Qt.Key.Key_Return)


def test_that_a_stop_from_another_thread_halts_at_once(moving: Driver) -> None:
    took: list[float] = []

    def press() -> None:
        began = time.perf_counter()
        moving.controller.stop()
        took.append(time.perf_counter() - began)

    thread = threading.Thread(target=press)
    thread.start()
    stopped(moving)
    thread.join()
    assert took


def test_that_a_held_key_stops_once(moving: Driver) -> None:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    window = moving.window.windowHandle()
    none = Qt.KeyboardModifier.NoModifier
    for repeat in (False, True, True):
        event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, none, "", repeat)
        QApplication.sendEvent(window, event)
    stopped(moving)
    assert moving.state.counts.stops == 1


def test_that_a_stop_while_nothing_moves_holds_the_next_step_back(again: Opened) -> None:
    at = again()
    at.start("Approve")
    at.phase(Phase.WAITING)
    press_esc(at)
    stopped(at)
    at.do("approve")
    at.qtbot.wait(100)
    assert at.state.counts.steps == 0


def test_that_a_stopped_episode_can_be_ended(moving: Driver) -> None:
    press_esc(moving)
    stopped(moving)
    moving.do("end")
    state = moving.over()
    assert state.ended is not None and state.ended.result is EpisodeResult.ENDED


def test_that_a_stop_without_an_episode_breaks_nothing(again: Opened) -> None:
    pressed = threading.Event()

    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        pressed.wait(PATIENCE / 1000)
        return main.make_components(settings, notify)

    at = again(make=make, preset="Watch")
    press_esc(at)
    pressed.set()
    at.start("Watch")
    assert at.over().ended
    press_esc(at)


def test_that_a_stop_before_the_start_has_to_be_released(again: Opened) -> None:
    at = again(preset="Watch")
    at.ready()
    press_esc(at)
    at.do("start")
    at.phase(Phase.STOPPED)
    at.qtbot.wait(100)
    assert at.state.counts.steps == 0


def test_that_the_bar_says_whether_esc_arrives(again: Opened) -> None:
    at = again()
    at.window.activateWindow()
    at.until(lambda: QGuiApplication.focusWindow() is at.window.windowHandle())
    assert "Esc stops" in at.window.top._esc.text()
    at.window.top.show_focus(False)
    assert "NOT" in at.window.top._esc.text() and at.window.top._esc_icon.isVisible()
    at.window.top.show_focus(True)


def test_that_nothing_in_the_window_starts_a_drag() -> None:
    """A QDrag swallows keys before any filter. Fields, lists, tables and texts are what would begin one."""
    app = Path(__file__).parents[3] / "app"
    used = re.compile(r"import .*QDrag|QDrag\(|startDrag|setDragEnabled\(True")
    plain = re.compile(r"= (QPlainTextEdit|QTextEdit|QTextBrowser)\(")  # parts/text.py has those that do not
    files = [f for f in app.rglob("*.py") if used.search(f.read_text()) or plain.search(f.read_text())]
    assert not files


def test_that_no_view_and_no_field_of_the_window_can_be_dragged_from(again: Opened) -> None:
    at = again()
    at.ready()
    at.do("setup")
    dialog = at.controller.dialog
    assert dialog is not None
    dialog.tasks.choose_files()
    file_dialog = dialog.findChild(QFileDialog)
    assert file_dialog is not None
    for root in (at.window, dialog, file_dialog):
        for view in root.findChildren(QAbstractItemView):
            assert not view.dragEnabled(), view
            assert view.dragDropMode() is QAbstractItemView.DragDropMode.NoDragDrop, view
        for field in root.findChildren(QLineEdit):
            assert not field.dragEnabled(), field
    file_dialog.reject()


def test_that_selected_text_is_not_dragged_but_deselected(qtbot: QtBot) -> None:
    text = NoDragTextEdit("some words that are dragged", "Text")
    qtbot.addWidget(text)
    text.selectAll()
    QTest.mousePress(text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 12))
    assert not text.textCursor().hasSelection()
    QTest.mouseRelease(text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(20, 12))


def test_that_a_stop_keeps_the_belief_and_doubts_what_was_touched(moving: Driver) -> None:
    press_esc(moving)
    stopped(moving)
    assert any(entry.uncertain for entry in moving.state.belief)
    assert all(isinstance(e.verdict, Verdict) for e in moving.state.belief)


# --- what the button tells ------------------------------------------------------------------------------


def test_that_the_button_is_as_wide_as_its_window_asks_and_as_high_in_every_state(opened: Opened) -> None:
    at = opened()
    for width, wide in ((1280, 196), (1440, 216)):
        at.window.resize(width, 800)
        at.until(lambda width=width: at.window.width() == width)
        assert at.window.top.stop.size() == QSize(wide, 40)


@pytest.mark.parametrize(
    ("stop", "acting", "said"),
    [
        (None, False, ("", "")),
        (StopState(1, 10.0), False, ("requested", "0.5 s")),
        (StopState(1, 10.0), True, ("slowing", "0.5 s")),
        (StopState(1, 9.0), True, ("requested", "no answer")),
        (StopState(1, 10.0, seconds=0.2, speed=0.0), False, ("stopped", "0.2 s, 0.00 m/s")),
        (StopState(1, 10.0, seconds=0.2, released=True), False, ("", "")),
    ],
)
def test_that_the_button_says_how_far_the_stop_has_come(
    stop: StopState | None, acting: bool, said: tuple[str, str]
) -> None:
    step = Step("openit", ("a", "b")) if acting else None
    assert stop_progress(EpisodeState(now=10.5, stop=stop, acting=step)) == said
