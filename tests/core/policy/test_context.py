"""What a policy knows when it is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.belief import Belief
from core.planning_model import Step
from core.policy import Context, GotPicture, Observation, PlanRequested, ProceedRequested, StepDone, advance
from core.ports import StepResult, StepStatus
from tests.core.tiny import PROBLEM

FIRST, SECOND = GotPicture(1, "a", "front"), GotPicture(2, "b", "front")
LOOK = GotPicture(2, "c", "side", begins_turn=False)
ASKED, GO_ON = PlanRequested(), ProceedRequested()


@pytest.mark.parametrize(
    ("history", "turn"),
    [
        ((), ()),
        ((ASKED,), (ASKED,)),
        ((FIRST, ASKED), (FIRST, ASKED)),
        ((GO_ON, FIRST, ASKED), (FIRST, ASKED)),
        ((FIRST, ASKED, SECOND), (SECOND,)),
        ((FIRST, ASKED, SECOND, LOOK, GO_ON), (SECOND, LOOK, GO_ON)),
    ],
)
def test_that_a_turn_begins_with_its_first_picture(
    history: tuple[Observation, ...], turn: tuple[Observation, ...]
) -> None:
    assert replace(Context(PROBLEM, Belief()), history=history).this_turn() == turn


@pytest.mark.parametrize(
    ("planned", "follows"), [({}, True), ({"grasp": (1.0,)}, True), ({"grasp": (2.0,)}, False)]
)
def test_that_a_step_is_the_plans_next_whatever_values_it_leaves_to_the_robot(
    planned: dict[str, tuple[float, ...]], follows: bool
) -> None:
    plan = (Step("pick", ("a",), planned), Step("place", ("a",)))
    done = StepDone(Step("pick", ("a",), {"grasp": (1.0,)}), StepResult(StepStatus.DONE))
    after = advance(replace(Context(PROBLEM, Belief()), plan=plan), done, Belief())
    assert after.plan == (plan[1:] if follows else ())
    assert (after.replan_reason is None) is follows
