"""A grasp that is offered, drawn, pointed at and taken: a whole turn on the emulated arm, in the window."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from app.widgets.arm_options import fits, hit
from app.widgets.picture import Picture, fitted
from core.config import Settings
from core.deciding import Need, Proposal
from core.errors import RobotError
from core.events import Proposed
from core.log.codec import read_event, write_event
from core.options import Option, best
from core.problem import Step
from core.story import Phase
from robots.ur5e.emulator.process import started
from robots.ur5e.tabletop.rig import ARM
from tests.app.conftest import Opened

PICK = Step("pick", ("robot", "toy"))


def option(label: str, x: float, score: float = 0.5, why: str = "") -> Option:
    step = dataclasses.replace(PICK, values={"grasp": (x, 0.0, 0.0, 0.0, 0.03, score)})
    return Option(label, step, score, why, "overhead", (640, 480), (x - 10, 100, x + 10, 100))


def test_that_a_proposal_with_options_survives_the_log_values_and_all() -> None:
    proposal = Proposal(
        3, 2, Need.STEP, PICK, options=(option("grasp 1", 50), option("grasp 2", 90, 0.2, "no"))
    )
    event = Proposed(proposal)
    back = read_event("Proposed", write_event(event))
    assert isinstance(back, Proposed)
    assert back == event
    assert [dict(o.step.values) for o in back.proposal.options] == [
        dict(o.step.values) for o in proposal.options
    ]


def test_that_an_old_log_without_options_is_read() -> None:
    form = json.loads(write_event(Proposed(Proposal(3, 2, Need.STEP, PICK))))
    form["proposal"].pop("options", None)
    back = read_event("Proposed", json.dumps(form))
    assert isinstance(back, Proposed)
    assert back.proposal.options == ()


def test_that_what_is_done_by_default_is_the_best_that_can_be_done() -> None:
    assert best(()) is None
    assert best((option("1", 5, 0.9, "blocked"), option("2", 7))) == PICK
    chosen = best((option("1", 5, 0.9, "blocked"), option("2", 7)))
    assert chosen is not None and chosen.values["grasp"][0] == 7  # type: ignore[index]


def test_that_a_click_finds_the_option_near_it() -> None:
    ways = (option("1", 50), option("2", 90))
    assert hit(ways, 86, 103, 14) is ways[1]
    assert hit(ways, 300, 300, 14) is None
    assert not fits(ways[0], QImage(256, 256, QImage.Format.Format_RGB888))


@pytest.fixture
def emulator(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    process = started("tabletop", 3)
    monkeypatch.setenv(ARM, process.address)
    yield process.address
    process.close()


@pytest.mark.gl
def test_that_a_person_points_at_another_grasp_and_it_is_the_one_that_is_done(
    opened: Opened, emulator: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tests.app.conftest.PATIENCE", 90_000)  # a whole motion of the arm, on a busy machine
    settings = Settings(task="collect_eggplant", robot="ur5e", seed=3, openness=0.0)
    try:
        driver = opened(settings, preset="Approve")
        driver.until(lambda: driver.desk.session.parts is not None)
    except RobotError as error:
        pytest.skip(str(error))
    driver.start()
    camera = driver.window.camera
    driver.pass_until(lambda: driver.story.proposal and driver.story.proposal.options)
    driver.phase(Phase.WAITING)
    proposal = driver.story.proposal
    assert proposal is not None
    assert proposal.step is not None and proposal.step.name == "pick"
    driver.until(lambda: camera.picture._options)
    other = next(o for o in reversed(proposal.options) if not o.reason_not)
    assert camera.offer.taken(proposal) is None
    _click(camera.picture, other)
    taken = camera.offer.taken(proposal)
    assert taken is not None and dict(taken.values) == dict(other.step.values)
    driver.do("approve")
    driver.until(lambda: driver.story.acting is not None)
    assert driver.story.acting is not None
    assert dict(driver.story.acting.values) == dict(other.step.values)
    driver.until(lambda: driver.story.acting is None)


def _click(picture: Picture, way: Option) -> None:
    assert picture.image is not None
    area = fitted(picture.image, picture.width(), picture.height())
    k = area.width() / picture.image.width()
    x, y = ((way.line[i] + way.line[i + 2]) / 2 * k for i in (0, 1))
    at = QPoint(round(area.x() + x), round(area.y() + y))
    QTest.mouseClick(picture, Qt.MouseButton.LeftButton, pos=at)
