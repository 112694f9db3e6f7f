"""A grasp that is offered, drawn, pointed at and taken: a whole turn on the emulated arm, in the window."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from app.widgets.arm.grasp_overlay import GraspOverlay, fits, hit
from app.widgets.camera.picture_view import PictureView, fitted
from core.arm.step_candidates import StepCandidate, best_step
from core.config import Settings
from core.episode_state import EpisodeState, Phase
from core.errors import RobotError
from core.events import ActionProposed
from core.log.codec import read_event, write_event
from core.operator import Proposal, ProposalKind
from core.planning_model import Step
from robots.ur5e.emulator.process import start_emulator
from robots.ur5e.tabletop.hardware import ARM_ENV
from tests.app.conftest import Opened

PICK = Step("pick", ("robot", "toy"))


def option(label: str, x: float, score: float = 0.5, why: str = "") -> StepCandidate:
    step = dataclasses.replace(PICK, values={"grasp": (x, 0.0, 0.0, 0.0, 0.03, score)})
    return StepCandidate(label, step, score, why, "overhead", (640, 480), (x - 10, 100, x + 10, 100))


def test_that_a_proposal_with_options_survives_the_log_values_and_all() -> None:
    proposal = Proposal(
        3, 2, ProposalKind.STEP, PICK, candidates=(option("grasp 1", 50), option("grasp 2", 90, 0.2, "no"))
    )
    event = ActionProposed(proposal)
    back = read_event("ActionProposed", write_event(event))
    assert isinstance(back, ActionProposed)
    assert back == event
    assert [dict(o.step.values) for o in back.proposal.candidates] == [
        dict(o.step.values) for o in proposal.candidates
    ]


def test_that_an_old_log_without_options_is_read() -> None:
    form = json.loads(write_event(ActionProposed(Proposal(3, 2, ProposalKind.STEP, PICK))))
    form["proposal"].pop("options", None)
    back = read_event("ActionProposed", json.dumps(form))
    assert isinstance(back, ActionProposed)
    assert back.proposal.candidates == ()


def test_that_what_is_done_by_default_is_the_best_that_can_be_done() -> None:
    assert best_step(()) is None
    assert best_step((option("1", 5, 0.9, "blocked"), option("2", 7))) == PICK
    chosen = best_step((option("1", 5, 0.9, "blocked"), option("2", 7)))
    assert chosen is not None and chosen.values["grasp"][0] == 7  # type: ignore[index]


def test_that_a_click_finds_the_option_near_it() -> None:
    ways = (option("1", 50), option("2", 90))
    assert hit(ways, 86, 103) is ways[1]
    assert hit(ways, 300, 300) is None
    assert not fits(ways[0], QImage(256, 256, QImage.Format.Format_RGB888))


def test_that_of_grasps_that_cross_each_can_be_had_by_clicking_on() -> None:
    across = dataclasses.replace(option("2", 50), line=(50, 90, 50, 110))
    ways = (option("1", 50), across)
    first = hit(ways, 50, 100)
    assert first is ways[0]
    assert hit(ways, 50, 100, last=first) is across
    assert hit(ways, 50, 100, last=across) is ways[0]
    assert hit(ways, 50, 109) is across, "its own end belongs to it alone"


def waiting(*options: StepCandidate) -> EpisodeState:
    return EpisodeState(
        proposal=Proposal(3, 2, ProposalKind.STEP, PICK, candidates=options), phase=Phase.WAITING
    )


def test_that_what_cannot_be_done_is_shown_with_its_reason_and_the_one_before_stays_taken() -> None:
    live, offer = QImage(640, 480, QImage.Format.Format_RGB888), GraspOverlay()
    good, bad, better = (
        option("1", 50),
        option("2", 90, why="a finger would meet something"),
        option("3", 200),
    )
    state = waiting(good, better, bad)
    assert offer.visible_options(state, live, "overhead") == ((good, better, bad), good)
    assert offer.choose_at(state, 90, 100, 1.0)
    here, taken = offer.visible_options(state, live, "overhead")
    assert taken is good, "nothing else was taken"
    assert (here[-1].label, here[-1].unavailable_reason) == ("yours", bad.unavailable_reason)
    assert offer.chosen_step(state.proposal) is None, "so the first one is done, as it is drawn"
    assert offer.choose_at(state, 200, 100, 1.0)
    assert offer.choose_at(state, 90, 100, 1.0)
    assert offer.visible_options(state, live, "overhead")[1] is better
    assert offer.chosen_step(state.proposal) is better.step
    assert state.proposal is not None
    later = dataclasses.replace(state.proposal, number=4)
    assert offer.chosen_step(later) is None, "another proposal is another choice"


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    process = start_emulator("tabletop", 3)
    monkeypatch.setenv(ARM_ENV, process.address)
    yield process.address
    process.close()


@pytest.mark.gl
@pytest.mark.long
def test_that_a_person_points_at_another_grasp_and_it_is_the_one_that_is_done(
    opened: Opened, emulator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.app.conftest.PATIENCE", 90_000)  # a whole motion of the arm, on a busy machine
    settings = Settings(task="collect_eggplant", robot="ur5e", answerer="perfect", seed=3, openness=0.0)
    try:
        driver = opened(settings, preset="Approve")
        driver.until(lambda: driver.controller.session.components is not None)
    except RobotError as error:
        pytest.skip(str(error))
    driver.start()
    camera = driver.window.camera
    driver.pass_until(lambda: driver.state.proposal and driver.state.proposal.candidates)
    driver.phase(Phase.WAITING)
    proposal = driver.state.proposal
    assert proposal is not None
    assert proposal.step is not None and proposal.step.name == "pick"
    driver.until(lambda: camera.picture._options)
    other = next(o for o in reversed(proposal.candidates) if not o.unavailable_reason)
    assert camera.grasp_overlay.chosen_step(proposal) is None
    _click(camera.picture, other)
    taken = camera.grasp_overlay.chosen_step(proposal)
    assert taken is not None and dict(taken.values) == dict(other.step.values)
    driver.do("approve")
    done = lambda: driver.state.acting or picked(driver.state)  # noqa: E731
    driver.until(done)  # a motion that late data halt at once is over before it is seen
    assert dict(done().values) == dict(other.step.values)
    driver.controller.stop()
    driver.until(lambda: driver.state.acting is None)


def picked(state: EpisodeState) -> Step | None:
    """The pick that was done last."""
    return (
        state.last_step.step if state.last_step is not None and state.last_step.step.name == "pick" else None
    )


def _click(picture: PictureView, way: StepCandidate) -> None:
    assert picture.image is not None
    area = fitted(picture.image, picture.width(), picture.height())
    k = area.width() / picture.image.width()
    x, y = (way.line[i] * k for i in (0, 1))  # at a finger: in the middle others may cross it
    at = QPoint(round(area.x() + x), round(area.y() + y))
    QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=at)
