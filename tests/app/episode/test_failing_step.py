"""A step that keeps failing stops a window that lets everything pass, and says what was tried."""

from __future__ import annotations

import os
from collections.abc import Callable

import pytest
from PySide6.QtWidgets import QApplication

import main
from app.theme import styling
from app.theme.styling import ColourMode
from core.config import EpisodeComponents, Settings, ignore
from core.episode_state import Phase
from core.permit import Permit
from core.planning_model import Step
from core.ports import StepResult, StepStatus
from core.stop_token import StopToken
from core.supervision import WATCH, SupervisionLevels
from robots.symbolic.robot import SymbolicRobot
from tests.app.conftest import Opened

STUCK = "the gripper was empty"


class Stuck(SymbolicRobot):
    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        return StepResult(StepStatus.FAILED, STUCK)


def make(
    settings: Settings, notify: Callable[[str], None] = ignore, supervision: SupervisionLevels = WATCH
) -> EpisodeComponents:
    parts = main.make_components(settings, notify)
    parts.robot.__class__ = Stuck
    return parts


@pytest.mark.parametrize("mode", list(ColourMode)[:2])
def test_that_the_window_says_what_was_tried_and_waits(again: Opened, mode: ColourMode) -> None:
    at = again(make=make, preset="Watch")
    at.start()
    state = at.phase(Phase.WAITING)
    assert state.proposal is not None
    assert state.proposal.failing is not None
    assert state.proposal.failing.count == 3
    assert state.counts.steps == 3
    step, because = at.window.decision.views[:2]
    at.until(lambda: "failed 3 times" in because.reason.head)
    assert because.reason.head == "Find the cabinet failed 3 times"
    assert because.reason.lines[0] == "The gripper was empty"
    assert step.reason.word.startswith("NEEDS YOU")
    if out := os.environ.get("RENDERED"):
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        styling.apply(app, mode)
        at.window.resize(1280, 800)
        app.processEvents()
        at.window.decision.grab().save(f"{out}/failing_{mode.value}.png")
        at.window.grab().save(f"{out}/failing_window_{mode.value}.png")
        styling.apply(app, ColourMode.LIGHT)
    at.do("approve")
    at.until(lambda: at.state.counts.steps > 3)


@pytest.mark.long
def test_that_0_lets_it_run_to_the_step_limit(again: Opened) -> None:
    at = again(make=make, preset="Watch", failure_limit=0, max_steps=5)
    at.start()
    assert at.over().counts.steps == 5
