"""Ways to do a step that a robot offers before it passes the gate: ranked, drawn, and one of them chosen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from core.planning_model import Step

LineSegment = tuple[float, float, float, float]  # from column, row to column, row


@dataclass(frozen=True)
class StepCandidate:
    """One way to do a step; `step` has this choice in its values.

    `line` is where a picture of `camera`, `size` (width, height), shows it, in pixels: for a grasp, from one
    finger to the other.
    """

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
        """Return the candidates, best first, unavailable ones last; none if the step leaves nothing to
        choose.

        Called from the loop's thread; it may capture a picture but moves nothing. Raises RobotError.
        """

    def candidate_at(self, step: Step, column: float, row: float) -> StepCandidate | None:
        """Return the best candidate at this pixel of the picture that `candidates` used; None if there is
        none.

        Any thread; returns at once.
        """


def best_step(options: Sequence[StepCandidate]) -> Step | None:
    """Return the step of the first candidate that is available."""
    return next((o.step for o in options if not o.unavailable_reason), None)
