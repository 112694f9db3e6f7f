"""What the household's skills do when they work, what is in view, what a picture can show, what is felt."""

from __future__ import annotations

import pytest

from core.belief import Atom
from core.errors import BadValue
from core.planning import semantics
from core.ports import StepStatus
from robots.kitchen.household.household import Household

AGENT, WATER = "agent-n-01_1", "water-n-06_1"
MUG, CABINET, SINK = "mug-n-04_1", "cabinet-n-01_1", "sink-n-01_1"
MICROWAVE, FLOOR = "microwave-n-02_1", "floor-n-01_1"
KNIFE, EGG, COUNTER = "carving_knife-n-01_1", "hard__boiled_egg-n-01_1", "countertop-n-01_1"
PIE, FRIDGE, OVEN = "pie-n-01_1", "electric_refrigerator-n-01_1", "oven-n-01_1"
BOTTLE, GARDEN = "beer_bottle-n-01_1", "floor-n-01_2"
STICKS, TABLE = ("wooden_stick-n-01_1", "wooden_stick-n-01_2"), "table-n-02_1"

PLANS = {
    "boil_water": (
        ("find", CABINET), ("openit", CABINET), ("find", MUG), ("graspin", MUG, CABINET), ("find", SINK),
        ("fillsink", SINK), ("fill", MUG, SINK), ("find", MICROWAVE), ("openit", MICROWAVE),
        ("placein", MUG, MICROWAVE), ("closeit", MICROWAVE), ("microwave_water", MICROWAVE, MUG),
    ),
    "bring_in_bottles": tuple(
        step
        for bottle in (BOTTLE, "water_bottle-n-01_1")
        for step in (("find", bottle), ("graspon", bottle, GARDEN), ("find", FLOOR),
                     ("place_on_floor", bottle, FLOOR))
    ),
    "cook_frozen_pie": (
        ("find", FRIDGE), ("openit", FRIDGE), ("find", PIE), ("graspin", PIE, FRIDGE), ("find", OVEN),
        ("openit", OVEN), ("placein", PIE, OVEN), ("heat_food_with_oven", OVEN, PIE),
    ),
    "halve_egg": (
        ("find", KNIFE), ("graspon", KNIFE, COUNTER), ("find", EGG), ("cut_into_half", KNIFE, EGG),
    ),
    "store_firewood": tuple(
        step
        for stick in STICKS
        for step in (("find", stick), ("graspon", stick, FLOOR), ("find", TABLE), ("placeon", stick, TABLE))
    ),
}  # fmt: skip


def reached(house) -> bool:
    return semantics.goal_holds(house.problem, house.world.truth())


@pytest.mark.parametrize("variant", ["repaired", "printed"])
@pytest.mark.parametrize("task", PLANS)
def test_that_the_papers_plan_reaches_the_goal_when_nothing_goes_wrong(home, task: str, variant: str) -> None:
    house = home(task, variant=variant)
    assert not reached(house)
    for step in PLANS[task]:
        house.went_well(*step)
    assert reached(house)
    assert len(PLANS[task]) == house.task.plan_length


@pytest.mark.parametrize("task", PLANS)
def test_that_the_repaired_domain_predicts_what_is_seen_or_felt_along_the_plan(home, task: str) -> None:
    house = home(task)
    for step in (house.step(*s) for s in PLANS[task]):
        believed = house.world.truth()
        assert semantics.inapplicable_reasons(house.problem, believed, step) == ()
        house.world.do(step)
        truth = house.world.truth()
        for effect in semantics.apply(house.problem, believed, step) - believed:
            assert effect in truth


@pytest.mark.parametrize("task", PLANS)
def test_that_the_world_begins_as_the_problem_says(home, task: str) -> None:
    house = home(task)
    more = house.world.truth() - house.problem.state
    assert house.world.truth() >= house.problem.state
    assert {a.predicate for a in more} <= {"onfloor"}  # the problems say "ontop" of the floor


def test_that_nothing_is_in_view_before_the_first_find(home) -> None:
    house = home("halve_egg")
    assert not any(a.predicate == "inview" for a in house.world.truth())


# --- what is in view --------------------------------------------------------------------------------


def test_that_an_open_door_shows_what_is_behind_it_and_a_closed_one_hides_it(home) -> None:
    house = home("boil_water")
    house.went_well("find", CABINET)
    assert house.sees(CABINET) and not house.sees(MUG)
    house.went_well("openit", CABINET)
    assert house.sees(MUG)
    house.went_well("closeit", CABINET)
    assert house.sees(CABINET) and not house.sees(MUG)


def test_that_a_window_shows_the_inside_but_puts_nothing_in_view(home) -> None:
    house = home("cook_frozen_pie")
    for step in PLANS["cook_frozen_pie"][:7]:
        house.went_well(*step)
    house.went_well("closeit", OVEN)
    assert not house.sees(PIE)
    assert house.world.is_observable(Atom("inside", (PIE, OVEN)))


def test_that_what_stands_together_is_seen_together(home) -> None:
    house = home("halve_egg")
    house.went_well("find", KNIFE)
    assert house.sees(KNIFE) and house.sees(EGG) and house.sees(COUNTER)


def test_that_a_floor_is_too_wide_to_see_all_of_it(home) -> None:
    house = home("store_firewood")
    house.went_well("find", STICKS[0])
    assert house.sees(STICKS[0]) and house.sees(FLOOR) and not house.sees(STICKS[1])
    house.went_well("find", FLOOR)
    assert not house.sees(STICKS[0])


def test_that_the_held_thing_is_in_view_wherever_the_eye_goes_until_it_falls(home) -> None:
    house = home("halve_egg")
    house.went_well("find", KNIFE)
    house.went_well("graspon", KNIFE, COUNTER)
    assert house.sees(KNIFE) and house.holds_in_hand(KNIFE)
    assert house.sees(EGG)  # the eye is still on the countertop
    house.went_well("find", FLOOR)
    assert house.sees(KNIFE) and not house.sees(EGG)
    rates = {"no free space near the object": 0, "the object is not in view": 0, "the held object drops": 1.0}
    dropping = house.again(openness=1, rates=rates)
    for step in (("find", KNIFE), ("graspon", KNIFE, COUNTER)):
        dropping.do(*step)
    if dropping.holds_in_hand(KNIFE):
        dropping.do("find", FLOOR)
    assert not dropping.holds_in_hand(KNIFE) and not dropping.sees(KNIFE)


def test_that_what_was_just_put_on_the_floor_is_in_view(home) -> None:
    house = home("bring_in_bottles")
    for step in PLANS["bring_in_bottles"][:4]:
        house.went_well(*step)
    assert house.sees(BOTTLE) and house.sees(FLOOR)
    assert house.holds("inroom", BOTTLE, "living_room_1")


# --- what a picture can show ------------------------------------------------------------------------


def test_that_a_picture_shows_an_empty_place_but_not_an_empty_floor(home) -> None:
    house = home("store_firewood")
    on_table, on_floor = Atom("ontop", (STICKS[0], TABLE)), Atom("ontop", (STICKS[0], FLOOR))
    assert not house.world.is_observable(on_table)
    house.went_well("find", TABLE)
    assert house.world.is_observable(on_table) and not house.world.is_observable(on_floor)
    house.went_well("find", FLOOR)
    assert not house.world.is_observable(on_floor)
    house.went_well("find", STICKS[0])
    assert house.world.is_observable(on_floor) and house.world.is_observable(on_table)


def test_that_a_closed_cabinet_tells_nothing_of_its_inside(home) -> None:
    house = home("boil_water")
    house.went_well("find", CABINET)
    assert house.world.is_observable(Atom("closed", (CABINET,)))
    assert not house.world.is_observable(Atom("inside", (MUG, CABINET)))
    house.went_well("openit", CABINET)
    assert house.world.is_observable(Atom("inside", (MUG, CABINET)))


def test_that_boiled_water_shows_through_the_microwaves_window(home) -> None:
    house = home("boil_water")
    for step in PLANS["boil_water"]:
        house.went_well(*step)
    assert house.world.is_observable(Atom("cooked", (WATER,)))
    house.went_well("find", SINK)
    assert not house.world.is_observable(Atom("cooked", (WATER,)))


def test_that_how_full_a_mug_is_shows_from_above_but_not_through_a_window_or_on_a_shelf(home) -> None:
    house, full = home("boil_water"), Atom("filled", (MUG, WATER))
    shown = {}
    for step in PLANS["boil_water"]:
        house.went_well(*step)
        shown[step] = house.world.is_observable(full)
    assert not shown["find", CABINET] and not shown["openit", CABINET]
    assert shown["graspin", MUG, CABINET] and shown["find", SINK] and shown["fill", MUG, SINK]
    assert shown["placein", MUG, MICROWAVE] and not shown["closeit", MICROWAVE]
    assert house.world.is_observable(Atom("inside", (MUG, MICROWAVE)))


def test_that_water_in_the_sink_shows_where_the_sink_is_in_view(home) -> None:
    house, full = home("boil_water"), Atom("filledsink", (SINK, WATER))
    house.went_well("find", SINK)
    assert house.world.is_observable(full)
    house.went_well("fillsink", SINK)
    assert house.holds("filledsink", SINK, WATER) and house.world.is_observable(full)
    house.went_well("find", MICROWAVE)
    assert not house.world.is_observable(full)


@pytest.mark.parametrize("predicate", ["turnedon", "inroom", "insource", "found"])
def test_that_no_picture_shows_what_the_paper_calls_imperceptible(home, predicate: str) -> None:
    house = home("boil_water")
    for step in PLANS["boil_water"]:
        house.went_well(*step)
    atoms = [a for a in house.world.truth() if a.predicate == predicate]
    assert all(not house.world.is_observable(a) for a in atoms)


# --- what is felt -----------------------------------------------------------------------------------


def test_that_hand_and_heat_are_felt_whether_true_or_false(home) -> None:
    house = home("cook_frozen_pie")
    hand, pie, hot = Atom("handempty", (AGENT,)), Atom("inhand", (AGENT, PIE)), Atom("hot", (PIE,))
    assert house.world.sensed() == {hand: True, pie: False, hot: False}
    for step in PLANS["cook_frozen_pie"][:4]:
        house.went_well(*step)
    assert house.world.sensed() == {hand: False, pie: True, hot: False}
    for step in PLANS["cook_frozen_pie"][4:]:
        house.went_well(*step)
    assert house.world.sensed() == {hand: True, pie: False, hot: True}


# --- nature, where Table 1 says nothing -------------------------------------------------------------


def test_that_filling_at_an_empty_sink_fills_nothing(home) -> None:
    house = home("boil_water")
    for step in PLANS["boil_water"][:5]:
        house.went_well(*step)
    happening = house.do("fill", MUG, SINK)
    assert happening.status is StepStatus.DONE  # nobody notices
    assert not house.holds("filled", MUG, WATER)


def test_that_filling_empties_the_sink(home) -> None:
    house = home("boil_water")
    for step in PLANS["boil_water"][:7]:
        house.went_well(*step)
    assert house.holds("filled", MUG, WATER) and not house.holds("filledsink", SINK, WATER)


def test_that_an_open_microwave_does_not_run(home) -> None:
    house = home("boil_water", variant="printed")
    for step in PLANS["boil_water"][:10]:
        house.went_well(*step)
    house.do("microwave_water", MICROWAVE, MUG)
    assert not house.holds("turnedon", MICROWAVE) and not house.holds("cooked", WATER)


def test_that_a_microwave_with_an_empty_mug_boils_nothing(home) -> None:
    house = home("boil_water")
    for step in PLANS["boil_water"]:
        if step[0] != "fillsink":
            house.went_well(*step)
    assert house.holds("turnedon", MICROWAVE) and not house.holds("cooked", WATER)


def test_that_an_oven_heats_and_thaws_with_its_door_open(home) -> None:
    house = home("cook_frozen_pie")
    assert house.holds("frozen", PIE)
    for step in PLANS["cook_frozen_pie"]:
        house.went_well(*step)
    assert not house.holds("closed", OVEN)
    assert house.holds("hot", PIE) and not house.holds("frozen", PIE)


def test_that_an_oven_heats_only_what_is_inside(home) -> None:
    house = home("cook_frozen_pie")
    house.went_well("find", OVEN)
    house.went_well("heat_food_with_oven", OVEN, PIE)
    assert house.holds("turnedon", OVEN) and not house.holds("hot", PIE)


# --- what is no household ---------------------------------------------------------------------------


def test_that_a_task_without_a_floor_or_a_room_is_refused_in_a_sentence(home) -> None:
    from dataclasses import replace

    house = home("halve_egg")
    problem = house.problem
    floorless = replace(problem, objects=tuple(o for o in problem.objects if o.name != FLOOR))
    with pytest.raises(BadValue, match="needs an object of type floor"):
        Household(house.folder, replace(house.task, problem=floorless))
    roomless = replace(problem, state=problem.state - {Atom("inroom", (COUNTER, "kitchen_1"))})
    with pytest.raises(BadValue, match="is in no room"):
        Household(house.folder, replace(house.task, problem=roomless))
    nested = replace(problem, state=problem.state | {Atom("inside", (EGG, KNIFE))})
    with pytest.raises(BadValue, match="cannot be in the kitchen"):
        Household(house.folder, replace(house.task, problem=nested))
