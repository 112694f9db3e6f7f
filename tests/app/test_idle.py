"""What is said before an episode begins."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt

from app.episode.session import START_CANCELLED
from app.presentation.formatting import robot_link_text, robot_text
from app.presentation.idle_summary import idle_summary
from core.arm.arm_capabilities import RecoveryState, RecoveryStep
from core.config import EpisodeComponents, Settings
from core.episode_state import Phase
from core.permit import Permit
from core.plugins import PLUGINS_VARIABLE
from core.ports import Embodiment
from main import make_components
from tests.app.conftest import Opened

EXAMPLES = Path(__file__).parents[2] / "docs" / "examples" / "plugins"
STAYS, GOES = "nothing leaves this computer", "pictures are sent to the model"
OWN = "your own answerer decides where pictures go"


@pytest.mark.parametrize(
    ("answerer", "said"),
    [
        ("perfect", STAYS),
        ("perfect+skips", STAYS),
        ("replies.json", STAYS),
        ("openai", GOES),
        ("openai:gpt-4.1", GOES),
        ("https://example.org", GOES),
        ("perfect+openai", GOES),
        ("grid-eye", OWN),
        ("perfect + grid-eye", OWN),
        ("nobody knows it", GOES),
    ],
)
def test_that_it_says_where_pictures_go(answerer: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLUGINS_VARIABLE, str(EXAMPLES))
    strip, _ = idle_summary(Settings(answerer=answerer), None, "")
    assert strip.doubt.lines == (said,)


@pytest.mark.parametrize(
    ("settings", "text", "link"),
    [
        ({"robot": "kitchen"}, "kitchen", "local"),
        ({"robot": "remote", "robot.at": "10.0.0.2:8790"}, "remote at 10.0.0.2:8790", "network"),
    ],
)
def test_that_it_says_whether_the_robot_is_elsewhere(settings: dict[str, str], text: str, link: str) -> None:
    assert robot_text(settings) == text
    assert robot_link_text(settings, Embodiment.SIM) == link


def test_that_a_cancelled_start_is_no_fault() -> None:
    strip, status = idle_summary(Settings(), None, START_CANCELLED)
    assert (strip.because.head, strip.because.level, status.text) == ("Not started", "", START_CANCELLED)


def test_that_a_stop_before_the_start_is_said_before_the_episode_begins_with_it(again: Opened) -> None:
    at = again()
    at.ready()
    at.key(Qt.Key.Key_Escape)
    at.controller.refresh()
    said = at.window.decision.views[1].reason
    assert said.head == "A stop is in force"
    assert said.lines[0].startswith("stop: it was stopped. The episode begins")
    at.controller.prepare(at.controller.settings)
    at.ready()
    assert at.controller.session.begins_stopped()
    at.start("Watch")
    at.phase(Phase.STOPPED)
    at.console.bindings.release_stop()
    at.until(lambda: at.state.phase is not Phase.STOPPED)


class Releasable:
    """A robot whose stop a person releases at the robot, as an arm's in its panel."""

    def __init__(self, robot: object) -> None:
        self._robot, self.recovery = robot, RecoveryState("")

    def __getattr__(self, name: str) -> object:
        return getattr(self._robot, name)

    def recover(self, step: RecoveryStep, permit: Permit) -> str:
        self.recovery = RecoveryState("")
        return ""


def test_that_what_was_released_at_the_arm_is_released(opened: Opened) -> None:
    def make(*args: object) -> EpisodeComponents:
        made = make_components(*args)
        return replace(made, robot=Releasable(made.robot))

    at = opened(make=make)
    at.ready()
    at.key(Qt.Key.Key_Escape)
    session = at.controller.session
    arm = session.components.robot
    assert session.begins_stopped()  # the arm is not halted yet
    arm.recovery = RecoveryState("", halted=True)
    assert session.begins_stopped()
    arm.recover(RecoveryStep.RELEASE, None)
    assert not session.begins_stopped()
    at.start("Watch")
    at.until(lambda: at.state.last_step)
    assert at.state.stop is None and at.state.turn <= 2
