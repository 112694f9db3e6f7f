"""The parts of an episode, made for another goal, and when its robot moves."""

from __future__ import annotations

import pytest

from app.episode.episode_runner import moves_after
from core import events as ev
from core.belief import Belief
from core.config import Settings
from core.episode import with_goal
from core.methods.dkprompt import DKPrompt
from core.operator import Approve, End, Proposal, ProposalKind
from core.planning_model import Step
from core.ports import Frame, StepResult, StepStatus
from main import make_components

STEP = Step("go", ("a",))
VIEW = Proposal(1, 1, ProposalKind.VIEWPOINT, None, "", Belief())


def test_that_for_another_goal_a_method_keeps_its_options() -> None:
    options = {"method.replan_on": "needed"}
    parts = make_components(Settings("halve_egg", robot="symbolic", pictures=False, options=options))
    try:
        other = with_goal(parts, parts.task.problem.goal[:1])
    finally:
        parts.close()
    assert isinstance(other.method, DKPrompt) and other.method is not parts.method
    assert other.method.options.replan_on == "needed"
    assert other.method.problem.goal == parts.task.problem.goal[:1]


@pytest.mark.parametrize(
    ("event", "moves"),
    [
        (ev.StepStarted(1, STEP), True),
        (ev.DecisionMade(1, 1, Approve()), True),  # it may be a viewpoint
        (ev.StepFinished(1, STEP, StepResult(StepStatus.DONE), ""), False),
        (ev.FrameCaptured(1, Frame(""), ()), False),
        (ev.ActionProposed(VIEW), False),
        (ev.DecisionMade(1, 1, End("")), None),
    ],
)
def test_which_events_begin_and_end_a_motion(event: ev.Event, moves: bool | None) -> None:
    for before in (False, True):
        assert moves_after(before, event) is (before if moves is None else moves)
