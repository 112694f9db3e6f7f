"""Where the symbolic robot's eye is, and how its steps are judged."""

from __future__ import annotations

from threading import Timer
from time import monotonic

import pytest

from core.errors import Cancelled
from core.planning import domain_library
from core.planning_model import Step
from core.stop_token import StopToken
from robots.symbolic.robot import INITIAL_VIEWPOINT, SymbolicRobot
from tests.core.planning.walks import random_walk
from tests.permitted import do, look_from

AGENT, ROOM = "agent-n-01_1", "kitchen_1"
MUG, CABINET = "mug-n-04_1", "cabinet-n-01_1"
FIND = Step("find", (AGENT, CABINET, ROOM))
OPEN = Step("openit", (AGENT, CABINET, ROOM))


def robot(**options: object) -> SymbolicRobot:
    return SymbolicRobot(*domain_library.load_task("boil_water"), pictures=False, **options)  # type: ignore[arg-type]


def view(robot: SymbolicRobot) -> str:
    return robot.look(StopToken()).viewpoint


def test_that_the_eye_goes_with_the_actions_that_the_folder_marks_and_is_named_after_the_thing() -> None:
    calm = robot(openness=0)
    assert view(calm) == INITIAL_VIEWPOINT
    do(calm, FIND)
    assert view(calm) == "at cabinet"
    do(calm, OPEN)
    assert view(calm) == "at cabinet"
    do(calm, Step("find", (AGENT, MUG, ROOM)))
    assert view(calm) == "at mug"
    do(calm, FIND)
    assert view(calm) == "at cabinet"  # the same pose once more


def test_that_an_eye_that_does_not_arrive_stays() -> None:
    rates = {
        "no free space near the object": 1.0,
        "the object is not in view": 0.0,
        "the held object drops": 0.0,
    }
    stuck = robot(rates=rates)
    do(stuck, FIND)
    assert stuck.situation == "no free space near the object"
    assert view(stuck) == INITIAL_VIEWPOINT
    assert stuck.step_succeeded() is False


def test_that_where_no_action_is_marked_the_eye_never_moves() -> None:
    folder = domain_library.load_domain_spec("tests/fixtures/domains/gripper")
    task = next(iter(folder.tasks.values()))
    bare = SymbolicRobot(folder, task, pictures=False)
    for step in random_walk(task.problem, 10, seed=1):
        do(bare, step)
        assert bare.step_succeeded() is True
        assert view(bare) == INITIAL_VIEWPOINT


def test_that_from_a_side_the_same_facts_are_seen() -> None:
    painted = SymbolicRobot(*domain_library.load_task("boil_water"), openness=0)
    do(painted, FIND)
    here = painted.look(StopToken())
    left, right = (look_from(painted, side) for side in painted.viewpoints)
    assert (left.viewpoint, right.viewpoint) == ("at cabinet, from the left", "at cabinet, from the right")
    assert here.png == left.png == right.png


def test_that_a_halt_ends_a_look_from_a_side_on_the_way() -> None:
    slow = robot(pace=30.0)
    began, pressing = monotonic(), Timer(0.1, slow.halt)
    pressing.start()
    with pytest.raises(Cancelled):
        look_from(slow, "left")
    pressing.join()
    assert monotonic() - began < 10
    assert view(slow) == INITIAL_VIEWPOINT


def test_that_a_step_that_cannot_be_done_has_not_worked() -> None:
    calm = robot(openness=0)
    assert not calm.step_possible(OPEN)
    do(calm, OPEN)
    assert calm.step_succeeded() is False
    do(calm, FIND)
    assert calm.step_succeeded() is True and calm.step_possible(OPEN)
