"""Measure the window: start, stalls of the GUI thread, stop latency, frames shown, memory over long episodes.

Run: `make bench`, or `QT_QPA_PLATFORM=offscreen PYTHONPATH=. .venv/bin/python benchmarks/console.py
[--seconds 60] [--presses 200] [--turns 2000] [--only start|busy|stop|memory]`. The published figures
use `--seconds 300 --presses 1000`. Runs with the real kitchen, on whatever platform Qt is given.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QApplication

import main
from app.episode.session import SessionStage
from app.main import SWITCH, Console
from app.preferences import Preferences
from app.theme.styling import ColourMode
from benchmarks.sizes import sized
from core.belief import Answer, BeliefSource, Query, Verdict
from core.cancel import Cancel
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.ports import Frame, ModelCall
from core.supervision import SUPERVISION_PRESETS, WATCH, SupervisionLevels
from robots.registry import ROBOTS

BEAT = 5  # ms between two beats of the GUI thread
START = """
import sys, time
from pathlib import Path
import main
from PySide6.QtCore import QTimer
from app.main import Console, SWITCH
from app.preferences import Preferences
from PySide6.QtWidgets import QApplication
from benchmarks.sizes import sized
from core.config import Settings
from robots.registry import ROBOTS
sys.setswitchinterval(SWITCH)
app = QApplication([])
place = Path(sys.argv[1])
preferences = Preferences.load(place)
console = Console(
    app, main.make_components, Settings(robot="kitchen"), place / "log.db", preferences, ROBOTS
)
console.show()
def painted():
    console.window.grab()
    print("usable", flush=True)
    look()
def look():
    if console.controller.session.components is None:
        QTimer.singleShot(5, look)
        return
    print("ready", flush=True)
    console.window.close()
QTimer.singleShot(0, painted)
app.exec()
"""


class EventLoopMonitor(QObject):
    """Beats on the GUI thread; a late beat shows a stall.

    `busy` is the thread's own processor time between two beats: the part of a stall that is ours, on any
    machine.
    """

    def __init__(self) -> None:
        super().__init__()
        self.gaps: list[float] = []
        self.busy: list[float] = []
        self._last, self._spent = time.perf_counter(), time.thread_time()
        self._timer = QTimer(self, interval=BEAT, timerType=Qt.TimerType.PreciseTimer)
        self._timer.timeout.connect(self._beat)
        self._timer.start()

    def _beat(self) -> None:
        now, spent = time.perf_counter(), time.thread_time()
        self.gaps.append(now - self._last - BEAT / 1000)
        self.busy.append(spent - self._spent)
        self._last, self._spent = now, spent


@contextmanager
def window(
    settings: Settings, preset: str, make: Any = main.make_components, log: Path | None = None
) -> Iterator[Console]:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory() as place:
        memory = Preferences(Path(place), mode=ColourMode.LIGHT, supervision=SUPERVISION_PRESETS[preset])
        console = Console(app, make, settings, log or Path(place) / "log.db", memory, ROBOTS)
        console.show()
        console.window.resize(1440, 900)
        until(
            lambda: (
                console.controller.session.stage is SessionStage.READY
                and console.controller.session.components
            )
        )
        try:
            yield console
        finally:
            console.window.close()
            console.window.deleteLater()
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def until(seen: Callable[[], object], seconds: float = 60.0, every: int = 5) -> bool:
    """Run Qt's own event loop, as `exec` does, until `seen()` is true; checked every few ms."""
    loop, end = QEventLoop(), time.monotonic() + seconds

    def look() -> None:
        if seen() or time.monotonic() > end:
            loop.quit()

    timer = QTimer(interval=every)
    timer.timeout.connect(look)
    timer.start()
    if not seen():
        loop.exec()
    timer.stop()
    return bool(seen())


def share(values: Sequence[float], part: float) -> float:
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def report(name: str, values: Sequence[float]) -> None:
    ms = [v * 1000 for v in values]
    print(
        f"{name}: median {median(ms):.1f}, p99 {share(ms, 0.99):.1f}, max {max(ms):.1f} ms ({len(ms)})",
        flush=True,
    )


# --- start --------------------------------------------------------------------------------------------


def start(times: int = 5) -> None:
    usable, ready = [], []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as place:
            began = time.perf_counter()
            process = subprocess.Popen(
                [sys.executable, "-c", START, place], stdout=subprocess.PIPE, text=True, env=os.environ
            )
            assert process.stdout is not None
            assert process.stdout.readline() == "usable\n"
            usable.append(time.perf_counter() - began)
            assert process.stdout.readline() == "ready\n"
            ready.append(time.perf_counter() - began)
            process.wait()
            process.stdout.close()
    report("start to a window that is painted and answers", usable)
    report("start to a kitchen that waits for Start", ready)


# --- busy ---------------------------------------------------------------------------------------------


def busy(seconds: float) -> None:
    """Run and display episodes one after the other, at half the speed of a robot."""
    settings = Settings(robot="kitchen", answerer="gpt-4.1-household", pace=0.5)
    with window(settings, "Watch") as console:
        heart, controller, camera = EventLoopMonitor(), console.controller, console.window.camera
        controller.start()
        acting = shown = 0.0
        last, frames = time.perf_counter(), camera.shown
        end = last + seconds
        episodes = 1
        while time.perf_counter() < end:
            until(lambda: False, 0.1)
            now = time.perf_counter()
            if controller.state.acting is not None:
                acting += now - last
                shown += camera.shown - frames
            last, frames = now, camera.shown
            if controller.state.ended:
                controller.prepare(replace(settings, seed=episodes))
                controller.start()
                episodes += 1
        report("main thread late", heart.gaps)
        report("main thread at work in one go", heart.busy)
        print(
            f"live frames shown while the robot moves: {shown / max(acting, 0.001):.1f} a second "
            f"over {acting:.0f} s, {episodes} episodes",
            flush=True,
        )


# --- stop ---------------------------------------------------------------------------------------------


class TimedHaltRobot:
    """The real robot, recording when `halt` has returned."""

    def __init__(self, robot: Any, halted: list[float]) -> None:
        self._robot, self._halted = robot, halted

    def __getattr__(self, name: str) -> Any:
        return getattr(self._robot, name)

    def halt(self) -> int:
        number = self._robot.halt()
        self._halted.append(time.perf_counter())
        return int(number)


def watched(halted: list[float]) -> Callable[..., EpisodeComponents]:
    """Return a factory of the program's own components, with a robot that records when each halt returned."""

    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        for name in ("cameras", "live", "truth", "is_observable", "situation", "boxes"):
            setattr(TimedHaltRobot, name, property(lambda self, name=name: getattr(self._robot, name)))
        return replace(parts, robot=TimedHaltRobot(parts.robot, halted))  # type: ignore[arg-type]

    return make


def stop(presses: int) -> None:
    """Post Esc to the window from another thread, at random moments while the robot moves."""
    halted: list[float] = []
    settings = Settings(robot="kitchen", openness=0.0, pace=1.0, max_steps=100_000)
    with window(settings, "Watch", watched(halted)) as console:
        report("Esc to robot.halt() returned", list(pressed(console, halted, presses)))


def pressed(
    console: Console, halted: list[float], presses: int, before: Callable[[], object] = bool
) -> Iterator[float]:
    """Yield the seconds from each press until `halt` has returned. `before` is called before each."""
    controller, draw = console.controller, random.Random(7)
    controller.start()
    none = Qt.KeyboardModifier.NoModifier
    QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_A, none)  # the first one initialises the keyboard, here
    for _ in range(presses):
        before()
        end = time.monotonic() + 60
        while controller.state.acting is None:
            if controller.state.ended:
                controller.start()
            elif controller.state.phase is Phase.STOPPED:  # by the last press, or as the window was too late
                console.bindings.release_stop()
            until(lambda: controller.state.acting is not None or controller.state.ended, 1)
            if time.monotonic() > end:
                raise SystemExit(f"nothing moves: {controller.state.phase}")
        times: list[float] = []

        def press(delay: float = draw.uniform(0.0, 0.15), times: list[float] = times) -> None:
            time.sleep(delay)
            handle = QGuiApplication.focusWindow() or console.window.windowHandle()
            event = QKeyEvent(QEvent.Type.KeyPress, Qt.Key.Key_Escape, none)
            times.append(time.perf_counter())
            QCoreApplication.postEvent(handle, event)

        halted.clear()
        thread = threading.Thread(target=press)
        thread.start()
        until(lambda times=times: times and any(h > times[0] for h in halted), 30)
        thread.join()
        yield next(h for h in halted if h > times[0]) - times[0]
        until(lambda: controller.state.phase in (Phase.STOPPED, Phase.ENDED), 10)


# --- memory -------------------------------------------------------------------------------------------


class ContraryAnswerer:
    """Answers of every door that it is closed, so that the robot opens it again for ever."""

    name = "contrary"

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> ModelCall:
        answers = []
        for q in queries:
            verdict = Verdict.YES if q.atom.predicate == "closed" else q.expected
            answers.append(Answer(q.atom, verdict, BeliefSource.MODEL, "yes", turn, frame.id, self.name))
        return ModelCall(tuple(answers), "yes", self.name)


def contrary(
    settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
) -> EpisodeComponents:
    return replace(main.make_components(settings, notify), answerer=ContraryAnswerer())


def megabytes() -> float:
    """Return the resident memory of this process in megabytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6


def memory(turns: int) -> None:
    settings = Settings(robot="symbolic", openness=0.0, max_steps=turns + 100)
    with window(settings, "Watch", contrary) as console:
        heart = EventLoopMonitor()
        console.controller.start()
        until(lambda: console.controller.state.turn >= turns // 10, 600)
        first, early = megabytes(), len(heart.gaps)
        until(lambda: console.controller.state.turn >= turns or console.controller.state.ended, 1800)
        print(
            f"memory: {first:.0f} MB after {turns // 10} turns, {megabytes():.0f} MB after {turns}: "
            f"{megabytes() / first:.2f} times",
            flush=True,
        )
        report(f"main thread late, turns 1 to {turns // 10}", heart.gaps[:early])
        report(f"main thread late, turns {turns // 10} to {turns}", heart.gaps[early:])
        report(f"main thread at work in one go, turns 1 to {turns // 10}", heart.busy[:early])
        report(f"main thread at work in one go, turns {turns // 10} to {turns}", heart.busy[early:])


def run() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=sized(30, 1))
    parser.add_argument("--presses", type=int, default=sized(100, 2))
    parser.add_argument("--turns", type=int, default=sized(600, 2))
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    sys.setswitchinterval(SWITCH)
    application = QApplication([])
    parts: dict[str, Callable[[], None]] = {
        "start": start,
        "busy": lambda: busy(given.seconds),
        "stop": lambda: stop(given.presses),
        "memory": lambda: memory(given.turns),
    }
    for name, part in parts.items():
        if not given.only or given.only == name:
            part()
    del application


if __name__ == "__main__":
    run()
