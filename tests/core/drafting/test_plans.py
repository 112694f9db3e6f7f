"""A walk that comes far reaches the goal of any game, and shows the slips that lie there."""

from __future__ import annotations

import pytest

from core.drafting.agreement import Walks, compare
from core.drafting.plans import far_walk
from core.drafting.repair import repair
from core.drafting.simulator import WorldSimulator
from robots.grids.games import SIX
from tests.core.drafting.known import dropped_literals, right, steps


@pytest.mark.parametrize("name", SIX)
def test_that_it_ends_in_the_goal(name: str) -> None:
    _, world, _ = right(name, 1)
    walk = far_walk(world)
    run = WorldSimulator(world).run(walk)
    assert (run.done, run.goal) == (len(walk), True)


@pytest.mark.long
def test_that_a_slip_at_the_end_of_a_long_game_is_found_and_repaired() -> None:
    game, world, problem = right("overcooked", 1)
    slip = dict(dropped_literals(problem))["put-plate without (has-plate ?pl ?d)"]
    assert compare(world, steps(game, slip), 50).difference is not None
    found = repair(slip, game, Walks(WorldSimulator(world), each=1), limit=50)
    assert found.agrees and len(found.repairs) == 1
