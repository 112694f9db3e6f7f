"""The cost of plans in domains whose actions have costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.belief import Atom
from core.planning_model import Amount, Problem, Step


def plan_cost(problem: Problem, steps: Iterable[Step]) -> float | None:
    """Return the cost of the steps; None if actions have none, or a function that they need has no value."""
    if not problem.domain.has_costs:
        return None
    total = 0.0
    for step in steps:
        action = problem.domain.action(step.name)
        binding = dict(zip((p.name for p in action.parameters), step.args, strict=True))
        for amount in action.costs:
            value = _value(amount, binding, problem)
            if value is None:
                return None
            total += value
    return total


def _value(amount: Amount, binding: Mapping[str, str], problem: Problem) -> float | None:
    if isinstance(amount, Atom):
        return problem.cost_of.get(Atom(amount.predicate, tuple(binding.get(a, a) for a in amount.args)))
    return amount
