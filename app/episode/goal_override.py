"""What an episode is run with: the goal that its parts are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from core import events as ev
from core.cancel import Cancel
from core.config import EpisodeComponents
from core.loop.gate import Gate
from core.methods.consistency import DomainConsistency
from core.methods.registry import make_method
from core.planning_model import Literal

EpisodeLoop = Callable[[EpisodeComponents, Gate, Cancel], Iterator[ev.Event]]


def with_goal(components: EpisodeComponents, goal: tuple[Literal, ...] | None) -> EpisodeComponents:
    """The parts for another goal; None: for the task's own."""
    if goal is None:
        return components
    problem = replace(components.task.problem, goal=goal)
    s = components.settings
    method = make_method(
        s.method,
        components.domain_spec,
        problem,
        s.options_for("method"),
        planner=components.planner,
        answerer=components.answerer,
        model=components.model,
    )
    task, consistency = (
        replace(components.task, problem=problem),
        DomainConsistency(components.domain_spec, problem),
    )
    return replace(components, task=task, method=method, consistency=consistency)
