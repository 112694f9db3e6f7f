"""Measure how scenes in 3-D are read: `python -m training.scene_figures multirob --looks desert --count 100`.

Prints, as JSON: how many maps were read right, refused, and read wrongly, with an interval of 95 %, and what
was said of those that were not right. The maps' sizes and the looks come in turn.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from time import process_time

from core.errors import BadValue
from core.review.intervals import wilson_interval
from robots.grids.games import games


def measure(name: str, looks: list[str], first: int, count: int) -> dict[str, object]:
    """Return the figures of so many maps from a seed on."""
    game, came, told = games()[name], Counter[str](), list[str]()
    assert game.paint is not None and game.read is not None
    spent = 0.0
    for n in range(count):
        world = game.make(game.sizes[n % len(game.sizes)], first + n)
        look = looks[n % len(looks)]
        picture = game.paint(world, world.first, look)
        began = process_time()
        try:
            read: object = game.read(world.name, picture)
            result = "right" if read == world else "wrong"
        except BadValue as error:
            read, result = error, "refused"
        spent += process_time() - began
        came[result] += 1
        if result != "right":
            told.append(f"{result} {world.name} {look}: {read}; it is {world}")
    low, high = wilson_interval(came["right"], came.total())
    return {
        "game": name,
        "looks": looks,
        "first": first,
        **came,
        "95 %": [round(100 * v, 2) for v in (low, high)],
        "seconds a picture": round(spent / came.total(), 3),
        "told": told,
    }


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("game")
    parser.add_argument("--looks", default="ice,lava,grass,space,paper")
    parser.add_argument("--first", type=int, default=20_000)
    parser.add_argument("--count", type=int, default=100)
    given = parser.parse_args()
    print(json.dumps(measure(given.game, given.looks.split(","), given.first, given.count), indent=1))
