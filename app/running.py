"""What an episode is run with: the goal that its parts are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from core import events as ev
from core.cancel import Cancel
from core.config import Parts
from core.gate import Gate
from core.methods.consistency import DomainConsistency
from core.methods.registry import make_method
from core.problem import Literal

Loop = Callable[[Parts, Gate, Cancel], Iterator[ev.Event]]


def aimed(parts: Parts, goal: tuple[Literal, ...] | None) -> Parts:
    """The parts for another goal; None: for the task's own."""
    if goal is None:
        return parts
    problem = replace(parts.task.problem, goal=goal)
    s = parts.settings
    method = make_method(
        s.method,
        parts.folder,
        problem,
        s.of("method"),
        planner=parts.planner,
        answerer=parts.answerer,
        model=parts.model,
    )
    task, consistency = replace(parts.task, problem=problem), DomainConsistency(parts.folder, problem)
    return replace(parts, task=task, method=method, consistency=consistency)
