"""What every robot must keep to, for the table in physics, whose steps take a moment each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from threading import Timer

import pytest

from core.belief import Atom
from core.errors import BadValue, MotionRefused, RobotNotReady
from core.permit import PermitKind
from core.planning.domain_library import load_domain_spec, load_task
from core.planning_model import Step
from core.ports import Embodiment, GroundTruth, StepStatus, StepTruth
from core.scene import ProvidesScene
from core.stop_token import StopToken
from robots.options import TableFaults
from robots.table.robot import TableRobot
from tests.permitted import authority_of, do

SPEC = load_domain_spec("tabletop-wishes")
PICK, PLACE = Step("pick", ("strawberry",)), Step("place_ontop", ("strawberry", "light_grey_region"))
HELD, EMPTY = Atom("holding", ("strawberry",)), Atom("handempty")


@pytest.fixture
def robot() -> Iterator[TableRobot]:
    made = TableRobot(SPEC, SPEC.tasks["berry_1"], seed=1, pictures=False)
    yield made
    made.close()


def test_that_it_finds_the_motions_of_a_step_that_brings_none(robot: TableRobot) -> None:
    assert robot.embodiment is Embodiment.SIM
    assert (
        isinstance(robot, GroundTruth) and isinstance(robot, StepTruth) and isinstance(robot, ProvidesScene)
    )
    assert robot.step_possible(PICK) and robot.step_succeeded() is None
    assert do(robot, PLACE).status is StepStatus.FAILED
    assert do(robot, PICK).status is StepStatus.DONE and robot.step_succeeded()
    assert HELD in robot.truth() and robot.sense()[HELD] and not robot.sense()[EMPTY]
    assert do(robot, PICK).detail == "the hand holds strawberry"
    assert do(robot, PLACE).status is StepStatus.DONE
    assert {EMPTY, Atom("on", PLACE.args), Atom("achieved")} <= robot.truth()


def test_that_it_begins_where_a_sheet_says_of_this_task_and_refuses_what_is_no_start() -> None:
    for start, x in (
        ({"berry_1": {"strawberry": (0.4, 0.2, 0.017, 0, 0, 0)}}, 0.4),
        ({"citrus": {"lemon": (0.4, 0.2, 0.017, 0, 0, 0)}}, None),
    ):
        robot = TableRobot(
            SPEC, SPEC.tasks["berry_1"], pictures=False, faults=TableFaults(start=json.dumps(start))
        )
        here = {thing.name: thing.pose for thing in robot.scene().things}["strawberry"]
        assert (x is not None) == (here[:2] == pytest.approx((0.4, 0.2), abs=0.003))
        robot.close()
    for wrong in ("{", '{"berry_1": {"plum": [0, 0, 0, 0, 0, 0]}}', '{"berry_1": {"strawberry": [1e9]}}'):
        with pytest.raises(BadValue, match="option start"):
            TableRobot(SPEC, SPEC.tasks["berry_1"], pictures=False, faults=TableFaults(start=wrong))


def test_that_a_stop_ends_a_step_in_the_middle_and_stays_until_its_release(robot: TableRobot) -> None:
    first = robot.truth()
    Timer(0.1, robot.halt).start()
    moves = (("wait", 1000.0),)
    assert do(robot, replace(PICK, values={"moves": moves})).status is StepStatus.HALTED
    assert do(robot, PICK).status is StepStatus.HALTED and robot.truth() == first
    robot.release_stop(1)
    cancel = StopToken()
    cancel.end("closed")
    assert do(robot, PICK, cancel).status is StepStatus.HALTED
    assert do(robot, PICK).status is StepStatus.DONE


def test_that_nothing_moves_without_a_permit_for_just_this_step(robot: TableRobot) -> None:
    with authority_of(robot.permits) as authority:
        permit = authority.issue(PermitKind.STEP, PICK, authority.last_stop, 1, "a person")
        with pytest.raises(MotionRefused):
            robot.do(replace(PICK, values={"moves": (("wait", 0.1),)}), permit, StopToken())
        with pytest.raises(MotionRefused):
            robot.do(PICK, permit, StopToken())  # its number is used up


def test_that_it_is_closed_and_refuses_what_it_does_not_know(robot: TableRobot) -> None:
    robot.close()
    robot.close()
    with pytest.raises(RobotNotReady, match="The table is closed"):
        robot.look(StopToken())
    folder, task = load_task("boil_water")
    with pytest.raises(BadValue, match="The table knows the domain tabletop-wishes only"):
        TableRobot(folder, task)
    with pytest.raises(BadValue, match="there_is_none"):
        TableRobot(SPEC, replace(SPEC.tasks["berry_1"], name="there_is_none"))
