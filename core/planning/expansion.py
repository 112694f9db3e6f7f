"""Count what the quantifiers of a domain stand for over a problem's objects, before anything expands them."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from core.errors import BadDomain
from core.planning.pddl.formulas import count_literals
from core.planning_model import Condition, Effect, Problem

MOST_LITERALS = 200_000  # of one action, one axiom or the goal: a tenth of a second to evaluate


def check_expansion(problem: Problem, path: object) -> None:
    """Raise BadDomain for an action or axiom that stands for too many facts; `path` names the file."""
    for where, count in _sizes(problem):
        _check_size(count, where, path)


def check_goal(goal: Condition, problem: Problem, path: object) -> None:
    """Raise BadDomain for a goal that stands for too many facts."""
    _check_size(count_literals(goal, problem.of_type), "the goal", path)


def _check_size(count: int, where: str, path: object) -> None:
    """Raise BadDomain if `count` literals are too many."""
    if count > MOST_LITERALS:
        raise BadDomain(
            path,
            f"{where} stands for {count:,} facts with these objects, and the most is {MOST_LITERALS:,}",
            remedy="Use fewer objects, or fewer variables in its 'forall' and 'exists'",
        )


def _sizes(problem: Problem) -> Iterator[tuple[str, int]]:
    of = problem.of_type
    for action in problem.domain.actions:
        condition = sum(count_literals(formula, of) for formula in action.formulas)
        yield f"the precondition of the action {action.name!r}", condition
        yield f"the effect of the action {action.name!r}", sum(_effect(e, problem) for e in action.effects)
    for axiom in problem.domain.axioms:
        found = sum(count_literals(formula, of) for formula in axiom.formulas)
        yield f"the condition of {axiom.head.predicate!r}", found


def _effect(effect: Effect, problem: Problem) -> int:
    inner = sum(count_literals(formula, problem.of_type) for formula in effect.formulas)
    return (1 + inner) * prod(len(problem.of_type(v.type)) for v in effect.variables)
