"""What OmniGibson's task calls."""

from typing import Any

from contract_package import goal_met


def evaluate_goal_conditions(goal_conditions: Any) -> tuple[bool, dict[str, list[int]]]:
    (world,) = goal_conditions
    met = goal_met(world)
    return met, {"satisfied": [0] if met else [], "unsatisfied": [] if met else [0]}
