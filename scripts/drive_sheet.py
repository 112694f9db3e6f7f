"""Drives the sheet of a wish on X with real keys and a real pointer: keys and seconds of its two journeys,
milliseconds from a reply and from a keystroke to the region, and from Esc to the end of a search of seconds.

make drive; like scripts/drive_console.py, whose person, reaction and columns these are.
"""

from __future__ import annotations

import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.wishes.sheet_window import SheetWindow
from benchmarks.shared.harness import load
from benchmarks.shared.window import EventLoopMonitor, until, window
from core.config import Settings
from core.planning_model import Plan
from core.stop import heartbeat
from scripts.drive_console import STALL, Person
from scripts.driver import ready
from tests.app.on_x import display
from tests.app.x11 import Hand

WISH = Settings("berry_2", "tabletop-wishes", robot="table", method="owl-tamp", answerer="perfect", seed=2)
KEYSTROKES, STOPS, SIDES = 20, 10, ("near", "left of", "right of", "behind", "in front of")
LONG = "mug_2"  # whose search takes seconds
NEAR = "put the strawberry near the can"
SAID = {  # in each scene
    "berry_2": "put the strawberry onto the light-grey region",
    "citrus": "put the lemon and the orange on the plate",
    "fruit_sort": "put the apple and the pear left of the line",
}
_TICK = os.sysconf("SC_CLK_TCK")


def processor() -> float:
    """Return the seconds of processor of this process and of the children it has now, such as the tests'."""
    spent = time.process_time()
    for thread in Path("/proc/self/task").iterdir():
        with suppress(OSError):  # it has ended
            for child in (thread / "children").read_text().split():
                fields = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()
                spent += (int(fields[11]) + int(fields[12])) / _TICK
    return spent


def settled(sheet: SheetWindow) -> bool:
    return until(lambda: not any(task.running for task in sheet.work.tasks) and not sheet._typed.isActive())


def spell(person: Person, words: str) -> None:
    for letter in words:
        person.tap({" ": "space", "-": "minus"}.get(letter, letter))
        person.pause(0.02)


def opened(person: Person, words: str) -> SheetWindow:
    """Open the sheet by its keys, and spell a sentence; both are not counted."""
    person.at.window.activateWindow()
    person.at.window.setFocus()
    until(lambda: QApplication.focusWindow() is not None)
    person.tap("Control", "w")
    sheet = person.at.sheet
    assert until(lambda: sheet.isVisible() and sheet.look), "the sheet does not open"
    spell(person, words)
    assert until(lambda: sheet.words.text() == words), sheet.words.text()
    return sheet


def approves(person: Person, sheet: SheetWindow) -> bool:
    """Lead a sentence to an approved plan."""
    approved = list[Plan]()
    sheet.approved.connect(lambda _, plan: approved.append(plan))
    person.sees()
    for done in (
        lambda: sheet.desk and sheet.desk.here and sheet.desk.here.region,
        lambda: sheet.desk and sheet.desk.rehearsed and sheet.desk.rehearsed.film,
        lambda: approved,
    ):
        person.pause()
        person.tap("Return")
        until(done)
    return bool(approved) and len(approved[0].steps) == 4 and person.keys <= 4


def paints(person: Person, sheet: SheetWindow) -> bool:
    """Correct a region by a box that is drawn with the pointer."""
    person.tap("Return")
    until(lambda: sheet.desk and sheet.desk.here and sheet.desk.here.region)
    settled(sheet)
    person.sees()
    person.pause()
    person.tap("4")
    person.pause()
    first, last = sheet.picture.projection().points(np.array(((0.42, 0.05, 0.0), (0.6, 0.13, 0.0))))
    for share in np.linspace(0, 1, 11):
        at = sheet.picture.mapToGlobal(first + share * (last - first))
        person.hand.move(round(at.x()), round(at.y()))
        person.pause(0.05)
        if share in (0, 1):
            person.hand.button(share == 0)
    return until(lambda: "test_painted" in sheet.desk.here.tests, 15) and person.seconds < 15


def measure(task: str, words: str, journey: Callable[[Person, SheetWindow], bool], hand: Hand) -> bool:
    """Print what a journey took, and for how long at most the screen waited, by the clock and busy itself,
    from the opening until an approved episode proposes a step; return True if all was as it should be.
    """
    with window(replace(WISH, task=task), "Approve") as console:
        person = Person(console, hand)
        ready(person)
        monitor = EventLoopMonitor()
        held = journey(person, opened(person, words))
        seconds = person.seconds
        until(lambda: console.sheet.isVisible() or (person.state.proposal and person.state.frame))
        busy, late = max(monitor.busy), max(monitor.gaps)
    note = "" if held else "  NOT REACHED"
    took = f"{1000 * busy:5.0f} ms busy, {1000 * late:.0f} late"
    print(f"{task} {journey.__name__:25} {person.keys:4} {seconds:7.1f}s {took}{note}", flush=True)
    return held and late <= STALL


def regions(hand: Hand) -> None:
    """Print how long the first region and a repaint after a keystroke take."""
    clock, spent, shown = dict[str, list[float]](), dict[str, list[float]](), list[object]([None])

    def timed(name: str, sheet: SheetWindow, began: tuple[float, float]) -> None:
        until(lambda: sheet.desk and sheet.desk.here and sheet.desk.here is not shown[-1], 10, 1)
        shown.append(sheet.desk and sheet.desk.here)
        clock.setdefault(name, []).append(1000 * (time.monotonic() - began[0]))
        spent.setdefault(name, []).append(1000 * (processor() - began[1]))
        settled(sheet)

    with window(WISH, "Approve") as console:
        person = Person(console, hand)
        ready(person)
        sheet = opened(person, NEAR)
        sheet.work.trying.start = lambda *_: None  # type: ignore[method-assign]  # the arm's tries come later
        replied = list[tuple[float, float]]()
        sheet.work.asking.reported.connect(
            lambda run, words, over: replied.append((time.monotonic(), processor())) if over else None,
            Qt.ConnectionType.DirectConnection,  # at once, before the sheet has heard of it
        )
        monitor = EventLoopMonitor()
        for side in SIDES:
            sheet.words.setText(f"put the strawberry {side} the can")
            replied.clear()
            sheet.press()
            until(lambda: replied)
            timed("first region after the reply", sheet, replied[0])
        sheet.code.setFocus()
        source = sheet.code.toPlainText().rstrip()
        for key in range(KEYSTROKES):
            sheet.code.setPlainText(f"{source} and strawberry.pose.x > {0.3 + 0.001 * key:.3f}")
            timed("repaint after a keystroke", sheet, (time.monotonic(), processor()))
        sheet.scene.setCurrentIndex(sheet.scene.findData(LONG))
        sheet.by.setCurrentText("recorded")
        sheet._look(anew=True)
        until(lambda: sheet.look)
        sheet.words.setText(sheet.look.domain_spec.tasks[LONG].description)
        sheet.press()
        until(lambda: sheet.desk)
        for _ in range(STOPS):
            settled(sheet)
            sheet.setFocus()
            person.pause(1.0)  # sooner Esc would be a repeat
            sheet.press()
            person.pause(random.uniform(0.3, 1.3))
            began, searches = time.monotonic(), sheet.work.planning.running
            person.tap("Escape")
            until(lambda: sheet.work._searching._child is None, 5, 1)
            if searches:  # else it had ended before
                name = "Esc until the search has ended"
                clock.setdefault(name, []).append(1000 * (time.monotonic() - began))
        clock["the screen meanwhile"] = [1000 * max(monitor.gaps)]
    for name, times in clock.items():
        mine = f", {statistics.mean(spent[name]):.0f} ms of processor" if name in spent else ""
        print(
            f"{name:36} {statistics.median(times):5.0f} ms (most {max(times):.0f} of {len(times)}){mine}",
            flush=True,
        )


def run() -> int:
    heartbeat.HEARTBEAT_TIMEOUT = 20.0  # a machine that does other work may be late
    with display() as screen, tempfile.TemporaryDirectory(prefix="dkp-") as runtime:
        where = {"DISPLAY": screen, "QT_QPA_PLATFORM": "xcb", "XDG_RUNTIME_DIR": runtime}
        with patch.dict(os.environ, where):
            bad = sum(not measure(task, words, approves, Hand()) for task, words in SAID.items())
            bad += not measure("berry_2", NEAR, paints, Hand())
            regions(Hand())
    print(load())
    return bad


if __name__ == "__main__":
    sys.exit(run())
