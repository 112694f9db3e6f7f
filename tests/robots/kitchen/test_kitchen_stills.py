"""Stills of sampled states, for training an eye."""

from random import Random

import numpy as np
import pytest

from core.belief import Atom
from core.planning import domain_library
from robots.kitchen.household.atoms import true_atoms
from robots.kitchen.household.household import Household
from robots.kitchen.household.state import HAND, in_view
from robots.kitchen.stills import KitchenStills, boil, sample_state
from tests.robots.kitchen.conftest import TASKS

EGG = "hard__boiled_egg-n-01_1"


@pytest.mark.parametrize("task", TASKS)
def test_that_a_drawn_state_could_be(task: str) -> None:
    folder, found = domain_library.load_task(task)
    world = Household(folder, found)
    things, rng = world.things, Random(task)
    for _ in range(300):
        state = sample_state(things, world.state, rng)
        assert set(state.places) == set(things.movables)
        assert sum(place == HAND for place in state.places.values()) <= 1
        assert state.focus in ("", state.near) and state.near != state.held
        facts = true_atoms(things, state)
        for thing in things.movables:
            assert not {Atom("hot", (thing,)), Atom("frozen", (thing,))} <= facts
        assert not any(a.predicate == "cooked" for a in facts) or any(a.predicate == "filled" for a in facts)


def test_that_what_walks_hardly_ever_lead_to_is_drawn_often() -> None:
    folder, found = domain_library.load_task("halve_egg")
    world, rng = Household(folder, found), Random(1)
    halved = [sample_state(world.things, world.state, rng).holds("halved", EGG) for _ in range(200)]
    assert 60 < sum(halved) < 140


def test_that_what_was_heated_is_drawn_as_it_could_be() -> None:
    folder, found = domain_library.load_task("boil_water")
    world, rng = Household(folder, found), Random(2)
    (microwave,), boiled, inside = world.things.microwaves, 0, 0
    for _ in range(100):
        state = boil(world.things, sample_state(world.things, world.state, rng), rng)
        inside += microwave in state.places.values() and microwave in in_view(world.things, state)
        cooked = any(f.predicate == "cooked" for f in state.facts)
        assert not cooked or state.holds("turnedon", microwave)
        boiled += cooked
    assert 50 < inside < 80 and 20 < boiled < 50


@pytest.mark.long
@pytest.mark.gl
def test_that_the_same_seed_gives_the_same_stills_and_labels(needs_gl: None) -> None:
    folder, found = domain_library.load_task("halve_egg")
    asked = (Atom("halved", (EGG,)), Atom("inview", ("agent-n-01_1", EGG)))
    made = []
    for _ in range(2):
        stills = KitchenStills(folder, found, 4, quick=True)
        made.append(list(stills.stills(4, asked)))
        stills.close()
    assert [s.labels for s in made[0]] == [s.labels for s in made[1]]
    assert all(np.array_equal(a.rgb, b.rgb) for a, b in zip(*made, strict=True))
    assert made[0][0].rgb.shape == (256, 256, 3)
    assert made[0][0].labels == ((False, False), (False, True))  # at first nothing of the task is in view
