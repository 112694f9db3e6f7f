"""Run under a real X server whose keys repeat: holds keys down, and prints what came of it as JSON.

With a number, as in `xvfb-run python -m tests.app.xcb_keys 20`, so often: what docs/safety.md tells.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from PySide6.QtCore import QTimer
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

import main
from app.controls.button import Button
from app.controls.layout import column, wrap_layout
from app.controls.text import TextField
from app.main import Console
from app.preferences import Preferences
from app.stopkey import StopKey
from app.theme.styling import ColourMode
from app.widgets.arm.hold_button import HoldButton
from core.config import Settings
from core.episode_state import Phase
from core.stop import heartbeat
from core.supervision import SUPERVISION_PRESETS
from robots.registry import ROBOTS
from tests.app.x11 import Hand
from tests.app.xcb_person import PATIENCE, Person

DELAY, PERIOD = 200, 40  # ms, of the repeat
HELD = 1.3  # seconds that a key is held: some twenty-five repeats


class Bench:
    """A window with one control of each kind, behind the program's own filter of keys."""

    def __init__(self, app: QApplication, hand: Hand) -> None:
        self.app, self.hand, self.did = app, hand, list[tuple[str, float]]()
        self.window, self.field = QMainWindow(), TextField()
        self.jog = HoldButton("Jog", lambda: self._note("begin"), lambda: "", lambda: self._end())
        self.button, self.held = Button("Accept"), Button("Hold")
        self.held.hold = True
        self.button.activated.connect(lambda: self._note("clicked"))
        self.held.activated.connect(lambda: self._note("held"))
        action = QAction("yes", self.window, autoRepeat=False)
        action.setShortcut("Y")
        action.triggered.connect(lambda: self._note("action"))
        self.window.addAction(action)
        self.window.setCentralWidget(wrap_layout(column(self.field, self.jog, self.button, self.held)))
        self.keys = StopKey(app, self.window, lambda: None, lambda: None)
        self.window.show()

    def _note(self, what: str) -> str:
        self.did.append((what, time.monotonic()))
        return ""

    def _end(self) -> None:
        self._note("end")

    def until(self, seen: Callable[[], object], seconds: float = PATIENCE) -> bool:
        end = time.monotonic() + seconds
        while not seen() and time.monotonic() < end:
            self.app.processEvents()
            time.sleep(0.001)
        return bool(seen())

    def close(self) -> None:
        self.window.close()
        self.app.removeEventFilter(self.keys)

    def focus(self, widget: QWidget) -> None:
        self.window.activateWindow()
        widget.setFocus()
        assert self.until(lambda: self.app.focusWindow() is self.window.windowHandle() and widget.hasFocus())
        self.did.clear()

    def hold(self, widget: QWidget, key: str) -> list[str]:
        """Hold a key for a while; return all that happened until it was up for long."""
        self.focus(widget)
        self.hand.key(key, True)
        self.until(lambda: False, HELD)
        self.let_go_at = time.monotonic()
        self.hand.key(key, False)
        self.until(lambda: False, 0.4)
        return [what for what, _ in self.did]


def on_the_bench(bench: Bench) -> dict[str, object]:
    found: dict[str, object] = {"jog": bench.hold(bench.jog, "space")}
    found["late"] = bench.did[-1][1] - bench.let_go_at
    found["button"] = bench.hold(bench.button, "space")
    found["enter"] = bench.hold(bench.button, "Return")
    found["held"] = bench.hold(bench.held, "Return")
    found["action"] = bench.hold(bench.jog, "y")
    bench.hold(bench.field, "n")
    found["typed"] = len(bench.field.text())
    for name, key in (("other key", "z"), ("Alt", "Alt")):
        bench.focus(bench.jog)
        bench.hand.key("space", True)
        bench.until(lambda: False, 0.5)
        bench.hand.key(key, True)
        found[name] = bench.until(lambda: bench.did[-1][0] == "end", 0.1)
        bench.hand.key(key, False)
        bench.hand.key("space", False)
        bench.until(lambda: False, 0.2)
    found["another window"] = elsewhere(bench)
    found["twice"] = twice(bench)
    return found


def elsewhere(bench: Bench) -> list[str]:
    """Give the keyboard to another window while a key is held for a hold and for a jog, and back."""
    other = QMainWindow()
    for widget, key in ((bench.held, "Return"), (bench.jog, "space")):
        bench.focus(widget)
        bench.hand.key(key, True)
        bench.until(lambda: False, 0.3)
        other.show()
        other.activateWindow()
        bench.until(lambda: bench.app.focusWindow() is other.windowHandle())
        bench.until(lambda: False, 1.2)
        did = [what for what, _ in bench.did]
        bench.window.activateWindow()
        bench.until(lambda: bench.app.focusWindow() is bench.window.windowHandle())
        bench.until(lambda: False, 0.3)
        assert [what for what, _ in bench.did] == did, "a key that is still held began anew"
        bench.hand.key(key, False)
        bench.until(lambda: False, 0.2)
        other.hide()
    return did


def twice(bench: Bench) -> list[str]:
    """Press twice, as fast as a person can."""
    bench.focus(bench.button)
    for _ in range(2):
        bench.hand.tap("Return")
        bench.until(lambda: False, 0.12)
    return [what for what, _ in bench.did]


def in_the_console(app: QApplication, hand: Hand) -> dict[str, Any]:
    """Approve a step and release a stop, each with a key that is held much longer than it takes."""
    place = Path(tempfile.mkdtemp())
    preferences = Preferences(place, mode=ColourMode.LIGHT, supervision=SUPERVISION_PRESETS["Approve"])
    settings = Settings(robot="symbolic", openness=0.0, pace=0.0)
    console = Console(app, main.make_components, settings, place / "log.db", preferences, ROBOTS)
    console.show()
    person = Person(app, console, hand)
    state = lambda: console.controller.state  # noqa: E731
    person.until(lambda: console.controller.session.components)
    console.controller.start()
    while state().phase is not Phase.WAITING:
        person.until(lambda: state().phase in (Phase.WAITING, Phase.REVIEWING))
        if state().phase is Phase.REVIEWING:
            console.window.actions_["use"].trigger()
            person.wait(0.05)
    person.wait(0.4)
    person.window.activateWindow()
    person.window.setFocus()
    person.until(lambda: app.focusWindow() is person.window.windowHandle())
    hand.key("Return", True)
    person.wait(2.0)
    hand.key("Return", False)
    approved = state().counts.steps, len(state().marks), state().phase.value
    person.wait(0.5)
    hand.tap("Escape")
    stopped = person.stopped() and person.until(lambda: person.window.decision.primary.hold)
    hand.key("Return", True)
    released = person.until(lambda: state().phase is not Phase.STOPPED, 2.5)
    person.wait(1.5)
    hand.key("Return", False)
    after = state().counts.steps
    console.window.close()
    return {"approved": approved, "stopped": stopped, "released": released, "after": after}


def attack(times: int) -> dict[str, object]:
    """Hold a jog key, Enter at a step, and Enter to release a stop, so often each."""
    with ready() as (app, hand):
        bench, late, whole = Bench(app, hand), list[float](), 0
        for _ in range(times):
            whole += bench.hold(bench.jog, "space") == ["begin", "end"]
            late.append(bench.did[-1][1] - bench.let_go_at)
        bench.close()
        found = [in_the_console(app, hand) for _ in range(times)]
    return {
        "jogs of one begin and one end": whole,
        "late": (median(late), max(late)),
        "one step": sum(one["approved"][0] == 1 for one in found),
        "released": sum(bool(one["released"]) for one in found),
    }


def run() -> dict[str, object]:
    with ready() as (app, hand):
        bench = Bench(app, hand)
        found = on_the_bench(bench)
        bench.close()
        return {**found, "console": in_the_console(app, hand)}


@contextmanager
def ready() -> Iterator[tuple[QApplication, Hand]]:
    heartbeat.HEARTBEAT_TIMEOUT = PATIENCE
    app, hand = QApplication(sys.argv[:1]), Hand()
    busy = QTimer()  # as on a busy machine, every few ms: a release and its press are then read apart
    busy.timeout.connect(lambda: time.sleep(0.004))
    busy.start(9)
    hand.repeat(DELAY, PERIOD)
    yield app, hand
    busy.stop()


if __name__ == "__main__":
    print(json.dumps(attack(int(sys.argv[1])) if len(sys.argv) > 1 else run()))
