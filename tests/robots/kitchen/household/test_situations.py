"""Table 6: how often each situation happens, what it does, and that luck owes nothing to earlier draws."""

from __future__ import annotations

from collections import Counter
from math import sqrt

import pytest

from core.errors import BadValue, UnknownName
from core.ports import StepStatus
from tests.sampling import some

MUG, CABINET, SINK, PIE = "mug-n-04_1", "cabinet-n-01_1", "sink-n-01_1", "pie-n-01_1"
MICROWAVE, OVEN, FLOOR = "microwave-n-02_1", "oven-n-01_1", "floor-n-01_1"
KNIFE, EGG, COUNTER = "carving_knife-n-01_1", "hard__boiled_egg-n-01_1", "countertop-n-01_1"
STICK, TABLE, WATER = "wooden_stick-n-01_1", "table-n-02_1", "water-n-06_1"

SEEDS, TRIES = 20, 20

OPEN_CABINET = (("find", CABINET), ("openit", CABINET))
TAKE_MUG = (*OPEN_CABINET, ("find", MUG), ("graspin", MUG, CABINET))
AT_SINK = (*TAKE_MUG, ("find", SINK))
TAKE_KNIFE = (("find", KNIFE), ("graspon", KNIFE, COUNTER))
TAKE_STICK = (("find", STICK), ("graspon", STICK, FLOOR))
BOILING = (
    *AT_SINK, ("fillsink", SINK), ("fill", MUG, SINK), ("find", MICROWAVE), ("openit", MICROWAVE),
    ("placein", MUG, MICROWAVE), ("closeit", MICROWAVE),
)  # fmt: skip

# task, what is done before, the step, and how often it is to come to nothing or to a fall (Table 6)
ROWS = {
    "find, hand empty": ("boil_water", (), ("find", SINK), 0.05 + 0.05, 0.0),
    "find, holding": ("boil_water", TAKE_MUG, ("find", SINK), 0.05 + 0.05, 0.1),
    "grasp on": ("halve_egg", (("find", KNIFE),), ("graspon", KNIFE, COUNTER), 0.25, 0.25),
    "grasp in": ("boil_water", (*OPEN_CABINET, ("find", MUG)), ("graspin", MUG, CABINET), 0.25, 0.25),
    "place in": ("boil_water", (*TAKE_MUG, ("find", CABINET)), ("placein", MUG, CABINET), 0.1, 0.1),
    "place on": ("store_firewood", (*TAKE_STICK, ("find", TABLE)), ("placeon", STICK, TABLE), 0.1, 0.1),
    "floor": ("store_firewood", (*TAKE_STICK, ("find", FLOOR)), ("place_on_floor", STICK, FLOOR), 0.1, 0.1),
    "fill sink": ("boil_water", (("find", SINK),), ("fillsink", SINK), 0.1, 0.0),
    "fill": ("boil_water", (*AT_SINK, ("fillsink", SINK)), ("fill", MUG, SINK), 0.05, 0.05),
    "open": ("boil_water", (("find", CABINET),), ("openit", CABINET), 0.1, 0.0),
    "close": ("boil_water", OPEN_CABINET, ("closeit", CABINET), 0.1, 0.0),
    "microwave": ("boil_water", BOILING, ("microwave_water", MICROWAVE, MUG), 0.1, 0.0),
    "oven": ("cook_frozen_pie", (("find", OVEN),), ("heat_food_with_oven", OVEN, PIE), 0.1, 0.0),
    "cut": ("halve_egg", (*TAKE_KNIFE, ("find", EGG)), ("cut_into_half", KNIFE, EGG), 0.25, 0.25),
}


@pytest.fixture
def ready(home):
    """The house after some steps in which nothing went wrong."""

    def make(task: str, before=(), **options):
        house = home(task, **options)
        for step in before:
            house.went_well(*step)
        return house

    return make


@pytest.mark.parametrize("row", some(ROWS, 3))
@pytest.mark.parametrize("openness", [0, 1, 1.75])
def test_that_situations_come_as_often_as_table_6_says(ready, row: str, openness: float) -> None:
    task, before, step, nothing, falls = ROWS[row]
    house = ready(task, before)
    seen: Counter[str] = Counter()
    for seed in range(SEEDS):
        other = house.again(seed=seed, openness=openness)
        for _ in range(TRIES):
            other.world.state = house.world.state
            happening = other.do(*step)
            seen["falls" if happening.dropped else "nothing" if happening.situation else "ok"] += 1
    draws = SEEDS * TRIES
    for name, rate in (("nothing", nothing * openness), ("falls", falls * openness)):
        four_deviations = 4 * sqrt(rate * (1 - rate) / draws)
        assert seen[name] / draws == pytest.approx(rate, abs=four_deviations)


def situation_of(ready, row: str, falls: bool):
    task, before, step, *_ = ROWS[row]
    house = ready(task, before)
    for seed in range(500):
        other = house.again(seed=seed, openness=1)
        happening = other.do(*step)
        if happening.situation and bool(happening.dropped) is falls:
            return other, happening
    raise AssertionError(f"no seed brings it in {row}")


def test_that_a_failed_grasp_leaves_the_thing_where_it_was_and_in_view(ready) -> None:
    house, happening = situation_of(ready, "grasp on", falls=False)
    assert happening.after == happening.before
    assert happening.status is StepStatus.FAILED  # the robot feels its empty hand
    assert house.holds("ontop", KNIFE, COUNTER) and house.sees(KNIFE)


def test_that_a_thing_dropped_while_grasping_lies_on_the_floor_out_of_view(ready) -> None:
    house, happening = situation_of(ready, "grasp on", falls=True)
    assert happening.dropped == (KNIFE, FLOOR)
    assert house.holds("ontop", KNIFE, FLOOR) and house.holds("onfloor", KNIFE, FLOOR)
    assert not house.holds("ontop", KNIFE, COUNTER)
    assert house.holds("handempty", house.one("agent"))
    assert not house.sees(KNIFE) and house.sees(COUNTER)


def test_that_a_thing_lost_on_the_way_lies_where_the_way_ends(ready) -> None:
    bottle, indoors, outdoors = "beer_bottle-n-01_1", "floor-n-01_1", "floor-n-01_2"
    house = ready("bring_in_bottles", (("find", bottle), ("graspon", bottle, outdoors)))
    for seed in range(200):
        other = house.again(seed=seed, openness=1)
        happening = other.do("find", indoors)
        if happening.dropped:
            assert happening.dropped == (bottle, indoors)
            assert other.sees(indoors) and other.holds("inroom", bottle, "living_room_1")
            return
    raise AssertionError("nothing fell in 200 seeds")


def test_that_a_dropped_mug_spills(ready) -> None:
    filled = (*AT_SINK, ("fillsink", SINK), ("fill", MUG, SINK), ("find", MICROWAVE), ("openit", MICROWAVE))
    house = ready("boil_water", filled)
    assert house.holds("filled", MUG, WATER)
    for seed in range(200):
        other = house.again(seed=seed, openness=1)
        if other.do("placein", MUG, MICROWAVE).dropped:
            assert not other.holds("filled", MUG, WATER)
            return
    raise AssertionError("nothing fell in 200 seeds")


def test_that_find_may_arrive_without_seeing_or_not_arrive_at_all(ready) -> None:
    found = {}
    for seed in range(300):
        house = ready("boil_water", (), seed=seed, openness=1)
        happening = house.do("find", SINK)
        if happening.situation:
            found[happening.situation] = house, happening
    kinds = {h.holds("found", h.one("agent"), SINK): happening.status for h, happening in found.values()}
    assert kinds == {True: StepStatus.DONE, False: StepStatus.FAILED}
    assert not any(house.sees(SINK) for house, _ in found.values())


def test_that_a_tap_that_stays_shut_is_not_noticed(ready) -> None:
    house, happening = situation_of(ready, "fill sink", falls=False)
    assert happening.status is StepStatus.DONE
    assert not house.holds("filledsink", SINK, WATER)


def test_that_nothing_falls_from_an_empty_hand(ready) -> None:
    house = ready("boil_water")
    assert not any(house.again(seed=s, openness=1.75).do("find", SINK).dropped for s in range(500))


def test_that_luck_depends_on_seed_step_and_try_and_on_nothing_done_before(ready) -> None:
    """Two methods that try the same step for the same time meet the same luck."""

    found = ready("boil_water", (("find", CABINET),))

    def openings(detour: bool) -> list[str]:
        seen = []
        for seed in range(100):
            house = found.again(seed=seed, openness=1)
            for _ in range(3):
                if detour:
                    state = house.world.state
                    house.do("find", SINK), house.do("fillsink", SINK)
                    house.world.state = state
                seen.append(house.do("openit", CABINET).situation)
        return seen

    straight = openings(detour=False)
    assert straight == openings(detour=True)
    thrice = [straight[n : n + 3] for n in range(0, len(straight), 3)]
    assert any(a != b for a, b, _ in thrice)  # each try has luck of its own


def test_that_both_variants_meet_the_same_luck(ready) -> None:
    def episode(variant: str, seed: int) -> list[str]:
        house = ready("boil_water", variant=variant, seed=seed, openness=1.75)
        return [house.do(*step).situation for step in BOILING]

    assert all(episode("printed", seed) == episode("repaired", seed) for seed in range(40))


def test_that_finds_unrated_situations_are_parameters_of_their_own(ready) -> None:
    house = ready("boil_water")
    unrated = [s.name for s in house.folder.skills["find"].situations if not s.from_paper]
    assert len(unrated) == 2
    never = dict.fromkeys(unrated, 0.0)
    assert all(house.again(seed=s, openness=1, rates=never).do("find", SINK).succeeded for s in range(200))
    every = dict.fromkeys((s.name for s in house.folder.skills["find"].situations), 0.0)
    for name in unrated:
        always = house.again(openness=1, rates={**every, name: 1.0})
        assert always.do("find", SINK).situation == name


def test_that_a_bad_openness_or_rate_is_refused(ready) -> None:
    with pytest.raises(BadValue, match="Openness 2 is outside its range"):
        ready("boil_water", openness=2.0)
    with pytest.raises(UnknownName, match="situation"):
        ready("boil_water", rates={"an earthquake": 0.1})
