"""A version is repaired on other maps than its own, and a map read from a picture has a name."""

from __future__ import annotations

import pytest

from core.drafting.agreement import Walks, compare
from core.drafting.edits import LiteralEdit
from core.drafting.plans import planner
from core.drafting.rounds import METHODS, Workbench
from core.drafting.simulated import SimulatedDrafter
from core.drafting.simulator import WorldSimulator
from core.drafting.world import name_of_cells, world_of
from core.errors import BadValue
from core.planning_model import Literal
from core.stop_token import StopToken
from robots.grids.games import games
from tests.core.drafting.known import right, steps


def test_that_slips_that_its_own_map_does_not_show_are_mended_on_others() -> None:
    game, world, problem = right("frozenlake")
    hole = Literal("ice-hole", ("?to",), False)
    up, left = (LiteralEdit(name, False, hole, None) for name in ("move-up", "move-left"))
    slipped = up.apply(left.apply(problem))
    walks, ask = Walks(WorldSimulator(world)), SimulatedDrafter(game, world).ask
    made = Workbench(game, world.name, walks, ask, planner(game, {}, StopToken()), METHODS["ours"])
    unseen = made.written(*made.texts_of(slipped), "ada")
    assert unseen.converged and compare(world, steps(game, slipped)).difference is None
    wider = made.imagined(unseen)
    assert wider is not None and wider.converged and wider.compared.startswith("No difference")
    needed = {edit.inverse.describe() for edit in (up, left)}
    assert {*wider.repairs} == needed and made.imagined(wider) is None


def test_that_a_map_from_a_picture_has_a_name_from_which_it_is_made_again() -> None:
    for game in (game for game in games().values() if game.shown is not None):
        world = game.make(game.sizes[0], 1)
        name = name_of_cells(game, world.cells(world.first))
        again = world_of(games(), name)[1]
        assert again.name == name and again.cells(again.first) == world.cells(world.first)
    for bad in ("frozenlake-3-c0", "frozenlake-3-c000000009", "frozenlake-3-c000000000"):
        with pytest.raises(BadValue):
            world_of(games(), bad)
