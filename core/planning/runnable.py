"""Check that an episode can run: conditions must be conjunctions, so that each fact can be asked about."""

from __future__ import annotations

from core.errors import BadDomain
from core.planning_model import EQUALS, Condition, ForAll, Literal, Problem

REMEDY = "`plan` works with it; to run it, write one action or one goal for each way"


def check_runnable(problem: Problem) -> None:
    """Raise BadDomain if a condition is not about single facts, as questions and beliefs are."""
    domain = problem.domain
    if domain.axioms:
        name = domain.axioms[0].head.predicate
        reason = f"the predicate {name!r} is derived, and nobody can be asked about what only follows"
        raise BadDomain(f"The domain {domain.name}", reason, remedy="`plan` works with it, `run` does not")
    for action in domain.actions:
        if not all(map(_is_conjunctive, action.formulas)):
            reason = f"the action {action.name!r} needs one of several conditions ('or', 'imply' or 'exists')"
            raise BadDomain(f"The domain {domain.name}", reason, remedy=REMEDY)
    if problem.goal_formulas:
        reason = "the goal is one of several conditions ('or', 'imply' or 'exists')"
        raise BadDomain(f"The problem {problem.name}", reason, remedy=REMEDY)


def _is_conjunctive(condition: Condition) -> bool:
    """Return True if a condition reduces to a conjunction of literals; comparisons of objects are decided."""
    if isinstance(condition, Literal):
        return True
    if isinstance(condition, ForAll):
        return all(map(_is_conjunctive, condition.parts))
    open_ = [p for p in condition.parts if not (isinstance(p, Literal) and p.predicate == EQUALS)]
    return not condition.variables and len(open_) <= 1 and all(map(_is_conjunctive, open_))
