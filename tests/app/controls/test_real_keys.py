from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QMainWindow
from pytestqt.qtbot import QtBot

from app.controls.layout import column, wrap_layout
from app.controls.real_keys import BOUNCE, SILENT, WRAP, Moment, Presses
from app.controls.text import TextField
from app.stopkey import StopKey
from app.widgets.arm.hold_button import HoldButton

KEY = 36
PRESS, RELEASE = QEvent.Type.KeyPress, QEvent.Type.KeyRelease


def at(ms: int, arrived: float = 0.0) -> Moment:
    return Moment(ms, arrived)


def test_that_the_same_time_stamp_makes_a_repeat_whatever_is_said_and_however_late_it_comes() -> None:
    presses = Presses()
    assert presses.press(KEY, at(1000))
    for ms in range(1200, 3000, 40):
        presses.release(KEY, at(ms, 1.0))
        assert not presses.press(KEY, at(ms, 9.0))


def test_that_a_press_after_a_real_release_is_new_though_both_are_read_at_once() -> None:
    presses = Presses()
    presses.press(KEY, at(1000))
    presses.release(KEY, at(1100, 5.0))
    assert presses.press(KEY, at(1300, 5.0))


@pytest.mark.parametrize("stamped", [0, 1000])
def test_that_jitter_shorter_than_a_bounce_is_a_repeat(stamped: int) -> None:
    presses = Presses()
    presses.press(KEY, at(stamped, 1.0))
    presses.release(KEY, at(stamped and stamped + 500, 1.5))
    assert not presses.press(KEY, at(stamped and stamped + 550, 1.55))
    presses.release(KEY, at(stamped and stamped + 600, 1.6))
    assert presses.press(KEY, at(stamped and stamped + 700, 1.7))


def test_that_a_press_without_a_release_before_it_is_a_repeat() -> None:
    presses = Presses()
    presses.press(KEY, at(1000))
    assert not presses.press(KEY, at(1500))
    assert not presses.press(KEY, at(1540))
    assert presses.press(KEY, at(9000)), "its release was lost, as when its window was closed"
    assert presses.press(KEY + 1, at(9010)), "another key is its own"


def test_that_a_repeat_is_known_while_the_clock_of_x_begins_anew() -> None:
    presses = Presses()
    presses.press(KEY, at(WRAP - 500))
    presses.release(KEY, at(WRAP - 10))
    assert not presses.press(KEY, at(20))


def test_that_a_key_let_go_elsewhere_can_be_pressed_again_and_a_held_one_is_no_press() -> None:
    presses = Presses()
    presses.press(KEY, at(1000, 1.0))
    presses.forget(at(0, 2.0))
    assert not presses.press(KEY, at(2010, 2.01)), "it may have been held all the time"
    presses.forget(at(0, 3.0))
    assert presses.press(KEY, at(3500, 3.5))


class Bench:
    def __init__(self, app: QApplication, qtbot: QtBot) -> None:
        self.did: list[str] = []
        self.window, self.field = QMainWindow(), TextField()
        self.jog = HoldButton("Jog", lambda: self._note("begin"), lambda: "", lambda: self.did.append("end"))
        self.window.setCentralWidget(wrap_layout(column(self.jog, self.field)))
        qtbot.addWidget(self.window)
        self.keys = StopKey(app, self.window, lambda: self.did.append("stop"), lambda: None)
        self.window.show()
        self.window.activateWindow()
        self.jog.setFocus()
        qtbot.waitUntil(lambda: self.jog.hasFocus() and self.window.isActiveWindow())

    def _note(self, what: str) -> str:
        self.did.append(what)
        return ""

    def send(
        self, kind: QEvent.Type, key: Qt.Key = Qt.Key.Key_Space, text: str = " ", repeat: bool = False
    ) -> None:
        event = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, text, repeat)
        QCoreApplication.sendEvent(self.window.windowHandle(), event)


@pytest.fixture
def bench(qapp: QApplication, qtbot: QtBot) -> Bench:
    made = Bench(qapp, qtbot)
    yield made  # type: ignore[misc]
    qapp.removeEventFilter(made.keys)


def test_that_a_jog_goes_on_through_repeats_and_ends_once_after_the_release(
    bench: Bench, qtbot: QtBot
) -> None:
    bench.send(PRESS)
    for _ in range(5):
        bench.send(RELEASE)
        bench.send(PRESS)
        qtbot.wait(20)
    assert bench.did == ["begin"]
    bench.send(RELEASE)
    qtbot.waitUntil(lambda: bench.did == ["begin", "end"])
    bench.send(PRESS)
    assert bench.did == ["begin", "end", "begin"]
    bench.send(RELEASE)


def test_that_a_jog_ends_when_its_key_no_longer_repeats(bench: Bench, qtbot: QtBot) -> None:
    bench.send(PRESS)
    bench.send(RELEASE)
    bench.send(PRESS)
    qtbot.waitUntil(lambda: bench.did == ["begin", "end"], timeout=round(1000 * (SILENT + 5)))
    bench.send(PRESS)  # it was held all the time
    assert bench.did == ["begin", "end"]


def test_that_another_key_ends_a_jog_at_once(bench: Bench) -> None:
    bench.send(PRESS)
    bench.send(PRESS, Qt.Key.Key_Alt, "")
    assert bench.did == ["begin", "end"]


def test_that_a_window_without_the_keyboard_ends_a_jog(bench: Bench, qtbot: QtBot) -> None:
    bench.send(PRESS)
    other = QMainWindow()
    qtbot.addWidget(other)
    other.show()
    other.activateWindow()
    qtbot.waitUntil(lambda: bench.did == ["begin", "end"])


@pytest.mark.parametrize("repeat", [False, True])
def test_that_a_press_after_a_release_elsewhere_is_new_although_qt_calls_it_a_repeat(
    bench: Bench, qtbot: QtBot, repeat: bool
) -> None:
    bench.send(PRESS, repeat=repeat)
    assert bench.did == ["begin"]
    bench.keys._keys._keyboard_moved(None)
    qtbot.wait(round(1500 * BOUNCE))
    bench.did.clear()
    bench.send(PRESS, Qt.Key.Key_Escape, "", repeat)
    bench.send(PRESS, Qt.Key.Key_Escape, "", repeat=True)
    assert bench.did == ["stop"]


def test_that_letters_repeat_in_a_field_and_enter_does_not(bench: Bench) -> None:
    entered: list[bool] = []
    bench.field.returnPressed.connect(lambda: entered.append(True))
    bench.field.setFocus()
    for key, text in ((Qt.Key.Key_A, "a"), (Qt.Key.Key_Return, "\r")):
        bench.send(PRESS, key, text)
        for _ in range(3):
            bench.send(RELEASE, key, text)
            bench.send(PRESS, key, text)
    assert (bench.field.text(), entered) == ("aaaa", [True])


def test_that_nothing_else_asks_the_toolkit_whether_a_key_repeats() -> None:
    app = Path(__file__).parents[3] / "app"
    asking = {file.name for file in app.rglob("*.py") if "isAutoRepeat" in file.read_text()}
    assert asking == {"stopkey.py", "real_keys.py"}
    assert BOUNCE <= 0.1 - 0.03, "a jog by key ends within a tenth of a second, with a turn of the event loop"
