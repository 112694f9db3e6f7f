"""What an episode is run with: the loop over the parts that were made, and the goal they are for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from core import events as ev
from core.cancel import Cancel
from core.config import Parts
from core.gate import Gate
from core.loop import run_episode
from core.methods import make_method
from core.problem import Literal

Loop = Callable[[Parts, Gate, Cancel], Iterator[ev.Event]]


def run_parts(parts: Parts, gate: Gate, cancel: Cancel) -> Iterator[ev.Event]:
    """The loop over these parts."""
    s = parts.settings
    return run_episode(
        parts.task.name,
        parts.task.problem,
        parts.robot,
        parts.answerer,
        parts.planner,
        parts.method,
        gate,
        cancel,
        s.max_steps,
        s.words(),
    )


def aimed(parts: Parts, goal: tuple[Literal, ...] | None) -> Parts:
    """The parts for another goal; None: for the task's own."""
    if goal is None:
        return parts
    problem = replace(parts.task.problem, goal=goal)
    method = make_method(parts.settings.method, parts.folder, problem)
    return replace(parts, task=replace(parts.task, problem=problem), method=method)
