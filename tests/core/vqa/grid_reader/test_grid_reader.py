"""Any look is read after one name a kind of cell, and what shows no grid is refused."""

from __future__ import annotations

import time
from pathlib import Path

import cv2
import numpy as np
import pytest

from core.errors import BadValue
from core.pictures import encode_png
from core.vqa.grid_reader.grid_reader import UNKNOWN, read_grid
from robots.grids.games import games
from robots.grids.painter import LOOKS, paint
from tests.command import call
from tests.robots.grids.disturbed import disturbed
from tests.sampling import some


@pytest.mark.parametrize("look", [*some(LOOKS, 3), "any 1"])
def test_that_a_look_is_read_after_one_name_a_kind(look: str) -> None:
    game = games()["frozenlake"]
    known = UNKNOWN
    for number, size in enumerate((5, 4, 6, 8)):
        world = game.make(size, number)
        cells = world.cells(world.first)
        picture = paint(cells, game.kinds, look, 48)
        grid = read_grid(disturbed(picture, number) if number else picture, known=known)
        names = grid.names
        if number == 0:
            assert names == (None,) * 4  # nothing is guessed
            names = tuple(cells[cell] for cell in grid.examples)
            known = grid.named(names)
        assert None not in names
        assert grid.cells([str(name) for name in names]) == cells


def test_that_a_kind_that_was_never_named_is_asked_about() -> None:
    game = games()["package"]
    world = game.make(5, 1)
    known = UNKNOWN
    picture = paint(world.cells(world.first), game.kinds, "lava", 48)
    grid = read_grid(picture)
    known = grid.named([world.cells(world.first)[cell] for cell in grid.examples])
    turned = world.do(world.first, "turn-left")
    assert not isinstance(turned, str)
    grid = read_grid(paint(world.cells(turned), game.kinds, "lava", 48), known=known)
    assert grid.names.count(None) == 1


def test_that_a_picture_takes_little_time() -> None:
    game = games()["sokoban"]
    world = game.make(8, 0)
    picture = paint(world.cells(world.first), game.kinds, "ice", 64)
    began = time.thread_time()
    read_grid(picture)
    assert time.thread_time() - began < 0.15


@pytest.mark.parametrize("what", ["noise", "text", "photograph", "plain", "long"])
def test_that_what_shows_no_grid_is_refused_in_a_sentence(what: str) -> None:
    draw = np.random.default_rng(0)
    picture = np.full((320, 320, 3), 240, np.uint8)
    match what:
        case "noise":
            picture = draw.integers(0, 255, picture.shape, dtype=np.uint8)
        case "text":
            for line in range(10):
                words = "".join(draw.choice(list("abcdefgh  ijkl"), 26))
                cv2.putText(picture, words, (6, 30 + 30 * line), cv2.FONT_HERSHEY_SIMPLEX, 0.6, (0, 0, 0))
        case "photograph":
            coarse = cv2.resize(draw.normal(0, 1, (9, 9, 3)), (320, 320), interpolation=cv2.INTER_CUBIC)
            picture = np.clip(128 + 60 * coarse + draw.normal(0, 4, picture.shape), 0, 255).astype(np.uint8)
        case "long":
            picture = picture[:100]
    with pytest.raises(BadValue, match="grid"):
        read_grid(picture)


def test_that_the_verb_keeps_names_and_asks_no_more(tmp_path: Path) -> None:
    game = games()["frozenlake"]
    files = []
    for seed in (1, 2):
        world = game.make(4, seed)
        files.append(tmp_path / f"{seed}.png")
        files[-1].write_bytes(encode_png(paint(world.cells(world.first), game.kinds, "grass", 40)))
    look = tmp_path / "grass.json"
    asked = call("read-grid", files[0], "--look", look)
    assert asked.exit_code == 1 and "name it with --names" in asked.output
    first = call("read-grid", files[0], "--look", look, "--names", "agent,floor,hole,goal")
    again = call("read-grid", files[1], "--look", look, "--json")
    assert (first.exit_code, again.exit_code) == (0, 0), again.output
    assert '"size": 4' in again.output and '"agent"' in again.output
    (tmp_path / "noise.png").write_bytes(b"no picture")
    assert call("read-grid", tmp_path / "noise.png").exit_code == 2


def test_that_nine_kinds_are_named_in_little_time() -> None:
    game, known = games()["overcooked"], UNKNOWN
    for number in range(4):
        world = game.make(5, number)
        cells = world.cells(world.first)
        picture = paint(cells, game.kinds, "space", 48)
        picture = disturbed(picture, number) if number else picture
        began = time.thread_time()  # without what other threads of the tests do
        grid = read_grid(picture, known=known)
        assert time.thread_time() - began < 0.3  # on a busy machine
        if number == 0:
            known = grid.named([cells[cell] for cell in grid.examples])
        else:
            assert grid.cells([str(name) for name in grid.names]) == cells


@pytest.mark.parametrize(
    ("look", "game"), [("look 307", "maze"), pytest.param("look 105", "package", marks=pytest.mark.long)]
)
def test_that_a_look_nobody_designed_is_read_in_any_light(look: str, game: str) -> None:
    made, known = games()[game], UNKNOWN
    for number in range(16):
        world = made.make(made.sizes[0], number)
        cells = world.cells(world.first)
        grid = read_grid(paint(cells, made.kinds, look, 48), known=known)
        named = zip(grid.names, grid.examples, strict=True)
        known = {**known, **grid.named([name or cells[example] for name, example in named])}
    for number, size in enumerate(made.sizes):
        world = made.make(size, 20 + number)
        cells = world.cells(world.first)
        grid = read_grid(disturbed(paint(cells, made.kinds, look, 48), number), known=known)
        names = grid.cells([name or "?" for name in grid.names])
        assert (
            grid.size == size and {cell for cell in cells if names[cell] not in (cells[cell], "?")} == set()
        )
        assert list(names.values()).count("?") <= 1
