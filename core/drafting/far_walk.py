"""Find a walk that comes far: it tries as many different words as it can, and ends in the goal.

Random walks and a breadth-first search stay near the first state, and see little of a game with many steps.
So states behind the most different words come first, and of these the ones in which something is new
(novelty, as in Lipovetzky and Geffner's width-based search).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache
from heapq import heappop, heappush
from itertools import combinations, count
from typing import TypeVar

from core.drafting.steps import Walk
from core.drafting.world import State, World

LIMIT = 5_000  # states that are looked at
S = TypeVar("S", bound=Hashable)


@lru_cache(64)
def far_walk(world: World) -> Walk:
    """Return a walk to the goal of a world, else the one with the most different words that was found."""

    def steps(state: State) -> Iterator[tuple[str, State]]:
        tried = ((word, world.do(state, word)) for word in world.words)
        return ((word, after) for word, after in tried if not isinstance(after, str))

    return search(world.first, steps, world.reached, _parts, LIMIT)[1]


def search(
    first: S,
    steps: Callable[[S], Iterable[tuple[str, S]]],
    reached: Callable[[S], bool | None],
    parts: Callable[[S], Iterable[Hashable]] | None,
    limit: int,
    pairs: bool = True,
) -> tuple[bool, Walk]:
    """Return whether the goal was reached, and the walk to it, or to where the most words were tried.

    Without `parts`, the shortest walks come first.
    """
    known: defaultdict[int, set[object]] = defaultdict(set)  # by the number of different words
    numbers, seen = count(), {first}
    best: Walk = ()
    waiting: list[tuple[int, int, int, int, S, Walk]] = [(0, 0, 0, next(numbers), first, ())]
    for _ in range(limit):
        if not waiting:
            break
        *_, state, walk = heappop(waiting)
        if reached(state):
            return True, walk
        best = max(best, walk, key=lambda one: len(set(one))) if parts else best
        for word, after in steps(state):
            if after not in seen:
                seen.add(after)
                words = (*walk, word)
                tried = len(set(words)) if parts else 0
                old = _old(list(parts(after)), known[tried], pairs) if parts else 0
                heappush(waiting, (-tried, old, len(words), next(numbers), after, words))
    return False, best


def _old(parts: list[Hashable], known: set[object], pairs: bool) -> int:
    """Return 0 if a part of the state is new, 1 if a pair of parts is, else 2. Notes all of them."""
    both = set(combinations(parts, 2)) if pairs else set()
    old = 0 if not known.issuperset(parts) else 1 if not known.issuperset(both) else 2
    known.update(parts, both)
    return old


def _parts(state: State) -> Iterator[Hashable]:
    for place, value in enumerate(state):
        if isinstance(value, tuple):
            yield from ((place, inner, part) for inner, part in enumerate(value))
        else:
            yield place, value
