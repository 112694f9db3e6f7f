"""Every way out of the window halts the robot first, and then does everything else."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QStandardPaths, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog

import main
from app.dialogs.overlay_dialog import OverlayDialog
from app.episode.session import EpisodeSession
from app.main import LazyRecorder
from app.preferences import Preferences
from app.runtime.os_signals import OsSignalListener
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.supervision import WATCH, SupervisionLevels
from robots.symbolic.robot import SymbolicRobot
from tests.app.conftest import Driver, Opened
from tests.sampling import some


class Ways(list[str]):
    """What happened, in its order; "halt" is the robot's."""

    def make(
        self,
        settings: Settings,
        notify: Callable[[str], None] = ignore,
        supervision: SupervisionLevels = WATCH,
    ) -> EpisodeComponents:
        ways = self

        class Watched(SymbolicRobot):
            def halt(self) -> int:
                ways.append("halt")
                ways.halted = ways.halted or time.monotonic()
                return super().halt()

        parts = main.make_components(settings, notify)
        parts.robot.__class__ = Watched
        return parts

    def noting(self, name: str, do: Callable[..., object]) -> Callable[..., object]:
        def noted(*given: object, **named: object) -> object:
            self.append(name)
            return do(*given, **named)

        return noted

    halted = 0.0


@pytest.fixture
def ways() -> Ways:
    return Ways()


@pytest.fixture
def moving(opened: Opened, ways: Ways, unwatched: None) -> Driver:
    at = opened(make=ways.make, preset="Watch", pace=60.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    ways.clear()
    return at


def slot_breaks(at: Driver) -> None:
    def broken() -> None:
        raise ValueError("a slot broke")

    with at.qtbot.captureExceptions():
        sys.excepthook = at.console.faults._on_exception  # pytest-qt has put its own in its place
        QTimer.singleShot(0, broken)
        at.phase(Phase.STOPPED)


def thread_breaks(at: Driver) -> None:
    broken = threading.ExceptHookArgs((ValueError, ValueError("a thread broke"), None, None))
    thread = threading.Thread(target=threading.excepthook, args=(broken,))
    thread.start()
    thread.join()


def interrupted(at: Driver) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(at.console.faults, "_previous_hooks", (lambda *_: None,) * 2)
        sys.excepthook(KeyboardInterrupt, KeyboardInterrupt(), None)


def signalled(at: Driver, number: int) -> None:
    with OsSignalListener(at.console.signalled):
        os.kill(os.getpid(), number)
        at.until(lambda: not at.window.isVisible())


def quit_(at: Driver) -> None:
    """As the desktop asks for it; the event loop of the next test is to run again."""
    app = at.console.app
    QApplication.sendEvent(app, QEvent(QEvent.Type.Quit))
    QTimer.singleShot(0, app.quit)
    app.exec()


WAYS: dict[str, Callable[[Driver], object]] = {
    "closed": lambda at: at.window.close(),
    "quit": quit_,
    "Ctrl+C": lambda at: signalled(at, signal.SIGINT),
    "SIGTERM": lambda at: signalled(at, signal.SIGTERM),
    "SIGHUP": lambda at: signalled(at, signal.SIGHUP),
    "session": lambda at: at.console.app.commitDataRequest.emit(None),
    "slot": slot_breaks,
    "thread": thread_breaks,
    "interrupt": interrupted,
}
CLOSING = ("closed", "quit", "Ctrl+C", "SIGTERM", "SIGHUP")


@pytest.mark.parametrize("way", some(WAYS, 3))
def test_that_on_every_way_out_the_halt_comes_first(
    moving: Driver, ways: Ways, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Before the geometry and the settings, an open dialog, a record, and the log's own messages."""
    moving.do("keys")
    assert moving.controller.dialog is not None
    for place, name in (
        (Preferences, "save_geometry"),
        (Preferences, "save"),
        (OverlayDialog, "reject"),
        (EpisodeSession, "_record_event"),
        (EpisodeSession, "join"),
        (LazyRecorder, "close"),
        (logging.Logger, "handle"),
    ):
        monkeypatch.setattr(place, name, ways.noting(name, getattr(place, name)))
    ways.clear()
    WAYS[way](moving)
    assert ways[0] == "halt"
    if way in CLOSING:
        assert {"save_geometry", "reject", "join", "close"} <= set(ways)
        assert not moving.console.left_behind


HOLD = (
    "import select, sys; from PySide6.QtCore import QLockFile; lock = QLockFile(sys.argv[1]);"
    "assert lock.tryLock(1000); print('locked', flush=True); select.select([sys.stdin], [], [], 4)"
)


@contextmanager
def locked_by_another(file: Path) -> Iterator[None]:
    """As Qt's programs do it while they write their settings."""
    command = [sys.executable, "-c", HOLD, f"{file}.lock"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None and other.stdout.readline() == "locked\n"
        try:
            yield
        finally:
            other.communicate("\n")


@pytest.mark.parametrize("name", some(["window.toml", "window.ini", "console.toml"], 3))
def test_that_a_lock_on_the_settings_delays_neither_the_halt_nor_the_end(
    moving: Driver, ways: Ways, tmp_path: Path, name: str
) -> None:
    with locked_by_another(tmp_path / name):
        ways.halted, began = 0.0, time.monotonic()
        moving.window.close()
        assert 0 < ways.halted - began < 0.5 and time.monotonic() - began < 3
    assert "geometry" in (tmp_path / "window.toml").read_text()


def test_that_a_lock_on_the_file_dialogs_settings_does_not_hold_up_the_screen(
    moving: Driver,
) -> None:
    home = Path(QStandardPaths.writableLocation(QStandardPaths.StandardLocation.GenericConfigLocation))
    home.mkdir(parents=True, exist_ok=True)
    with locked_by_another(home / "QtProject.conf"):
        dialog = QFileDialog(moving.window)
        dialog.setOption(QFileDialog.Option.DontUseNativeDialog)
        dialog.open()
        dialog.reject()
        began = time.monotonic()
        dialog.deleteLater()
        QApplication.sendPostedEvents(dialog, QEvent.Type.DeferredDelete)
        assert time.monotonic() - began < 1


def test_that_another_set_up_halts_before_anything_that_may_fail(
    moving: Driver, ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    close = EpisodeSession.close

    def told(session: EpisodeSession, why: str) -> None:
        close(session, why)
        ways.append("closed")

    monkeypatch.setattr(EpisodeSession, "close", told)
    monkeypatch.setattr(moving.window.camera, "watch", lambda robot: ways.append("camera"))
    moving.controller.prepare(moving.controller.settings)
    assert ways[:2] == ["halt", "closed"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_that_a_signal_halts_while_the_screen_stands_still_and_closes_the_window_then(
    moving: Driver, ways: Ways, number: int
) -> None:
    ways.halted = 0.0
    with OsSignalListener(moving.console.signalled):
        began = time.monotonic()
        threading.Timer(0.1, os.kill, (os.getpid(), number)).start()
        time.sleep(1.0)  # a slot that takes long
        assert 0 < ways.halted - began < 0.8
        moving.until(lambda: not moving.window.isVisible())
    assert not moving.console.left_behind
