"""Restrict planning to fewer objects: those of a relaxed plan, with their holders and containers.

The choice depends on the problem alone, not on earlier plans, so the same problem always gets the same plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.planning_model import Problem, Step


def restrict_to_relevant(problem: Problem, relaxed: Iterable[Step]) -> Problem:
    """Return the problem over the objects of its goal and of a relaxed plan.

    It may have no plan where the whole problem has one; its plans must be validated over all objects.
    """
    constants = {c.name for c in problem.domain.constants}
    keep = constants | {name for step in relaxed for name in step.args}
    keep |= {name for literal in problem.goal for name in literal.args}
    holders: dict[str, set[str]] = {}
    for atom in problem.state:
        if len(atom.args) > 1:
            holders.setdefault(atom.args[0], set()).update(atom.args)
    open_ = list(keep)
    while open_:
        more = holders.get(open_.pop(), set()) - keep
        keep |= more
        open_ += more
    return replace(
        problem,
        objects=tuple(o for o in problem.objects if o.name in keep),
        state=frozenset(atom for atom in problem.state if keep.issuperset(atom.args)),
    )
