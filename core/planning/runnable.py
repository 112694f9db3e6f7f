"""What an episode can be run with: conditions that are conjunctions, so that each fact can be asked about."""

from __future__ import annotations

from core.errors import BadDomain
from core.problem import EQUALS, Condition, Every, Literal, Problem

WAY_OUT = "`plan` works with it; to run it, write one action or one goal for each way"


def check_runnable(problem: Problem) -> None:
    """Questions, belief and surprises are about single facts. Raises BadDomain where one will not do."""
    domain = problem.domain
    if domain.axioms:
        name = domain.axioms[0].head.predicate
        why = f"the predicate {name!r} is derived, and nobody can be asked about what only follows"
        raise BadDomain(f"The domain {domain.name}", why, way_out="`plan` works with it, `run` does not")
    for action in domain.actions:
        if not all(map(_plain, action.formulas)):
            why = f"the action {action.name!r} needs one of several conditions ('or', 'imply' or 'exists')"
            raise BadDomain(f"The domain {domain.name}", why, way_out=WAY_OUT)
    if problem.goal_formulas:
        why = "the goal is one of several conditions ('or', 'imply' or 'exists')"
        raise BadDomain(f"The problem {problem.name}", why, way_out=WAY_OUT)


def _plain(condition: Condition) -> bool:
    """Whether it comes to a conjunction of literals over any objects: comparisons of objects are known."""
    if isinstance(condition, Literal):
        return True
    if isinstance(condition, Every):
        return all(map(_plain, condition.parts))
    open_ = [p for p in condition.parts if not (isinstance(p, Literal) and p.predicate == EQUALS)]
    return not condition.variables and len(open_) <= 1 and all(map(_plain, open_))
