"""Steps that are one and the same to the robot: they differ in the planner's arguments only."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.planning import domain_library, semantics
from core.planning.same_skill import SameSkill
from core.planning_model import Step

A, MUG, CABINET, FLOOR, MICROWAVE = (
    "agent-n-01_1", "mug-n-04_1", "cabinet-n-01_1", "floor-n-01_1", "microwave-n-02_1"
)  # fmt: skip
FETCH = (
    Step("find", (A, CABINET, "kitchen_1")),
    Step("openit", (A, CABINET, "kitchen_1")),
    Step("find", (A, MUG, "kitchen_1")),
)


@pytest.fixture(scope="module")
def boil():
    folder, task = domain_library.load_task("boil_water")
    state = task.problem.state
    for step in FETCH:
        state = semantics.apply(task.problem, state, step)
    return SameSkill(folder, task.problem), state


def test_that_a_grasp_takes_the_thing_from_where_it_is(boil) -> None:
    skills, state = boil
    inside = Step("graspin", (A, MUG, CABINET))
    assert skills.as_possible(state, inside) == inside
    assert skills.as_possible(state, Step("graspon", (A, MUG, FLOOR))) == inside
    assert skills.as_possible(state, Step("graspin", (A, MUG, MICROWAVE))) == inside


def test_that_what_the_robot_is_told_stays_as_it_was_said(boil) -> None:
    skills, state = boil
    assert skills.as_possible(state, Step("graspin", (A, CABINET, MUG))) is None
    others = skills.same_to_robot(Step("graspin", (A, MUG, CABINET)))
    assert others
    assert {step.args[1] for step in others} == {MUG}
    assert {step.name for step in others} == {"graspin", "graspon"}


def test_that_no_step_of_the_domain_is_like_a_faulty_one(boil) -> None:
    skills, state = boil
    unknown = Step("graspin", (A, "unicorn_1", CABINET))
    for faulty in (Step("graspin", (A,)), Step("dance", (A, MUG)), unknown):
        assert skills.same_to_robot(faulty) == ()
        assert skills.as_possible(state, faulty) is None


def test_that_all_arguments_count_where_the_folder_leaves_none_to_the_planner() -> None:
    folder, task = domain_library.load_task("boil_water")
    skills = {name: replace(skill, argument_positions=None) for name, skill in folder.skills.items()}
    alike = SameSkill(replace(folder, skills=skills), task.problem)
    assert alike.same_to_robot(Step("graspin", (A, MUG, CABINET))) == ()
