"""Each simulator does what its reference PDDL says, in every state that can be reached."""

from __future__ import annotations

from random import Random

import pytest

from core.drafting.agreement import compare
from core.drafting.steps import DraftSteps
from core.drafting.world import Game, World, name_of_cells, world_of
from core.errors import BadValue, UnknownName
from robots.grids.games import SIX, games
from robots.grids.lake_rules import references
from tests.sampling import some

ALL, FAR = 10**9, 5_000


def reference(game: Game, world: World) -> DraftSteps:
    return DraftSteps(world.problem(game.reference), game.word_of)


@pytest.mark.parametrize("name", SIX)
def test_that_the_smallest_map_and_its_reference_never_differ(name: str) -> None:
    game = games()[name]
    world = game.make(game.sizes[0], 0)
    limit, draw = (250, Random(0)) if name == "overcooked" else (ALL, None)
    found = compare(world, reference(game, world), limit, draw)
    assert found.difference is None
    assert found.whole or name == "overcooked"


@pytest.mark.parametrize("rule", some(references(), 6))
def test_that_a_variant_of_frozenlake_and_its_reference_never_differ(rule: str) -> None:
    game = games()[f"frozenlake-{rule}"]
    for size in (3, 4):
        world = game.make(size, 1)
        found = compare(world, reference(game, world), ALL)
        assert (found.difference, found.whole) == (None, True)
        assert world_of(games(), world.name)[1] == world
        assert game.shown is not None and game.shown(world.name, world.cells(world.first)) == world


@pytest.mark.long
@pytest.mark.parametrize("name", SIX)
def test_that_larger_maps_and_their_reference_never_differ(name: str) -> None:
    game = games()[name]
    for size in game.sizes:
        small = size in game.sizes[:2] and name != "overcooked"
        for seed in range(3):
            world = game.make(size, seed)
            draw = None if small else Random(seed)
            found = compare(world, reference(game, world), ALL if small else FAR, draw)
            assert (found.difference, found.whole or not small) == (None, True), world.name


@pytest.mark.parametrize("name", SIX)
def test_that_a_world_says_why_a_step_fails_and_is_made_again_by_its_name(name: str) -> None:
    game = games()[name]
    world = game.make(game.sizes[-1], 3)
    refusals = [after for word in world.words if isinstance(after := world.do(world.first, word), str)]
    assert refusals and all(words[-1] not in ".!" and "\n" not in words for words in refusals)
    assert set(world.cells(world.first).values()) <= set(game.kinds)
    assert f"{world.size}x{world.size}" in world.scene
    assert world_of(games(), world.name)[1] == world


def test_that_a_map_that_is_not_there_is_refused_in_a_sentence() -> None:
    with pytest.raises(UnknownName, match="did you mean sokoban"):
        world_of(games(), "sokobn-5-0")
    with pytest.raises(BadValue, match="size 5 to 8, not 9"):
        world_of(games(), "sokoban-9-0")
    with pytest.raises(BadValue, match="GAME-SIZE-SEED"):
        world_of(games(), "sokoban")


@pytest.mark.parametrize("name", SIX)
def test_that_what_a_picture_shows_is_the_map_again(name: str) -> None:
    game = games()[name]
    world = game.make(game.sizes[-1], 3)
    assert game.shown is not None and game.shown(world.name, world.cells(world.first)) == world
    with pytest.raises(BadValue, match="a map has one"):
        game.shown(world.name, dict.fromkeys(world.cells(world.first), "floor"))


def test_that_a_map_from_a_picture_has_a_name_from_which_it_is_made_again() -> None:
    for game in (game for game in games().values() if game.shown is not None):
        world = game.make(game.sizes[0], 1)
        name = name_of_cells(game, world.cells(world.first))
        again = world_of(games(), name)[1]
        assert again.name == name and again.cells(again.first) == world.cells(world.first)
    for bad in ("frozenlake-3-c0", "frozenlake-3-c000000009", "frozenlake-3-c000000000"):
        with pytest.raises(BadValue):
            world_of(games(), bad)
