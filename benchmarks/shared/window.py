"""The real window, driven by a program: shown with its robot, waited for, and watched for stalls."""

from __future__ import annotations

import atexit
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject, Qt, QTimer
from PySide6.QtWidgets import QApplication

from app.episode.session import SessionStage
from app.main import SWITCH, Console
from app.preferences import Preferences
from app.theme.styling import ColourMode
from core.config import ComponentFactory, Settings
from core.drafting.source import DraftingTools
from core.supervision import SUPERVISION_PRESETS
from main import games, make_components, paint
from robots.registry import ROBOTS

if not {"DISPLAY", "WAYLAND_DISPLAY"} & os.environ.keys():
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
BEAT = 5  # ms between two beats of the GUI thread
SIZE = (1440, 900)


@cache
def application() -> QApplication:
    """Return Qt's application, which ends before the interpreter does."""
    sys.setswitchinterval(SWITCH)
    atexit.register(application.cache_clear)
    return QApplication([])


@contextmanager
def window(
    settings: Settings,
    preset: str = "Watch",
    make: ComponentFactory = make_components,
    log: Path | None = None,
) -> Iterator[Console]:
    """Show the console until its robot waits for Start, or cannot be made; `preset` "": for a newcomer."""
    with tempfile.TemporaryDirectory() as place:
        supervision = SUPERVISION_PRESETS.get(preset)
        memory = Preferences(Path(place), mode=ColourMode.LIGHT, supervision=supervision)
        console = Console(
            application(), make, settings, log or Path(place) / "log.db", memory, ROBOTS,
            drafting=DraftingTools(games, paint),
        )  # fmt: skip
        console.window.resize(*SIZE)
        console.show()
        until(lambda: console.controller.session.stage in (SessionStage.READY, SessionStage.OVER))
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
