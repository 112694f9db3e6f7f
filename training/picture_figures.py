"""Measure what is read in pictures, as the VLMFP paper's Tables 1, 4 and 5 do.

`python -m training.picture_figures multirob sokoban --looks desert --count 100 --workers 2`

A datapoint is a map, its picture and a walk. Four things are right or wrong of it: the scene as it is read,
why each step of the walk fails in it, which steps fail, and whether the goal is reached at the end. A picture
that is refused is wrong in all four. Sizes and looks come in turn. A look's kinds of cells are named once,
from other maps at the smallest size. Prints JSON: a line for each game, with intervals of 95 % and what was
said where the scene was not right.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from random import Random
from time import process_time

from core.drafting.source import DraftingTools, known_look, seen_world
from core.drafting.world import Game, State, World, do_word
from core.errors import BadValue
from core.intervals import wilson_interval
from core.pictures import encode_png
from robots.grids.games import games, picture

STEPS = 10  # of a walk, of which about half can be done
OUTPUTS = ("scene", "reason", "result", "goal")


def walk_of(world: World, draw: Random) -> list[str]:
    """Return a walk: each step one that can be done or any, by turns of a coin."""
    state, said = world.first, list[str]()
    for _ in range(STEPS):
        words = draw.sample(world.words, len(world.words))
        can = (word for word in words if not isinstance(world.do(state, word), str))
        word = next(can, words[0]) if draw.random() < 0.5 else words[0]
        after = world.do(state, word)
        state = state if isinstance(after, str) else after
        said.append(word)
    return said


def ends(world: World, walk: list[str]) -> tuple[list[str], bool | None]:
    """Return why each step fails ("": it does not), each done where the one before ended; and the goal."""
    state: State = world.first
    reasons = []
    for word in walk:
        after = do_word(world, state, word)
        reasons.append(after if isinstance(after, str) else "")
        state = state if isinstance(after, str) else after
    return reasons, world.reached(state)


def painted(game: Game, world: World, look: str, state: State | None = None) -> bytes:
    return encode_png(picture(game, world, state or world.first, look))


def datapoint(name: str, looks: list[str], first: int, n: int) -> tuple[set[str], str, float]:
    """Return which outputs are right, what was said of a scene that is not, and the seconds of processor."""
    game: Game = games()[name]
    world = game.make(game.sizes[n % len(game.sizes)], first + n)
    look = looks[n % len(looks)]
    known = known_look(DraftingTools(games, painted), name, look)
    shown = picture(game, world, world.first, look)
    began = process_time()
    try:
        read: object = seen_world(game, world.name, shown, known)
    except BadValue as error:
        read = error
    spent = process_time() - began
    told = "" if read == world else f"{world.name} {look}: {read}; it is {world}"
    if read is None or isinstance(read, BadValue):
        return set(), f"refused {told}", spent
    walk = walk_of(world, Random(f"walk {world.name}"))
    (why, goal), (said, reached) = ends(world, walk), ends(read, walk)  # type: ignore[arg-type]
    right = told == "", said == why, list(map(bool, said)) == list(map(bool, why)), reached == goal
    return {name for name, yes in zip(OUTPUTS, right, strict=True) if yes}, told, spent


def measure(name: str, looks: list[str], first: int, count: int, workers: int = 1) -> dict[str, object]:
    """Return the figures of so many maps from a seed on."""
    with ProcessPoolExecutor(workers) as pool:
        found = list(pool.map(partial(datapoint, name, looks, first), range(count), chunksize=5))
    right = Counter(output for outputs, _, _ in found for output in outputs)
    shares = {output: list(_percent(right[output], count)) for output in OUTPUTS}
    seconds = round(sum(spent for _, _, spent in found) / count, 3)
    told = [text for _, text, _ in found if text]
    asked = {"game": name, "looks": looks, "first": first, "count": count}
    return {**asked, **shares, "seconds a picture": seconds, "told": told}


def _percent(right: int, count: int) -> Iterator[float]:
    yield from (round(100 * share, 2) for share in (right / count, *wilson_interval(right, count)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("games", nargs="+")
    parser.add_argument("--looks", default="ice,lava,grass,space,paper")
    parser.add_argument("--first", type=int, default=20_000, help="the first map's seed")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--workers", type=int, default=1)
    given = parser.parse_args()
    for each in given.games:
        row = measure(each, given.looks.split(","), given.first, given.count, given.workers)
        print(json.dumps(row), flush=True)
