"""What the loop makes of a policy that wants to look; all on the domain of `tiny`."""

from __future__ import annotations

from dataclasses import dataclass, replace

import pytest

from core import events as ev
from core.operator import (
    Approve,
    Decision,
    End,
    Proposal,
    ProposalKind,
)
from core.planning_model import Step
from core.policy import (
    Action,
    DoSteps,
    GotPicture,
    LookFrom,
    StepHalted,
)
from core.reason import Cause, Reason
from robots.symbolic.robot import SymbolicRobot
from tests.core.looping import Acting, Scripted, only, saw
from tests.core.tiny import OPEN

AGAIN = Reason(Cause.OTHER, note="again")


def test_that_looking_from_elsewhere_passes_the_gate(setting) -> None:
    made = setting()
    there = made.robot.viewpoints[-1]
    policy = Acting((LookFrom(there, AGAIN),))
    operator = Scripted()
    events = replace(made, policy=policy, operator=operator).run()
    assert [(p.kind, p.step) for p in operator.seen] == [
        (ProposalKind.VIEWPOINT, Step("look_from", (there,)))
    ]
    assert [e.turn for e in only(events, ev.FrameCaptured)] == [1, 1]
    first, second = saw(policy, GotPicture)
    assert (first.begins_turn, second.begins_turn) == (True, False)
    assert first.viewpoint != second.viewpoint
    turn = policy.contexts[-1].this_turn()
    assert turn[0] is first and second in turn
    assert there in policy.contexts[0].viewpoints


@dataclass
class OneCamera:
    """A robot that can look from nowhere else."""

    robot: SymbolicRobot

    def __getattr__(self, name: str) -> object:
        if name in ("viewpoints", "look_from"):
            raise AttributeError(name)
        return getattr(self.robot, name)


def test_that_a_robot_of_one_camera_looks_again_from_there(setting) -> None:
    made = setting(policy=Acting((LookFrom("left", AGAIN),)), operator=Scripted([Approve("me")]))
    events = replace(made, robot=OneCamera(made.robot)).run()
    assert [e.turn for e in only(events, ev.FrameCaptured)] == [1, 1]
    assert events[-1].result is ev.EpisodeResult.SUCCEEDED


class Late(Scripted):
    """While it decides first, the robot halts by itself, and somebody releases that."""

    robot: SymbolicRobot

    def decide(self, proposal: Proposal) -> Decision:
        if not self.seen:
            self.robot.release_stop(self.robot.halt())
        return super().decide(proposal)


@pytest.mark.parametrize("wanted", [LookFrom("left", AGAIN), DoSteps((OPEN,), AGAIN)])
def test_that_a_stop_before_a_motion_holds_until_a_person_releases_it(setting, wanted: Action) -> None:
    policy, operator = Acting((wanted,)), Late([Approve("me"), End("enough", "me")])
    made = setting(policy=policy, operator=operator)
    operator.robot = made.robot
    if isinstance(wanted, LookFrom):
        policy.wants = (replace(wanted, viewpoint=made.robot.viewpoints[-1]),)
    events = made.run()
    assert operator.seen[1].kind is ProposalKind.STOP_RELEASE
    assert "a stop came" in operator.seen[1].explanation
    assert (events[-1].result, events[-1].reason) == (ev.EpisodeResult.ENDED, "enough")
    assert len(only(events, ev.FrameCaptured)) == 1
    assert saw(policy, StepHalted) == ([] if isinstance(wanted, LookFrom) else [StepHalted(OPEN)])
