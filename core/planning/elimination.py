"""Leave out the steps that a plan can do without (action elimination, Fink and Yang 1993)."""

from __future__ import annotations

from core.planning.compiled import compiled
from core.planning_model import Problem, Step
from core.work import TooMuchWork, Work, work_in_force

MAX_STEPS = 1_000  # the time is quadratic in the length
MAX_STEPS_WITH_FORMULAS = 40  # with these or axioms, which take far longer to evaluate


def eliminate_redundant(problem: Problem, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the plan without redundant steps. A step is left out with all that it alone makes applicable.

    Returns the plan as it is if that would take long. Raises Cancelled.
    """
    try:
        with Work():
            return _without_redundant(problem, steps)
    except TooMuchWork:
        return steps


def _without_redundant(problem: Problem, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    known, work = compiled(problem), work_in_force()
    plan = [known.operator(step) for step in steps]
    slow = problem.domain.axioms or any(op.has_tests for op in (known.goal, *plan))
    if len(plan) > (MAX_STEPS_WITH_FORMULAS if slow else MAX_STEPS):
        return steps
    number, before = 0, known.mask(problem.state)
    while number < len(plan):
        work.spend(len(plan))
        state, kept = before, plan[:number]
        for op in plan[number + 1 :]:
            if op.applicable(state):
                state = known.closed(op.apply(state))
                kept.append(op)
        if known.goal.applicable(state):
            plan = kept
        else:
            before = known.closed(plan[number].apply(before))
            number += 1
    return tuple(op.step for op in plan)
