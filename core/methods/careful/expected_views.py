"""Predict the view that another look would give, as far as earlier looks tell.

A look is worth most from where none was taken: elsewhere the answers are mostly the same, right or wrong.
Robots differ in whether they come back to the same pose, so that is learnt from the course of the episode.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from core.planning_model import Step
from core.policy import Context, GotPicture, StepDone

NEW = ""  # a view that was not there before


@dataclass(frozen=True)
class ExpectedViews:
    """The views to be expected. `by_step` holds those of steps that gave the same one twice in a row,
    `from_side` that of the next look from another side; any other look is taken to give a new one.
    """

    by_step: Mapping[Step, str] = field(default_factory=dict)
    from_side: str = NEW

    def after(self, step: Step) -> str:
        return self.by_step.get(step, NEW)


def expected_views(context: Context, moves_camera: Callable[[Step], bool]) -> ExpectedViews:
    """Return what earlier looks of this episode give reason to expect of the next ones."""
    by_step: dict[Step, str] = {}
    same: dict[Step, str] = {}
    sides: dict[tuple[str, int], str] = {}  # by the view of the turn, and the number of the look in it
    moved: Step | None = None
    base, looks = NEW, 0
    for seen in context.history:
        match seen:
            case StepDone(step):
                moved = step if moves_camera(step) else None
            case GotPicture(viewpoint=view, begins_turn=True):
                base, looks = view, 0
                if moved is not None:
                    again = by_step.get(moved) == view
                    by_step[moved] = view
                    same = {**same, moved: view} if again else {s: v for s, v in same.items() if s != moved}
                moved = None
            case GotPicture(viewpoint=view):
                looks += 1
                sides[base, looks] = view
    return ExpectedViews(same, sides.get((base, looks + 1), NEW))
