"""Every way out of the window halts the robot first, and then does everything else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import main
from app.episode.session import EpisodeSession
from app.preferences import Preferences
from app.runtime.os_signals import OsSignalListener
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.supervision import WATCH, SupervisionLevels
from robots.symbolic.robot import SymbolicRobot
from tests.app.conftest import Driver, Opened


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

    halted = 0.0


@pytest.fixture
def ways() -> Ways:
    return Ways()


@pytest.fixture
def moving(opened: Opened, ways: Ways) -> Driver:
    at = opened(make=ways.make, preset="Watch", pace=60.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    ways.clear()
    return at


def test_that_a_window_that_is_closed_halts_before_it_writes_a_file(
    moving: Driver, ways: Ways, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Preferences, "save_geometry", lambda *_: ways.append("geometry"))
    moving.window.close()
    assert ways[0] == "halt" and "geometry" in ways


def test_that_a_lock_on_the_settings_delays_no_halt(moving: Driver, ways: Ways, tmp_path: Path) -> None:
    """Another program that holds it delays the writing, and with it every thread of this one."""
    script = (
        "import sys, time; from PySide6.QtCore import QLockFile; lock = QLockFile(sys.argv[1]);"
        "assert lock.tryLock(1000); print('locked', flush=True); sys.stdin.readline(); time.sleep(1.5)"
    )
    held = subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "window.ini.lock")],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    with held:
        assert held.stdout is not None and held.stdout.readline() == "locked\n"
        ways.halted, began = 0.0, time.monotonic()
        held.stdin.write("\n")  # type: ignore[union-attr]
        held.stdin.flush()  # type: ignore[union-attr]
        moving.window.close()
        took = time.monotonic() - began
    assert 0 < ways.halted - began < 0.5 < 1 < took


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
