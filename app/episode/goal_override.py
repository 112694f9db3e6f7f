"""Replace the goal of an episode's components."""

from __future__ import annotations

from dataclasses import replace

from core.config import EpisodeComponents
from core.methods.consistency import DomainConsistency
from core.methods.registry import make_method
from core.planning_model import Literal


def with_goal(components: EpisodeComponents, goal: tuple[Literal, ...] | None) -> EpisodeComponents:
    """Return the components for another goal; None keeps the task's own."""
    if goal is None:
        return components
    spec, s = components.domain_spec, components.settings
    problem = replace(components.task.problem, goal=goal)
    parts = {"planner": components.planner, "answerer": components.answerer, "model": components.model}
    method = make_method(s.method, spec, problem, s.options_for("method"), **parts)
    task, consistency = replace(components.task, problem=problem), DomainConsistency(spec, problem)
    return replace(components, task=task, method=method, consistency=consistency)
