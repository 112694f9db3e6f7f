"""The open world of the dining tasks: as many things and situations as in the paper, and what they do."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.errors import BadFile, UnknownName
from core.open_world.situations import hindrance, interpret_situation, random_half, task_situations
from core.open_world.world_file import load_open_world
from core.planning.domain_library import load_domain_spec
from core.planning_model import Step
from core.ports import StepStatus
from core.stop_token import StopToken
from robots.open_world.robot import OpenWorldRobot
from robots.options import OpenWorldOptions
from tests.permitted import do

DINING = load_domain_spec("dining")
WORLD = load_open_world(DINING)
TASK = DINING.tasks["serve_water"]
TABLE_3 = {
    "make_coffee": 24, "set_table": 16, "prepare_burger": 21, "clean_floor": 15, "heat_burger": 19,
    "serve_water": 15, "wash_sink": 18, "wash_cup": 15, "store_food": 17, "serve_coke": 14, "wash_plate": 16,
    "wash_glass": 12,
}  # fmt: skip


def robot(**options: object) -> OpenWorldRobot:
    return OpenWorldRobot(DINING, TASK, options=OpenWorldOptions.model_validate(options), pictures=False)


def test_that_there_are_as_many_things_and_situations_as_in_the_paper() -> None:
    assert len(set(WORLD.kinds_of_things())) == 86
    assert {name: len(task_situations(WORLD, name)) for name in DINING.tasks} == TABLE_3


@pytest.mark.parametrize("name", DINING.tasks)
def test_that_every_situation_can_arise_in_its_task(name: str) -> None:
    from core.planning.planner import make_planner

    steps = make_planner().plan(DINING.tasks[name].problem, StopToken()).steps
    for s in task_situations(WORLD, name):
        assert any(step.name == s.action and (not s.object or s.object in step.args) for step in steps), s


def test_that_half_of_the_things_are_at_hand_the_same_for_the_same_seed() -> None:
    assert len(robot().stock()) == 43 and robot().stock() == robot().stock()
    assert random_half(WORLD.kinds_of_things(), 1) != random_half(WORLD.kinds_of_things(), 2)


def test_that_what_is_at_hand_can_be_chosen_by_a_part_of_its_name() -> None:
    assert [item.kind for item in robot(stock="bowl,dishwasher").stock()] == ["dish_bowl", "dishwasher"]
    with pytest.raises(UnknownName, match="no thing named 'spaceship'"):
        robot(stock="spaceship")


def test_that_a_situation_is_perceived_in_words_and_hinders_its_action() -> None:
    made = robot(situation="the cup is broken", stock="mug")
    assert made.situations() == ("the cup is broken",)
    find, grasp = (
        Step("find", ("robot_1", "cup_1", "kitchen")),
        Step("grasp", ("robot_1", "cup_1", "kitchen")),
    )
    assert do(made, find).status is StepStatus.DONE
    result = do(made, grasp)
    assert result.status is StepStatus.FAILED and result.detail == "the cup is broken"


def test_that_a_thing_at_hand_is_sensed_once_it_is_in_use() -> None:
    made = robot(situation="the cup is green", stock="mug")
    assert not any("mug_1" in atom.args for atom in made.sense())
    do(made, Step("find", ("robot_1", "mug_1", "kitchen")))
    assert any("mug_1" in atom.args and holds for atom, holds in made.sense().items())


def test_that_a_sentence_of_a_persons_own_is_understood_by_its_words() -> None:
    def told(sentence: str) -> tuple[str, str]:
        meant = interpret_situation(WORLD, DINING, TASK.problem, "serve_water", sentence)
        return meant.object, meant.kind

    assert told("the cup is cracked") == ("cup_1", "broken")
    assert told("the cup is green") == ("cup_1", "")
    dirty = interpret_situation(WORLD, DINING, TASK.problem, "serve_water", "the cup is dirty")
    assert hindrance(WORLD, dirty, "fill", ("cup_1",)) == "spoils"
    assert not hindrance(WORLD, dirty, "grasp", ("cup_1",))


def test_that_a_situation_that_names_what_there_is_not_is_an_error_of_the_file(tmp_path: Path) -> None:
    from dataclasses import replace

    (tmp_path / "open_world.toml").write_text(
        '[kinds.dirty]\neffect = "spoils"\n'
        '[tasks.serve_water]\nsituations = [["fill", "moon", "dirty", "no"]]\n'
    )
    with pytest.raises(BadFile, match=r"tasks\.serve_water: 'no' names"):
        load_open_world(replace(DINING, path=tmp_path))
