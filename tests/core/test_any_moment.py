"""The loop stopped, ended and broken at every single moment: the robot stands, the episode is ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from core import events as ev
from core.errors import RobotError
from core.log.recorder import Recorder
from core.loop.episode_loop import run_episode
from core.loop.gate import AutoOperator, Gate, stop_motion
from core.methods.dkprompt import DKPrompt
from core.operator import End, Proposal, ProposalKind
from core.planning.planner import make_planner
from core.ports import Robot, StepStatus
from core.stop_token import StopToken
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.looping import Truthful
from tests.permitted import do

MOMENTS = range(1, 40)  # an undisturbed episode of this seed has about as many events


def a_robot() -> SymbolicRobot:
    return SymbolicRobot(tiny.folder(0.5, 0.5), tiny.TASK, seed=5, pictures=False)


def episode(robot: Robot, inner: SymbolicRobot, cancel: StopToken) -> Iterator[ev.Record]:
    events = run_episode(
        "get_key", tiny.PROBLEM, robot, Truthful(inner), make_planner(),
        DKPrompt(tiny.folder(), tiny.PROBLEM), AutoOperator(), cancel,
    )  # fmt: skip
    return Recorder.without_log().record_events(events)


def stands(robot: SymbolicRobot) -> bool:
    return do(robot, tiny.OPEN).status is StepStatus.HALTED


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("how", ["stop", "end", "close"])
def test_that_whenever_it_is_interrupted_it_ends_properly(how: str, moment: int) -> None:
    robot, cancel, told = a_robot(), StopToken(), []
    records = episode(robot, robot, cancel)
    for number, record in enumerate(records, 1):
        told.append(record.event)
        if number == moment:
            if how == "stop":
                stop_motion(robot, cancel, None, "Esc")
            elif how == "end":
                cancel.end("the window was closed")
            else:
                records.close()
    assert stands(robot)
    if how != "close":
        assert isinstance(told[-1], ev.EpisodeEnded)
        assert sum(isinstance(e, ev.EpisodeEnded) for e in told) == 1
    if how == "stop" and not any(
        e.result is ev.EpisodeResult.SUCCEEDED for e in told if isinstance(e, ev.EpisodeEnded)
    ):
        after = told[moment:]
        assert not any(
            isinstance(e, ev.StepFinished) and e.result.status is not StepStatus.HALTED for e in after
        )


@dataclass
class BreaksAt:
    """A robot whose `at`th call fails, whichever it is."""

    robot: SymbolicRobot
    at: int
    calls: int = 0

    def __getattr__(self, name: str) -> object:
        found = getattr(self.robot, name)
        if name in ("halt", "close", "name", "embodiment", "situation", "permits"):
            return found

        def call(*words: object) -> object:
            self.calls += 1
            if self.calls == self.at:
                raise RobotError("The link broke: plug it in.")
            return found(*words)

        return call


class NeverHalts(SymbolicRobot):
    """Its link is cut."""

    def halt(self) -> int:
        raise RobotError("The link broke: plug it in.")


def test_that_a_robot_that_takes_no_stop_is_asked_for_nothing_more() -> None:
    robot = NeverHalts(tiny.folder(), tiny.TASK, pictures=False)
    cancel, gate, told = StopToken(), Gate(), []
    for record in episode(robot, robot, cancel):
        told.append(record.event)
        if isinstance(record.event, ev.StepFinished):
            with pytest.raises(RobotError):
                stop_motion(robot, cancel, gate, "Esc")
    assert sum(isinstance(e, ev.StepFinished) for e in told) == 1
    assert isinstance(told[-1], ev.EpisodeEnded) and "emergency stop" in told[-1].reason
    assert isinstance(gate.decide(Proposal(1, 1, ProposalKind.STEP, tiny.OPEN)), End)


@pytest.mark.parametrize("at", range(1, 12))
def test_that_whichever_call_of_the_robot_breaks_the_person_reads_one_sentence(at: int) -> None:
    inner = a_robot()
    told = [r.event for r in episode(BreaksAt(inner, at), inner, StopToken())]
    ended = told[-1]
    assert isinstance(ended, ev.EpisodeEnded) and ended.result is ev.EpisodeResult.CRASHED
    assert ended.reason.startswith("The link broke: plug it in.")
    assert stands(inner)
