"""Each simulator does what its reference PDDL says, and every map can be won."""

from __future__ import annotations

import pytest

from core.drafting.agreement import compare
from core.drafting.screening import screen
from core.drafting.steps import DraftSteps
from core.drafting.world import world_of
from core.planning.pddl.writer import write_domain, write_problem
from robots.grids.cells import can_be_won
from robots.grids.games import SCENES, games
from robots.scenes.assembly import MOST_ABOVE, MOST_BELOW, Assembly

ALL = 10**9


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("size", [0, pytest.param(1, marks=pytest.mark.long)])
def test_that_a_map_and_its_reference_never_differ(name: str, size: int) -> None:
    game = games()[name]
    for seed in range(2 if size == 0 else 10):
        world = game.make(game.sizes[size], seed)
        found = compare(world, DraftSteps(world.problem(game.reference), game.word_of), ALL)
        assert (found.difference, found.whole) == (None, True), world.name


@pytest.mark.parametrize("name", SCENES)
def test_that_a_map_can_be_won_and_its_reference_passes_screening(name: str) -> None:
    game = games()[name]
    for seed in range(4):
        world = game.make(game.sizes[0], seed)
        assert world_of(games(), world.name)[1] == world
        assert can_be_won(world)
        problem = world.problem(game.reference)
        found = screen(game.template, write_domain(problem.domain), write_problem(problem))
        assert found.faults == ()
        refusals = [after for word in world.words if isinstance(after := world.do(world.first, word), str)]
        assert refusals and all(words[-1] not in ".!" and "\n" not in words for words in refusals)


def test_that_a_block_goes_in_and_out_in_the_order_of_what_depends() -> None:
    needs = (("a", ()), ("b", ("a",)), ("c", ("b",)))
    world = Assembly("assembly-3-0", 3, needs, frozenset("abc"), frozenset("ac"))
    held = world.do(world.first, "pickup b")
    assert not isinstance(held, str)
    assert world.do(held, "insert b") == "c depends on b and is inserted"
    assert world.do(world.first, "unstack c") == (frozenset("a"), frozenset("abc"), "c")
    turned = world.do((frozenset("a"), frozenset("abc"), "b"), "reorient b")
    assert not isinstance(turned, str) and world.do(turned, "insert b") == "b is not upright"
    full = world.do((frozenset("a"), frozenset("abc"), "b"), "insert b")
    assert full == (frozenset("ab"), frozenset("abc"), None)
    assert world.do(full, "unstack a") == "b depends on a and is inserted"


def test_that_no_block_has_more_beside_it_than_the_reference_can_say() -> None:
    for size in games()["assembly"].sizes:
        for seed in range(3):
            world = games()["assembly"].make(size, seed)
            assert isinstance(world, Assembly) and len(world.needs) == size
            for name, below in world.needs:
                assert len(below) <= MOST_BELOW and len(world.above(name)) <= MOST_ABOVE
