"""Geometry and facts agree, after every action of random episodes in which much goes wrong."""

from __future__ import annotations

import numpy as np
import pytest

from robots.kitchen.household.state import in_view
from robots.kitchen.motion.base_poses import names_to_avoid
from robots.kitchen.simulation.geometry_predicates import OUT_OF_VIEW_SHARE
from tests.robots.kitchen.conftest import TASK_SAMPLE, TASKS, KitchenHarness, Make
from tests.sampling import some


def disagreements(home: KitchenHarness) -> list[str]:
    """Every fact that the geometry does not bear out."""
    state, reading, cast = home.world.state, home.body.geometry, home.body.built.assignment
    found = []
    for thing, place in state.places.items():
        shown = reading.location_of(thing, home.body.player.held)
        if shown != place:
            found.append(f"{thing} should be at {place}, is at {shown or 'no place'}")
        if home.body.sim.is_whole(thing) == state.holds("halved", thing):
            found.append(f"{thing} halved: {state.holds('halved', thing)}")
    for name, kind in cast.furniture.items():
        if kind in home.body.sim.max_door_angle and reading.closed(name) != state.holds("closed", name):
            found.append(f"{name} closed: {state.holds('closed', name)}")
    if state.held != home.body.player.held:
        found.append(f"the hand should hold {state.held or 'nothing'}")
    seen = in_view(home.world.things, state)
    share = home.body.visibility.visible_share
    found += [f"{n} should be in view, {share(n):.2f} is" for n in seen if not reading.in_view(n)]
    if state.held and share(state.held) <= OUT_OF_VIEW_SHARE:
        found.append(f"{state.held} is in the hand and should be in view, {share(state.held):.2f} is")
    away = names_to_avoid(home.world.things, state)
    found += [f"{n} should not be in view, {share(n):.2f} is" for n in away if not reading.out_of_view(n)]
    return found


def walk(home: KitchenHarness, steps: int, seed: int) -> None:
    assert disagreements(home) == []
    for step in home.random_steps(steps, seed):
        happening, _ = home.do(step)
        assert disagreements(home) == [], f"after {step}: {happening.reason}"


@pytest.mark.parametrize("task", TASK_SAMPLE)
def test_that_geometry_agrees_with_the_facts_through_a_random_episode(household: Make, task: str) -> None:
    home = household(task, seed=3, openness=1.75)
    walk(home, 10, 3)
    assert home.body.corrections == 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("task", TASKS)
def test_that_geometry_agrees_with_the_facts_through_200_episodes(
    household: Make, task: str, seed: int
) -> None:
    walk(household(task, seed=seed, openness=1.75), 40, seed)


@pytest.mark.gl
@pytest.mark.usefixtures("needs_gl")
@pytest.mark.parametrize("task", some(["boil_water", "halve_egg", "bring_in_bottles"], 3))
def test_that_what_is_in_view_has_pixels_and_what_is_not_has_none(household: Make, task: str) -> None:
    home = household(task, seed=1, openness=1.0)
    for step in home.random_steps(12, 1):
        home.do(step)
        masks = home.masks()
        for name in in_view(home.world.things, home.world.state):
            assert masks[name].sum() >= 100, f"{name} after {step}"
        for name in names_to_avoid(home.world.things, home.world.state):
            assert masks[name].sum() <= 20, f"{name} after {step}"


@pytest.mark.gl
@pytest.mark.usefixtures("needs_gl")
def test_that_projected_boxes_hold_the_things_pixels(household: Make) -> None:
    home = household("halve_egg", seed=2)
    home.play(("find", "hard"), ("find", "countertop"))
    masks = home.masks()
    for box in home.body.boxes():
        if box.name not in home.world.things.movables:
            continue
        rows, columns = np.nonzero(masks[box.name])
        inside = (
            (columns >= box.left - 1) & (columns <= box.right) & (rows >= box.top - 1) & (rows <= box.bottom)
        )
        assert inside.mean() > 0.98, box
        tight = (np.ptp(rows) + 1) * (np.ptp(columns) + 1) / ((box.right - box.left) * (box.bottom - box.top))
        assert tight > 0.5, box
