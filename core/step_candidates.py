"""Ways to do a step that a robot offers before it passes the gate: ranked, drawn, and one of them taken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from core.planning_model import Step

LineSegment = tuple[float, float, float, float]  # from column, row to column, row


@dataclass(frozen=True)
class StepCandidate:
    """`step` is the step with this choice in its values. `line` is where a picture of `camera`, `size` wide
    and high, shows it, in pixels: for a grasp, from one finger to the other."""

    label: str
    step: Step
    score: float = 0.0  # 0..1
    unavailable_reason: str = ""  # why it cannot be done
    camera: str = ""
    size: tuple[int, int] = (0, 0)
    line: LineSegment = (0.0, 0.0, 0.0, 0.0)


@runtime_checkable
class ProvidesCandidates(Protocol):
    def candidates(self, step: Step) -> tuple[StepCandidate, ...]:
        """Best first, those that cannot be done last; none where the step leaves nothing to choose.

        Loop's thread; it may look, and moves nothing. Raises RobotError.
        """
        ...

    def candidate_at(self, step: Step, column: float, row: float) -> StepCandidate | None:
        """The best one at this place of the picture that `options` looked at; None: there is none. Any
        thread, at once."""
        ...


def best_step(options: Sequence[StepCandidate]) -> Step | None:
    """The first that can be done."""
    return next((o.step for o in options if not o.unavailable_reason), None)
