"""What an episode is run with: the goal that its parts are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from core import events as ev
from core.cancel import Cancel
from core.config import EpisodeComponents
from core.gate import Gate
from core.methods.consistency import DomainConsistency
from core.methods.registry import make_method
from core.planning_model import Literal

Loop = Callable[[EpisodeComponents, Gate, Cancel], Iterator[ev.Event]]


def aimed(parts: EpisodeComponents, goal: tuple[Literal, ...] | None) -> EpisodeComponents:
    """The parts for another goal; None: for the task's own."""
    if goal is None:
        return parts
    problem = replace(parts.task.problem, goal=goal)
    s = parts.settings
    method = make_method(
        s.method,
        parts.domain_spec,
        problem,
        s.options_for("method"),
        planner=parts.planner,
        answerer=parts.answerer,
        model=parts.model,
    )
    task, consistency = replace(parts.task, problem=problem), DomainConsistency(parts.domain_spec, problem)
    return replace(parts, task=task, method=method, consistency=consistency)
