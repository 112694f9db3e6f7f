"""Permits for tests of what a robot does without a loop; during an episode, from its own authority."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.cancel import Cancel
from core.errors import MotionRefused
from core.permit import PermitAuthority, PermitBook, PermitKind
from core.planning_model import Step
from core.ports import Frame, Robot, StepResult, StepStatus, SupportsViewpoints

BY = "a person"


@contextmanager
def authority_of(book: PermitBook) -> Iterator[PermitAuthority]:
    """The right to issue, claimed while the block runs unless an episode has it."""
    held = book._holder.get("holder")
    authority = held or book.claim()
    try:
        yield authority
    finally:
        if held is None:
            authority.release()


def do(robot: Robot, step: Step, cancel: Cancel | None = None) -> StepResult:
    """Have the robot do this step on a permit for it; as in the loop, a stop before it means HALTED."""
    with authority_of(robot.permits) as authority:
        permit = authority.issue(PermitKind.STEP, step, authority.last_stop, 1, BY)
        try:
            return robot.do(step, permit, cancel or Cancel())
        except MotionRefused as refused:
            return StepResult(StepStatus.HALTED, str(refused))


def look_from(robot: SupportsViewpoints, viewpoint: str, cancel: Cancel | None = None) -> Frame:
    """Have the robot look from there on a permit for it."""
    with authority_of(robot.permits) as authority:  # type: ignore[attr-defined]
        permit = authority.issue(PermitKind.LOOK, viewpoint, authority.last_stop, 1, BY)
        return robot.look_from(viewpoint, permit, cancel or Cancel())
