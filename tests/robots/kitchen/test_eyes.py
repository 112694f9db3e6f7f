"""The names of the eye's poses, and the judgement of steps."""

from __future__ import annotations

from itertools import combinations, pairwise
from threading import Timer
from typing import Any

import numpy as np
import pytest

from core.errors import Cancelled
from core.planning import domain_library
from core.planning.planner import make_planner
from core.stop_token import StopToken
from robots.kitchen.household.body import PoseNames, same_pose
from robots.kitchen.household.household_robot import SIDE_VIEWPOINTS
from robots.kitchen.robot import KitchenRobot
from tests.permitted import do, look_from
from tests.robots.kitchen.conftest import TASK_SAMPLE, TASKS, KitchenHarness, Make


@pytest.fixture
def boil(home: Any) -> Any:
    """The household of boil_water in which nothing goes wrong."""
    return home("boil_water", openness=0)


def test_that_the_eye_goes_with_find_and_with_nothing_else(boil: Any) -> None:
    cabinet, mug = boil.one("cabinet"), boil.one("mug")
    names = [boil.world.viewpoint]
    for action, *things in (
        ("find", cabinet), ("openit", cabinet), ("find", mug), ("graspin", mug, cabinet), ("find", cabinet)
    ):  # fmt: skip
        boil.went_well(action, *things)
        names.append(boil.world.viewpoint)
    assert names == ["at the start", "at cabinet", "at cabinet", "at mug", "at mug", "at cabinet, time 2"]


def test_that_what_cannot_be_done_leaves_the_eye_alone(boil: Any) -> None:
    assert boil.do("graspin", boil.one("mug"), boil.one("cabinet")).failed_constraint
    assert boil.world.viewpoint == "at the start"


def test_that_a_find_that_does_not_arrive_leaves_the_eye_alone(home: Any) -> None:
    rates = {"no free space near the object": 1.0, "the object is not in view": 0, "the held object drops": 0}
    house = home("boil_water", openness=1, rates=rates)
    house.do("find", house.one("cabinet"))
    assert house.world.viewpoint == "at the start"


def test_that_a_find_that_arrives_but_looks_beside_it_has_a_name_of_its_own(home: Any) -> None:
    rates = {"no free space near the object": 0, "the object is not in view": 1.0, "the held object drops": 0}
    house = home("boil_water", openness=1, rates=rates)
    house.do("find", house.one("cabinet"))
    assert house.world.viewpoint == "past cabinet"


def test_that_a_pose_keeps_its_name_and_a_new_one_gets_another() -> None:
    poses = PoseNames()
    at, aside, back = (1.0, 0.5, 0.2, 0.3), (1.0, 0.502, 0.2, 0.3), (1.0004, 0.4996, 0.2 + 2 * np.pi, 0.3003)
    assert poses.name(at, "at mug") == "at mug"
    assert poses.name(aside, "at mug") == "at mug, aside"
    assert poses.name(back, "at mug, time 2") == "at mug"
    assert poses.name((1.0, 0.5, 0.2, 0.302), "at mug") == "at mug, aside 2"


def camera_of(home: KitchenHarness) -> tuple[float, ...]:
    """Where the drawn camera truly is and looks: metres, and its axis."""
    data, eye = home.body.sim.data, home.body.sim.model.camera("eye").id
    return (*data.cam_xpos[eye], *data.cam_xmat[eye].reshape(3, 3)[:, 2])


def names_along(home: KitchenHarness, steps: int, seed: int) -> list[tuple[str, str, tuple[float, ...]]]:
    """At each look: the pose's name, the world's word for it, and where the camera is."""
    poses = PoseNames()
    looks = [(poses.name(home.body.camera_pose, home.world.viewpoint), home.world.viewpoint, camera_of(home))]
    for step in home.random_steps(steps, seed):
        home.do(step)
        looks.append(
            (poses.name(home.body.camera_pose, home.world.viewpoint), home.world.viewpoint, camera_of(home))
        )
    return looks


def untrue(looks: list[tuple[str, tuple[float, ...]]]) -> list[tuple[str, str]]:
    """Every two looks that have one name and two poses, or two names and one pose."""
    found = []
    for (one, here), (other, there) in combinations(looks, 2):
        apart = np.abs(np.subtract(here, there)).max()
        if apart > 0.003 if one == other else apart < 0.0003:
            found.append((one, other))
    return found


@pytest.mark.parametrize("task", TASK_SAMPLE)
def test_that_the_same_name_is_the_same_pose_of_the_camera(household: Make, task: str) -> None:
    looks = names_along(household(task, seed=3, openness=1.75), 15, 3)
    assert untrue([(name, at) for name, _, at in looks]) == []


@pytest.mark.long
def test_that_names_are_poses_over_1000_steps_and_how_often_the_words_are(household: Make) -> None:
    wrong = steps = 0
    for seed in range(8):
        for task in TASKS:
            looks = names_along(household(task, seed=seed, openness=1.75), 25, seed)
            assert untrue([(name, at) for name, _, at in looks]) == []
            for (_, word, at), (_, next_word, next_at) in pairwise(looks):
                steps += 1
                wrong += (word == next_word) != bool(np.allclose(at, next_at, atol=0.0003))
    print(f"The word alone was wrong about whether the eye had moved in {wrong} of {steps} steps.")
    assert 0 < wrong < 0.05 * steps  # what the body's poses mend


@pytest.mark.long
@pytest.mark.gl
def test_that_names_and_poses_change_together_along_a_plan(needs_gl: None) -> None:
    folder, task = domain_library.load_task("boil_water")
    robot = KitchenRobot(folder, task, openness=0)
    try:
        told = [(robot.look(StopToken()).viewpoint, pose(robot))]
        for step in make_planner().plan(task.problem, StopToken()).steps:
            do(robot, step)
            told.append((robot.look(StopToken()).viewpoint, pose(robot)))
    finally:
        robot.close()
    assert len({name for name, _ in told}) == len({at for _, at in told}) == len(set(told)) > 4


def pose(robot: KitchenRobot) -> tuple[float, ...]:
    """Where the base stands, and how the head is turned."""
    assert robot._body is not None
    return tuple(np.round(robot._body.sim.joints[:4], 2))


@pytest.mark.long
@pytest.mark.gl
def test_that_from_a_side_all_that_was_in_view_is_seen_from_elsewhere(needs_gl: None, boil: Any) -> None:
    folder, task = domain_library.load_task("boil_water")
    robot = KitchenRobot(folder, task, openness=0)
    body = robot._body
    assert body is not None and robot.viewpoints == ()
    try:
        do(robot, boil.step("find", boil.one("cabinet")))
        here, home, joints = robot.look(StopToken()), pose(robot), body.sim.joints
        for side, degrees in SIDE_VIEWPOINTS.items():
            frame = look_from(robot, side)
            assert frame.viewpoint == f"at cabinet, from the {side}" and frame.id != here.id
            assert pose(robot) == home
            body.drive_aside(robot._world.state, degrees, frame.viewpoint, StopToken())
            assert pose(robot) != home and body.view_satisfied(robot._world.state)
            body.drive_back(joints)
    finally:
        robot.close()


@pytest.mark.gl
def test_that_a_halt_on_the_way_to_a_side_leaves_it_there_and_says_so(needs_gl: None, boil: Any) -> None:
    folder, task = domain_library.load_task("boil_water")
    robot = KitchenRobot(folder, task, openness=0)
    assert robot._body is not None
    try:
        do(robot, boil.step("find", boil.one("cabinet")))
        before, stood = robot.truth(), robot._body.camera_pose
        here = robot.look(StopToken()).viewpoint
        robot._body.clock.pace = 30.0
        pressing = Timer(0.5, robot.halt)
        pressing.start()
        with pytest.raises(Cancelled):
            look_from(robot, "left")
        pressing.join()
        there = robot.look(StopToken()).viewpoint
        assert there == (here if same_pose(stood, robot._body.camera_pose) else "halted")
        assert {a for a in robot.truth() ^ before if a.predicate not in ("inview", "found")} == set()
    finally:
        robot.close()


# --- judging steps ----------------------------------------------------------------------------------


def test_that_a_step_that_came_to_nothing_did_not_work_though_it_was_reported_done(home: Any) -> None:
    house = home("boil_water")
    house.went_well("find", house.one("cabinet"))
    stuck = house.again(openness=1, rates={"it does not open wide": 1.0})
    assert stuck.world.step_succeeded() is None
    happening = stuck.do("openit", stuck.one("cabinet"))
    assert (happening.situation, happening.status.value) == ("it does not open wide", "done")
    assert stuck.world.step_succeeded() is False


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize("name", ["boil_water", "cook_frozen_pie", "store_firewood"])
def test_that_every_step_of_a_plan_is_possible_and_works(home: Any, name: str, variant: str) -> None:
    house = home(name, variant=variant)
    for step in make_planner().plan(house.problem, StopToken()).steps:
        assert house.world.step_possible(step)
        house.world.do(step)
        assert house.world.step_succeeded() is True


def test_that_what_the_constraints_forbid_is_not_possible(boil: Any) -> None:
    grasp = boil.step("graspin", boil.one("mug"), boil.one("cabinet"))
    before = boil.world.state
    assert not boil.world.step_possible(grasp)
    assert boil.world.state is before
