"""A window that is closed, or asked to end, while a real emulated arm moves: the arm stands first."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator

import pytest

import main
from app.preferences import Preferences
from app.runtime.os_signals import OsSignalListener
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.ports import StepStatus
from core.supervision import WATCH, SupervisionLevels
from robots.symbolic.robot import SymbolicRobot
from robots.ur5e.arm import Arm
from robots.ur5e.emulator.process import EmulatorProcess
from tests.app.conftest import Driver, Opened
from tests.robots.ur5e.conftest import Bench, Mover, connected, fresh_address


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    made = Bench(EmulatorProcess(fresh_address(), "empty", cameras=False))
    made.power_up()
    yield made
    made.close()


@pytest.fixture
def arm(bench: Bench) -> Iterator[Arm]:
    made = connected(bench)
    yield made
    made.close()
    bench.mend()


@pytest.fixture
def acting(opened: Opened, arm: Arm, unwatched: None) -> Driver:
    """The window in mid-step, with a robot whose halt is the arm's."""

    class OnArm(SymbolicRobot):
        def halt(self) -> int:
            arm.halt_if_in_control()
            return super().halt()

    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        parts.robot.__class__ = OnArm
        return parts

    at = opened(make=make, preset="Watch", pace=60.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    return at


def test_that_the_arm_stands_though_the_closing_window_waits_for_a_file(
    acting: Driver, arm: Arm, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    moved: list[bool] = []

    def locked(*_: object) -> None:
        time.sleep(1.0)  # another program has the file
        moved.append(bench.moving)

    monkeypatch.setattr(Preferences, "save_geometry", locked)
    move = Mover(arm, turn=0.8, scale=0.3)
    acting.window.close()
    assert moved == [False]
    assert move.ended().status is StepStatus.HALTED


def test_that_sigterm_stops_the_arm_though_the_screen_stands_still(
    acting: Driver, arm: Arm, bench: Bench
) -> None:
    move = Mover(arm, turn=0.8, scale=0.3)
    with OsSignalListener(acting.console.signalled):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1.0)  # a slot that takes long
        assert not bench.moving
        acting.until(lambda: not acting.window.isVisible())
    assert move.ended().status is StepStatus.HALTED
