"""Table 1's hidden constraints: a violated one fails the action and changes nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from core.planning_model import Step
from core.ports import StepStatus

MUG, CABINET, SINK = "mug-n-04_1", "cabinet-n-01_1", "sink-n-01_1"
MICROWAVE, FLOOR, AGENT = "microwave-n-02_1", "floor-n-01_1", "agent-n-01_1"
KNIFE, EGG, COUNTER = "carving_knife-n-01_1", "hard__boiled_egg-n-01_1", "countertop-n-01_1"

Made = Callable[..., "Home"]  # noqa: F821  (the driver in tests/robots/conftest.py)


@pytest.fixture(params=["repaired", "printed"])
def made(request, home) -> Made:
    """Constraints are the world's, whichever variant the agent plans with."""
    return lambda task, **options: home(task, variant=request.param, **options)


def refused(home, action: str, *things: str) -> str:
    """The reason, after checking that nothing at all has changed."""
    before, truth = home.world.state, home.world.truth()
    happening = home.do(action, *things)
    assert not happening.succeeded
    assert happening.status is StepStatus.FAILED
    assert happening.after == before == home.world.state
    assert home.world.truth() == truth
    return happening.failed_constraint


def with_mug(home):
    home.went_well("find", CABINET)
    home.went_well("openit", CABINET)
    home.went_well("find", MUG)
    home.went_well("graspin", MUG, CABINET)
    return home


def test_that_the_held_thing_cannot_be_found(made) -> None:
    assert refused(with_mug(made("boil_water")), "find", MUG) == "the mug is in the hand"


def test_that_grasping_needs_the_thing_in_view(made) -> None:
    home = made("boil_water")
    home.went_well("find", CABINET)
    assert refused(home, "graspin", MUG, CABINET) == "the mug is not in view"


def test_that_what_a_closed_door_hides_cannot_come_into_view(made) -> None:
    home = made("boil_water")
    home.went_well("find", MUG)
    assert home.sees(CABINET) and not home.sees(MUG)
    assert refused(home, "graspin", MUG, CABINET) == "the mug is not in view"


def test_that_grasping_needs_an_empty_hand(made) -> None:
    home = made("halve_egg")
    home.went_well("find", KNIFE)
    home.went_well("graspon", KNIFE, COUNTER)
    home.went_well("find", EGG)
    assert refused(home, "graspon", EGG, COUNTER) == "the knife is in the hand already"


def test_that_placing_needs_the_thing_in_the_hand(made) -> None:
    home = made("boil_water")
    home.went_well("find", CABINET)
    home.went_well("openit", CABINET)
    assert refused(home, "placein", MUG, CABINET) == "the mug is not in the hand"
    home.went_well("find", FLOOR)
    assert refused(home, "place_on_floor", MUG, FLOOR) == "the mug is not in the hand"


def test_that_placing_needs_the_place_in_view(made) -> None:
    home = with_mug(made("boil_water"))
    assert refused(home, "placein", MUG, MICROWAVE) == "the microwave is not in view"
    assert refused(home, "placeon", MUG, SINK) == "the sink is not in view"
    assert refused(home, "place_on_floor", MUG, FLOOR) == "the floor is not in view"


def test_that_placing_in_needs_an_open_door(made) -> None:
    home = with_mug(made("boil_water"))
    home.went_well("find", MICROWAVE)
    assert refused(home, "placein", MUG, MICROWAVE) == "the microwave is closed or ajar"


def test_that_filling_the_sink_needs_it_in_view(made) -> None:
    assert refused(made("boil_water"), "fillsink", SINK) == "the sink is not in view"


def test_that_filling_needs_the_container_in_the_hand(made) -> None:
    home = made("boil_water")
    home.went_well("find", SINK)
    home.went_well("fillsink", SINK)
    assert refused(home, "fill", MUG, SINK) == "the mug is not in the hand"


def test_that_filling_needs_the_sink_near(made) -> None:
    home = with_mug(made("boil_water"))
    home.went_well("find", SINK)
    home.went_well("fillsink", SINK)
    home.went_well("find", MICROWAVE)
    assert refused(home, "fill", MUG, SINK) == "the sink is not near"


def test_that_filling_needs_an_empty_container(made) -> None:
    home = with_mug(made("boil_water"))
    home.went_well("find", SINK)
    home.went_well("fillsink", SINK)
    home.went_well("fill", MUG, SINK)
    home.went_well("fillsink", SINK)
    assert refused(home, "fill", MUG, SINK) == "the mug is full already"


@pytest.mark.parametrize("action", ["openit", "closeit"])
def test_that_a_door_must_be_in_view(made, action: str) -> None:
    assert refused(made("boil_water"), action, CABINET) == "the cabinet is not in view"


def test_that_what_is_turned_on_must_be_in_view(made) -> None:
    assert refused(made("boil_water"), "microwave_water", MICROWAVE, MUG) == "the microwave is not in view"


def test_that_cutting_needs_the_thing_in_view(made) -> None:
    home = made("halve_egg")
    home.went_well("find", KNIFE)
    home.went_well("graspon", KNIFE, COUNTER)
    home.went_well("find", FLOOR)
    assert refused(home, "cut_into_half", KNIFE, EGG) == "the egg is not in view"


def test_that_cutting_needs_a_knife_in_the_hand(made) -> None:
    home = made("halve_egg")
    home.went_well("find", EGG)
    assert refused(home, "cut_into_half", KNIFE, EGG) == "the knife is not in the hand"


def test_that_a_knife_cannot_cut_itself(made) -> None:
    home = made("halve_egg")
    home.went_well("find", KNIFE)
    home.went_well("graspon", KNIFE, COUNTER)
    assert refused(home, "cut_into_half", KNIFE, KNIFE) == "the knife is in the hand"


def test_that_absurd_steps_of_the_printed_domain_fail(home) -> None:
    house = with_mug(home("boil_water", variant="printed"))
    assert refused(house, "placein", MUG, MUG) == "the mug holds nothing"
    agent = Step("find", (AGENT, AGENT, "kitchen_1"))
    assert house.world.do(agent).failed_constraint == "the robot is nothing to go to"


@pytest.mark.parametrize("step", [Step("fly", (AGENT,)), Step("find", ()), Step("graspon", (AGENT,))])
def test_that_a_step_no_skill_does_fails_and_does_not_break(made, step: Step) -> None:
    happening = made("boil_water").world.do(step)
    assert happening.status is StepStatus.FAILED
    assert happening.after == happening.before
