"""An episode over the parts that were made for it: what window, terminal and trials run."""

from __future__ import annotations

from collections.abc import Iterator

from core import events as ev
from core.cancel import Cancel
from core.config import Parts
from core.deciding import Operator
from core.loop import run_episode


def run_parts(parts: Parts, operator: Operator, cancel: Cancel) -> Iterator[ev.Event]:
    """The loop over these parts, which stay the caller's to close."""
    return run_episode(
        parts.task.name,
        parts.task.problem,
        parts.robot,
        parts.answerer,
        parts.planner,
        parts.method,
        operator,
        cancel,
        parts.settings.max_steps,
        parts.settings.words(),
        consistency=parts.consistency,
        model=parts.model,
        budget=parts.left,
    )
