"""A plan that is not the one approved on the sheet is named, before anything of it moves."""

from __future__ import annotations

from dataclasses import replace

from app.presentation.because import not_as_approved
from core.events import PlanMade
from core.operator import PlanChange
from core.planning_model import Plan, PlanStatus, Step

PICK = Step("pick", ("mug",), {"moves": (("grip", 0.0),)})
PLAN = Plan(PlanStatus.FOUND, (PICK,))


def why(steps: tuple[Step, ...]) -> str:
    made = PlanMade(PlanChange(1, (), replace(PLAN, steps=steps)))
    said = not_as_approved(PLAN, made)
    return said.lines[0] if said else ""


def test_that_other_steps_and_other_moves_are_told_apart_and_the_same_moves_are_not_named() -> None:
    assert not why((PICK,))
    assert "the arm moves otherwise" in why((replace(PICK, values={"moves": (("grip", 0.1),)}),))
    assert "other steps" in why((PICK, PICK))
