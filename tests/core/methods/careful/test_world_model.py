"""The states that the method expects, and what a step costs in them."""

from __future__ import annotations

import pytest

from core.belief import Atom
from core.methods.careful.world_model import (
    FOUND_AGAIN,
    UNLISTED_FALL,
    WorldModel,
)
from core.planning import domain_library
from core.planning_model import Step

A, MUG, CABINET, MICROWAVE = "agent-n-01_1", "mug-n-04_1", "cabinet-n-01_1", "microwave-n-02_1"
FULL = Atom("filled", (MUG, "water-n-06_1"))
FIND = Step("find", (A, MICROWAVE, "kitchen_1"))
GRASP = Step("graspin", (A, MUG, CABINET))


@pytest.fixture(scope="module")
def kitchen() -> WorldModel:
    folder, task = domain_library.load_task("boil_water")
    return WorldModel(folder, task.problem)


def in_view(world: WorldModel, *atoms: Atom) -> set[str]:
    state = world.states[world.number(frozenset(atoms))]
    return {atom.args[1] for atom in state if atom.predicate == "inview"}


def test_that_what_stands_together_is_in_view_together(kitchen) -> None:
    inside, looking = Atom("inside", (MUG, CABINET)), Atom("inview", (A, CABINET))
    assert in_view(kitchen, inside, looking) == {MUG, CABINET}


def test_that_nothing_behind_a_closed_door_is_in_view(kitchen) -> None:
    inside, closed = Atom("inside", (MUG, MICROWAVE)), Atom("closed", (MICROWAVE,))
    looking = [Atom("inview", (A, thing)) for thing in (MUG, MICROWAVE)]
    assert in_view(kitchen, inside, closed, *looking) == {MICROWAVE}


def test_that_a_step_costs_more_where_something_can_fall(kitchen) -> None:
    known = kitchen.problem.state
    empty, holding = kitchen.number(known), kitchen.number(known | {Atom("inhand", (A, MUG))})
    tries, grasped = kitchen.attempts(FIND), kitchen.attempts(GRASP) * (1 + 0.25 * FOUND_AGAIN)
    assert kitchen.step_cost(empty, FIND) == pytest.approx(tries)
    assert kitchen.step_cost(holding, FIND) == pytest.approx(tries * (1 + 0.1 * (FOUND_AGAIN + grasped)))
    assert kitchen.step_cost(empty, GRASP) == pytest.approx(grasped)
    assert kitchen.step_cost(holding, GRASP) == pytest.approx(
        kitchen.attempts(GRASP) * (1 + 0.25 * (FOUND_AGAIN + grasped))
    )


def test_that_the_state_after_a_step_is_the_one_in_which_it_works(kitchen) -> None:
    start = kitchen.number(kitchen.problem.state)
    assert kitchen.after(start, FIND) == kitchen.transitions(start, FIND)[0].state != start
    assert kitchen.after(start, GRASP) == start  # not in view, so not possible


def test_that_states_which_differ_only_unfelt_have_the_same_reading(kitchen) -> None:
    known = kitchen.problem.state
    start, holding = kitchen.number(known), kitchen.number(known | {Atom("inhand", (A, MUG))})
    turned = kitchen.number(known | {Atom("turnedon", (MICROWAVE,))})
    assert kitchen.reading(start) == kitchen.reading(turned) != kitchen.reading(holding)


def test_that_bits_tell_in_which_atoms_two_states_differ(kitchen) -> None:
    known, more = kitchen.problem.state, {Atom("turnedon", (MICROWAVE,)), Atom("cooked", (MUG,))}
    first, second = (kitchen.masks[kitchen.number(state)] for state in (known, known | more))
    assert sorted(kitchen.bits.atoms(first ^ second)) == sorted(more - known)


def test_that_what_is_asked_about_on_demand_counts_as_seen(kitchen) -> None:
    assert {"inside", "filled", "filledsink"} <= kitchen.seen
    assert "turnedon" not in kitchen.seen


def test_that_a_window_shows_where_a_mug_is_but_not_how_full_it_is(kitchen) -> None:
    inside, looking = Atom("inside", (MUG, MICROWAVE)), Atom("inview", (A, MICROWAVE))
    opened = kitchen.number(frozenset({inside, looking, FULL}))
    closed = kitchen.number(frozenset({inside, looking, FULL, Atom("closed", (MICROWAVE,))}))
    assert [kitchen.visible[inside][state] for state in (opened, closed)] == [1, 0.95]
    assert [kitchen.visible[FULL][state] for state in (opened, closed)] == [0.95, 0]


def test_that_it_tells_what_only_follows_from_the_rest(kitchen) -> None:
    looking = Atom("inview", (A, CABINET))
    state = kitchen.number(frozenset({Atom("inside", (MUG, CABINET)), looking}))
    alone = kitchen.number(frozenset({looking}))
    assert kitchen.is_implied(state, Atom("inview", (A, MUG)))
    assert not kitchen.is_implied(alone, looking)
    assert not kitchen.is_implied(state, Atom("inside", (MUG, CABINET)))


def test_that_what_is_held_may_fall_in_a_step_of_which_the_folder_lists_nothing() -> None:
    folder, task = domain_library.load_task("collect_toys")
    table = WorldModel(folder, task.problem)
    robot, toy, container = "robot", "toy_carrot", "container_blue"
    held, empty = Atom("inhand", (robot, toy)), Atom("handempty", (robot,))
    holding = table.number(
        table.problem.state - {empty, Atom("ontable", (toy,))} | {held, Atom("ingoal", (container,))}
    )
    ways = table.transitions(holding, Step("place_in", (robot, toy, container)))
    beside = [w for w in ways if {empty, Atom("ontable", (toy,))} <= table.states[w.state]]
    assert sum(w.probability for w in beside) == pytest.approx(UNLISTED_FALL.rate)
    assert Atom("collected", (toy,)) in table.states[ways[0].state]
