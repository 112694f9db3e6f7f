"""A stop is called measured when the arm's own data say that it stands, and not before."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt

import main
from app.widgets.bars.stop_button import stop_progress
from core.arm.arm_capabilities import ReportsStandstill
from core.config import ComponentFactory, EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.supervision import WATCH, SupervisionLevels
from robots.symbolic.robot import SymbolicRobot
from tests.app.conftest import Driver, Opened

Told = Callable[[int, float | None], None]


class Eye:
    """What an arm sees of its own standing, as the test says."""

    def __init__(self) -> None:
        self.told: list[Told] = []

    def sees(self, halt: int, seconds: float | None) -> None:
        for told in self.told:
            told(halt, seconds)


@pytest.fixture
def eye() -> Eye:
    return Eye()


def with_robot(kind: type[SymbolicRobot]) -> ComponentFactory:
    """The program's own parts, with this robot."""

    def make(
        settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
    ) -> EpisodeComponents:
        parts = main.make_components(settings, notify)
        parts.robot.__class__ = kind
        return parts

    return make


@pytest.fixture
def moving(opened: Opened, eye: Eye) -> Driver:
    class Eyed(SymbolicRobot):
        """A class of its own: what Python has once found to be a Standstill stays one."""

        def on_standstill(self, told: Told) -> None:
            eye.told.append(told)

    at = opened(make=with_robot(Eyed), preset="Watch", pace=30.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    assert at.controller.session.components is not None
    assert isinstance(at.controller.session.components.robot, ReportsStandstill)
    return at


def test_that_a_stop_is_measured_when_the_arm_sees_that_it_stands(moving: Driver, eye: Eye) -> None:
    moving.key(Qt.Key.Key_Escape)
    moving.phase(Phase.STOPPED)
    stop = moving.state.stop
    assert stop is not None
    assert stop.seconds is None, "the loop's word is not the arm's"
    assert moving.window.top.stop.phase != "stopped"
    eye.sees(stop.number, 0.1)
    moving.until(lambda: moving.window.top.stop.phase == "stopped")


def test_that_loss_of_data_is_not_taken_for_standing(moving: Driver, eye: Eye) -> None:
    moving.key(Qt.Key.Key_Escape)
    moving.phase(Phase.STOPPED)
    stop = moving.state.stop
    assert stop is not None
    eye.sees(stop.number, None)
    moving.until(lambda: any("unknown whether the arm stands" in note.text for note in moving.state.notices))
    moving.until(lambda: stop_progress(moving.state) == ("requested", "no answer"))
    assert moving.window.top.stop.phase == "requested"
    eye.sees(stop.number, 7.0)  # the data are back
    moving.until(lambda: moving.window.top.stop.phase == "stopped")


def test_that_an_arm_that_stood_before_the_stop_was_logged_is_measured(moving: Driver, eye: Eye) -> None:
    moving.key(Qt.Key.Key_Escape)
    moving.phase(Phase.STOPPED)
    first = moving.state.stop
    assert first is not None
    eye.sees(first.number + 1, 0.0)  # faster than the press is handled
    moving.key(Qt.Key.Key_Escape)
    moving.until(lambda: moving.state.stop is not None and moving.state.stop.number > first.number)
    moving.until(lambda: moving.window.top.stop.phase == "stopped")


def test_that_closing_the_window_leaves_an_arm_to_whom_it_belongs(opened: Opened) -> None:
    """A stop that a person presses is asked of it; the end of the program is not."""
    asked: list[str] = []

    class Watched(SymbolicRobot):
        def halt(self) -> int:
            asked.append("stop")
            return super().halt()

        def halt_if_in_control(self) -> int:
            asked.append("leave")
            return super().halt()

    at = opened(make=with_robot(Watched), preset="Watch", pace=30.0)
    at.start("Watch")
    at.phase(Phase.ACTING)
    at.key(Qt.Key.Key_Escape)
    at.phase(Phase.STOPPED)
    assert asked == ["stop"]
    at.controller.session.close("the window was closed")
    assert at.controller.session.join(10)
    assert asked.count("stop") == 1
    assert "leave" in asked
