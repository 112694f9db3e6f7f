"""Run under a real X server: presses Esc in every situation, and prints what came of it as JSON."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

import main
from app.main import Console
from app.preferences import Preferences
from app.theme.styling import ColourMode
from core.config import Settings
from core.episode_state import Phase
from core.stop import heartbeat
from core.supervision import SUPERVISION_PRESETS
from robots.registry import ROBOTS
from tests.app.x11 import Hand

PATIENCE = 8.0  # seconds


class Person:
    def __init__(self, app: QApplication, console: Console, hand: Hand) -> None:
        self.app, self.console, self.hand = app, console, hand
        self.window, self.controller = console.window, console.controller

    def until(self, seen: Callable[[], object], seconds: float = PATIENCE) -> bool:
        end = time.monotonic() + seconds
        while not seen() and time.monotonic() < end:
            self.app.processEvents(QEventLoop.ProcessEventsFlag.AllEvents, 20)
            time.sleep(0.002)
        return bool(seen())

    def wait(self, seconds: float) -> None:
        self.until(lambda: False, seconds)

    def moving(self) -> None:
        """Until the robot moves and the window has the keyboard."""
        if self.controller.state.phase is Phase.STOPPED:
            self.console.bindings.release_stop()
        assert self.until(lambda: self.controller.state.acting is not None), "nothing moves"
        self.window.activateWindow()
        self.window.setFocus()
        assert self.until(lambda: self.app.focusWindow() is self.window.windowHandle()), "no focus"

    def stopped(self) -> bool:
        return self.until(lambda: self.controller.state.phase is Phase.STOPPED)

    def put(self, widget: QWidget, at: QPoint) -> None:
        place = widget.mapToGlobal(at)
        self.hand.move(place.x(), place.y())
        self.wait(0.05)

    def drag(self, widget: QWidget, at: QPoint, by: QPoint) -> None:
        """Press, and move in small steps; the button stays down."""
        self.put(widget, at)
        self.hand.button(True)
        self.wait(0.05)
        for i in range(1, 9):
            self.put(widget, at + by * (i / 8))

    # --- situations: each returns what is to be let go afterwards ----------------------------------------

    def plain(self) -> None:
        """The window alone."""

    def text(self) -> None:
        self.window.belief.focus_search()

    def menu(self) -> None:
        self.window.open_menu()
        assert self.until(lambda: self.app.activePopupWidget() is not None)

    def dialog(self) -> None:
        self.window.actions_["setup"].trigger()
        dialog = self.controller.dialog
        assert dialog is not None
        assert self.until(lambda: self.app.focusWindow() is dialog.windowHandle())

    def combo(self) -> None:
        self.dialog()
        dialog = self.controller.dialog
        assert dialog is not None
        dialog.tasks.task.showPopup()
        assert self.until(lambda: self.app.activePopupWidget() is not None)

    def dock(self) -> None:
        header = self.window.camera.header
        self.drag(header, QPoint(header.width() // 2, 12), QPoint(160, 160))
        assert self.until(lambda: self.window.docks["camera"].isFloating()), "the panel is not dragged"

    def selected_text(self) -> None:
        self.window.belief.focus_search()
        field = QApplication.focusWidget()
        assert field is not None
        for _ in range(6):
            self.hand.tap("a")
        self.wait(0.1)
        field.selectAll()
        self.drag(field, QPoint(30, 12), QPoint(60, 60))

    def table(self) -> None:
        table = self.window.belief.table
        table.selectRow(1)
        self.drag(table.viewport(), QPoint(30, 40), QPoint(40, 60))


SITUATIONS = ("plain", "text", "menu", "dialog", "combo", "dock", "selected_text", "table")


def run() -> dict[str, dict[str, object]]:
    heartbeat.HEARTBEAT_TIMEOUT = PATIENCE  # beside other tests a window may be late as no person's ever is
    app = QApplication(sys.argv[:1])
    place = Path(tempfile.mkdtemp())
    preferences = Preferences(place, mode=ColourMode.LIGHT, supervision=SUPERVISION_PRESETS["Watch"])
    settings = Settings(robot="symbolic", openness=0.0, pace=60.0)
    console = Console(app, main.make_components, settings, place / "log.db", preferences, ROBOTS)
    console.show()
    person = Person(app, console, Hand())
    person.until(lambda: console.controller.session.components)
    console.controller.start()
    found: dict[str, dict[str, object]] = {"platform": {"name": QGuiApplication.platformName()}}
    for name in SITUATIONS:
        person.moving()
        getattr(person, name)()
        before = console.controller.state.counts.stops
        person.hand.tap("Escape")
        stopped = person.stopped()
        person.hand.button(False)
        person.wait(0.2)
        if popup := app.activePopupWidget():
            popup.close()
        if console.controller.dialog is not None:
            closed = name not in ("dialog",)
            console.controller.dialog.reject()
        else:
            closed = True
        person.window.reset_layout()
        found[name] = {
            "stopped": stopped,
            "stops": console.controller.state.counts.stops - before,
            "closed": closed,
        }
    person.moving()
    person.hand.key("Escape", True)
    person.stopped()
    person.hand.key("Escape", False)
    assert person.until(lambda: person.window.decision.primary.hold)
    person.hand.key("Return", True)
    released = person.until(lambda: console.controller.state.phase is not Phase.STOPPED)
    person.hand.key("Return", False)
    found["hold"] = {"released": released}
    console.window.close()
    found["left"] = {"behind": console.left_behind}
    return found


if __name__ == "__main__":
    assert Qt.Key.Key_Escape
    print(json.dumps(run()))
