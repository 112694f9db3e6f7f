"""Plan with a draft, in the words of its game."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

from core.drafting.far_walk import search
from core.drafting.steps import DraftSteps, Walk
from core.drafting.world import Game
from core.errors import PlanningError
from core.planning.engines.engine import SearchLimits
from core.planning.fact_bits import places
from core.planning.planner import make_planner
from core.planning_model import PlanStatus, Problem
from core.stop_token import StopToken

NEARBY, FAR = 2_000, 12_000  # states that are searched before a planner is asked
TIMED = SearchLimits(20_000, seconds=4, improving_seconds=0)
COUNTED = SearchLimits(2_000, operator_checks=500_000, improving_seconds=0)  # the same on every machine
MakePlan = Callable[[Problem], "Walk | None"]  # in words; None: there is none


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
