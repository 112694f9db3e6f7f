"""What a policy knows when it is asked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.belief import Belief
from core.policy import Context, GotPicture, Observation, PlanRequested, ProceedRequested
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
