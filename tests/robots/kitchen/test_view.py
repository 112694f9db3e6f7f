"""That what the repaired domain says of the view is what the kitchen's camera has before it."""

from __future__ import annotations

import random
from itertools import product
from typing import Any

import pytest

from core.methods.expectations import Expectations
from core.planning.planner import make_planner
from core.planning_model import Literal, Step
from core.stop_token import StopToken

TASKS = ("boil_water", "bring_in_bottles", "cook_frozen_pie", "halve_egg", "store_firewood")


def untrue(house: Any, step: Step) -> list[Literal]:
    """What the domain says of the view after this step and is not so; nothing where the step went wrong."""
    before = house.world.truth()
    happening = house.world.do(step)
    if not happening.succeeded:
        return []
    promised = Expectations(house.problem).effects(before, step)
    after = house.world.truth()
    return [e for e in promised if e.predicate == "inview" and (e.atom in after) != e.positive]


def beside(house: Any, literal: Literal, step: Step) -> bool:
    """Whether it is about a thing that shares its furniture with what was found: see decision 8."""
    places = house.world.state.places
    return step.name == "find" and places.get(literal.args[1], "") == places.get(step.args[1], "?")


@pytest.mark.parametrize("name", TASKS)
def test_that_the_view_is_as_the_plan_says_at_every_step(home: Any, name: str) -> None:
    house = home(name, openness=0)
    for step in make_planner().plan(house.problem, StopToken()).steps:
        assert untrue(house, step) == []


@pytest.mark.parametrize("name", TASKS)
def test_that_the_view_is_as_the_domain_says_along_random_steps(home: Any, name: str) -> None:
    house, rng = home(name, openness=1), random.Random(7)
    every = [
        Step(action.name, args)
        for action in house.problem.domain.actions
        for args in product(*(house.problem.of_type(p.type) for p in action.parameters))
    ]
    needed = Expectations(house.problem).preconditions
    wrong, done = [], 0
    for _ in range(400):
        so = house.world.truth()
        able = [s for s in every if all((c.atom in so) == c.positive for c in needed(s))]
        working = [step for step in able if step.name != "find"]
        step = rng.choice(working if working and rng.random() < 0.5 else able)
        wrong += [(str(step), str(e)) for e in untrue(house, step) if not beside(house, e, step)]
        done += step.name != "find"
    assert wrong == [] and done > 50
