"""What a simulator knows of a question: the one place that judges answers. Never shown to a method."""

from __future__ import annotations

from typing import cast

from core.facts import About, Query
from core.ports import StepTruth, Truth
from core.problem import Step


def holds(robot: object, query: Query) -> bool | None:
    """Whether what the question is about is so; None where this robot cannot tell.

    The proposition of a question about a step names the step: `(worked open agent cabinet)`.
    """
    if query.about is About.FACT:
        truth = _as_truth(robot)
        return query.atom in truth.truth() if truth else None
    if not isinstance(robot, StepTruth):
        return None
    return robot.worked() if query.about is About.WORKED else robot.possible(step_of(query))


def shown(robot: object, query: Query) -> bool:
    """Whether the picture can show it. A question about a step is asked about the whole picture."""
    if query.about is not About.FACT:
        return True
    truth = _as_truth(robot)
    return truth is not None and truth.seen(query.atom)


def step_of(query: Query) -> Step:
    """The step that a question about a step names."""
    return Step(query.atom.args[0], query.atom.args[1:])


_TELLS: dict[type, bool] = {}  # asking a protocol takes 20 us, and this is asked of every question


def _as_truth(robot: object) -> Truth | None:
    kind = type(robot)
    if kind not in _TELLS:
        _TELLS[kind] = isinstance(robot, Truth)
    return cast(Truth, robot) if _TELLS[kind] else None
