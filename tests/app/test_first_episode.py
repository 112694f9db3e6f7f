"""A newcomer's first episode: slower, and paused once where a picture contradicts the plan."""

from __future__ import annotations

from PySide6.QtCore import Qt

from app.welcome import LESSON, PACE, SEED, contradicts, slowed
from core.belief import Atom, Contradiction
from core.config import Settings
from core.events import BeliefChanged
from core.planning_model import Plan, PlanStatus
from tests.app.conftest import Opened


def test_that_only_the_programs_own_first_episode_is_slowed() -> None:
    assert slowed(Settings(pace=1.0)).pace == PACE
    assert slowed(Settings(pace=3.0)).pace == 3.0
    assert slowed(Settings(robot="ur5e", pace=1.0)) == Settings(robot="ur5e", pace=1.0)
    assert slowed(Settings()).seed == SEED and slowed(Settings(seed=3)).seed == 3


def test_that_a_contradiction_is_what_pauses() -> None:
    odd = Contradiction((Atom("closed", ("microwave",)),), "predicted no, now yes")
    assert contradicts(BeliefChanged(1, (), (odd,))) is LESSON
    assert not contradicts(BeliefChanged(1, ()))


def test_that_it_pauses_once_says_why_and_goes_on_with_enter(opened: Opened) -> None:
    at = opened(preset="", task="halve_egg", openness=1.0, seed=3)
    at.ready()
    at.key(Qt.Key.Key_Return)
    at.until(lambda: at.controller.lesson)
    assert at.window.decision.views[2].reason == LESSON
    assert at.window.actions_["approve"].text() == "Resume"
    steps = at.state.counts.steps
    at.qtbot.wait(300)
    assert at.state.counts.steps == steps, "nothing moves meanwhile"
    at.key(Qt.Key.Key_Return)
    assert at.over().counts.steps > steps and not at.controller.lesson
    at.controller.prepare(at.controller.settings)
    assert at.controller.session._pause_at is None, "the next episode has no pause"


def test_that_what_was_approved_on_the_sheet_is_done_in_the_scene_that_was_seen(opened: Opened) -> None:
    at, seen = opened(preset=""), Settings("berry_2", "tabletop-wishes", pictures=False)
    at.console._do_wish(seen, Plan(PlanStatus.FOUND))
    assert at.controller.session.settings == seen
