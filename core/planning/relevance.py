"""Restrict planning to fewer objects: those of a relaxed plan, with their holders and containers.

The choice depends on the problem alone, not on earlier plans, so the same problem always gets the same plan.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from core.planning_model import Literal, Problem, Step


def restrict_to_relevant(problem: Problem, relaxed: Iterable[Step]) -> Problem:
    """Return the problem over the objects of its goal, of its axioms and of a relaxed plan.

    These include those that the plan's actions name; actions that name others are left out. It may have no
    plan where the whole problem has one; its plans must be validated over all objects.
    """
    domain, steps = problem.domain, tuple(relaxed)
    goals = (*problem.goal, *problem.goal_formulas)
    keep = {name for goal in goals for name in (goal.args if isinstance(goal, Literal) else goal.terms)}
    keep.update(*(step.args for step in steps), *(axiom.named_objects for axiom in domain.axioms))
    keep.update(*(domain.action(step.name).named_objects for step in steps))
    holders: dict[str, set[str]] = {}
    for atom in problem.state:
        if len(atom.args) > 1:
            holders.setdefault(atom.args[0], set()).update(atom.args)
    open_ = list(keep)
    while open_:
        more = holders.get(open_.pop(), set()) - keep
        keep |= more
        open_ += more
    constants = tuple(c for c in domain.constants if c.name in keep)
    actions = tuple(action for action in domain.actions if action.named_objects <= keep)
    if (constants, actions) != (domain.constants, domain.actions):
        domain = replace(domain, constants=constants, actions=actions)
    return replace(
        problem,
        domain=domain,
        objects=tuple(o for o in problem.objects if o.name in keep),
        state=frozenset(atom for atom in problem.state if keep.issuperset(atom.args)),
    )
