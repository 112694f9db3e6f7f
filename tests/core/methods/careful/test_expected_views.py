"""Which view another look is expected to give."""

from __future__ import annotations

import pytest

from core.belief import Belief
from core.methods.careful.expected_views import NEW, expected_views
from core.planning_model import Step
from core.policy import Context, GotPicture, StepDone
from core.ports import StepResult, StepStatus
from tests.core import tiny

LOOK, OTHER = Step("look", ("door",)), Step("look", ("key",))


def course(*seen: Step | str) -> Context:
    """The context after these steps and views; "+view" is that of a look in the same turn."""
    history = []
    for turn, thing in enumerate(seen):
        if isinstance(thing, Step):
            history.append(StepDone(thing, StepResult(StepStatus.DONE)))
        else:
            view = thing.removeprefix("+")
            history.append(GotPicture(turn, f"frame {turn}", view, begins_turn=view == thing))
    return Context(tiny.PROBLEM, Belief.from_init(tiny.PROBLEM.state), history=tuple(history))


def moves_camera(step: Step) -> bool:
    return step.name == "look"


@pytest.mark.parametrize(
    ("seen", "view"),
    [
        ((), NEW),
        ((LOOK, "front"), NEW),
        ((LOOK, "front", LOOK, "front"), "front"),
        ((LOOK, "front", OTHER, "back", LOOK, "front"), "front"),
        ((LOOK, "front", LOOK, "elsewhere"), NEW),
        ((LOOK, "front", LOOK, "front", LOOK, "elsewhere"), NEW),
        ((tiny.OPEN, "front", tiny.OPEN, "front"), NEW),
    ],
)
def test_that_a_step_which_gave_the_same_view_twice_is_expected_to_give_it_again(seen, view) -> None:
    assert expected_views(course(*seen), moves_camera).after(LOOK) == view


@pytest.mark.parametrize(
    ("seen", "view"),
    [
        (("front",), NEW),
        (("front", "+left"), NEW),
        (("front", "+left", "front"), "left"),
        (("front", "+left", "+right", "front", "+left"), "right"),
        (("front", "+left", "back"), NEW),
    ],
)
def test_that_a_look_from_a_side_is_expected_to_be_as_it_was_from_the_same_place(seen, view) -> None:
    assert expected_views(course(*seen), moves_camera).from_side == view
