"""Find walks: one that comes far in a world, and plans of a draft, in the words of its game.

Random walks and a breadth-first search stay near the first state, and see little of a game with many steps.
So for a walk that comes far, states behind the most different words come first, and of these the ones in
which something is new (novelty, as in Lipovetzky and Geffner's width-based search).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator
from functools import lru_cache, partial
from heapq import heappop, heappush
from itertools import combinations, count
from typing import Any, TypeVar

from core.drafting.steps import DraftSteps, Walk
from core.drafting.world import Game, State, World, steps_of
from core.errors import PlanningError
from core.planning.engines.engine import SearchLimits
from core.planning.fact_bits import places
from core.planning.planner import make_planner
from core.planning_model import PlanStatus, Problem
from core.stop_token import StopToken

WALKED = 5_000  # states of a world that are looked at
NEARBY, FAR = 2_000, 12_000  # of a draft, before a planner is asked
TIMED = SearchLimits(20_000, seconds=4, improving_seconds=0)
COUNTED = SearchLimits(2_000, operator_checks=500_000, improving_seconds=0)  # the same on every machine
MakePlan = Callable[[Problem], "Walk | None"]  # in words; None: there is none
S = TypeVar("S", bound=Hashable)


@lru_cache(64)
def far_walk(world: World) -> Walk:
    """Return a walk to the goal of a world, else the one with the most different words that was found."""
    return search(world.first, partial(steps_of, world), world.reached, _parts, WALKED)[1]


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


def planner(game: Game, kept: dict[Any, Any], cancel: StopToken, timed: bool = True) -> MakePlan:
    """Return what plans in words: a search of the nearby states, or one that comes far, then a planner.

    If it is not timed, it gives up after the same states on every machine. Plans are kept.
    """
    plans: dict[object, Walk | None] = kept.setdefault("draft plans", {})
    then = engine_planner(game, TIMED if timed else COUNTED, lambda: cancel)
    far = bool(game.sizes) and not _searched(game, game.make(game.sizes[0], 0).problem(game.reference))

    def plan(problem: Problem) -> Walk | None:
        key = _meaning(problem)
        if key not in plans:
            plans[key] = _searched(game, problem, far) or then(problem)
        return plans[key]

    return plan


def engine_planner(game: Game, limits: SearchLimits, cancel: Callable[[], StopToken]) -> MakePlan:
    """Return what plans in words as an episode plans, until what is begun last is cancelled."""
    engine = make_planner(limits=limits)

    def plan(problem: Problem) -> Walk | None:
        try:
            found = engine.plan(problem, cancel())
        except PlanningError:
            return None
        return tuple(map(game.word_of, found.steps)) if found.status is PlanStatus.FOUND else None

    return plan


def _searched(game: Game, problem: Problem, far: bool = False) -> Walk | None:
    """Return the shortest words to the goal, if they are near; `far`: any, which may be far."""
    steps = DraftSteps(problem, game.word_of)
    (first,) = steps.first

    def following(state: int) -> Iterator[tuple[str, int]]:
        return ((word, one) for word, after in steps.successors(state).items() for one in after)

    def reached(state: int) -> bool:
        return steps.is_goal(frozenset({state}))

    parts: Callable[[int], Iterable[Hashable]] | None = places if far else None
    found, words = search(first, following, reached, parts, FAR if far else NEARBY, pairs=False)
    return words if found else None


def _meaning(problem: Problem) -> object:
    """Return what a plan depends on: the order of literals and facts does not count."""
    actions = frozenset(
        (a.name, a.parameters, frozenset(a.precondition), frozenset(a.effects), a.formulas)
        for a in problem.domain.actions
    )
    return actions, problem.objects, problem.state, frozenset(problem.goal), problem.goal_formulas
