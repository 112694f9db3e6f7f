"""What ends a step or an episode before its time: stops, cancels, faults, a camera that sends nothing."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

import pytest

from core import events as ev
from core.belief import Answer, BeliefSource, Verdict
from core.errors import AnswererError, NoPicture, RobotError
from core.loop.gate import Gate, stop_motion
from core.methods.dkprompt import DKPrompt
from core.operator import (
    AnswerReview,
    Approve,
    Correct,
    Decision,
    End,
    PlanChange,
    Proceed,
    Proposal,
    ProposalKind,
)
from core.permit import Permit
from core.planning_model import Plan, Step
from core.policy import Action, Context
from core.ports import Frame, ModelCall, StepResult, StepStatus
from core.reason import Cause
from core.stop_token import StopToken
from core.supervision import SUPERVISION_PRESETS, SupervisionLevel, SupervisionLevels
from core.work import work_in_force
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.looping import Scripted, Setting, only, steps
from tests.core.tiny import CLOSED, OPEN, TAKE
from tests.permitted import do


def test_that_a_stop_at_the_gate_holds_until_it_is_released_and_the_episode_goes_on(setting) -> None:
    gate = Gate(
        SupervisionLevels(
            SupervisionLevel.WATCH, SupervisionLevel.WATCH, SupervisionLevel.WATCH, SupervisionLevel.APPROVE
        )
    )
    made = setting(operator=gate)
    kinds = []
    with ThreadPoolExecutor(1) as pool:
        for event in _driven(made, pool):
            kinds.append(event)
            match event:
                case ev.ActionProposed(Proposal(number=1)):
                    stop_motion(made.robot, made.cancel, gate, "Esc")
                    gate.submit_decision(1, Approve("too late"))
                case ev.ActionProposed(Proposal(kind=ProposalKind.STOP_RELEASE, number=n, stop_number=stop)):
                    assert do(made.robot, OPEN).status is StepStatus.HALTED
                    gate.submit_decision(n, Proceed(stop, "me"))
                case ev.ActionProposed(Proposal(number=n)):
                    gate.submit_decision(n, Approve("me"))
    assert steps(kinds) == [OPEN, TAKE]
    assert kinds[-1].result is ev.EpisodeResult.SUCCEEDED


def _driven(made: Setting, pool: ThreadPoolExecutor) -> Iterator[ev.Event]:
    """The episode in a thread of its own, its events in this one, so that a test can answer the gate."""
    from queue import Queue

    queue: Queue[ev.Event | None] = Queue()

    def drive() -> None:
        try:
            for event in made.start():
                queue.put(event)
        finally:
            queue.put(None)

    done = pool.submit(drive)
    while (event := queue.get(timeout=20)) is not None:
        yield event
    done.result(5)


def test_that_a_stop_pressed_while_an_earlier_one_is_released_stays(setting) -> None:
    made = setting()

    class Presser(Scripted):
        def decide(self, proposal: Proposal) -> Decision:
            self.seen.append(proposal)
            if proposal.kind is not ProposalKind.STOP_RELEASE:
                return Approve("me") if len(self.seen) > 3 else _stop(made, proposal)
            if len(self.seen) == 2:
                made.cancel.stop(made.robot.halt(), "again")  # pressed while the first is being released
            return Proceed(proposal.stop_number, "me")

    operator = Presser()
    events = replace(made, operator=operator).run()
    released = [p.stop_number for p in operator.seen if p.kind is ProposalKind.STOP_RELEASE]
    assert released == [1, 2]
    assert [p.number for p in operator.seen] == [1, 2, 3, 4, 5], "no two share a reply"
    assert steps(events) == [OPEN, TAKE]


def _stop(made: Setting, proposal: Proposal) -> Decision:
    from core.operator import StopRaised

    return StopRaised(stop_motion(made.robot, made.cancel, None, "Esc"), "Esc")


@dataclass
class HaltsItself:
    """A robot that halts in the middle of its first step, as after a protective stop."""

    robot: SymbolicRobot
    halts: int = 1

    def __getattr__(self, name: str) -> object:
        return getattr(self.robot, name)

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        if self.halts:
            self.halts -= 1
            return StepResult(StepStatus.HALTED, "protective stop")
        return self.robot.do(step, permit, cancel)


def test_that_a_stop_after_an_approval_keeps_the_step_from_beginning(setting) -> None:
    made = setting()

    class Presser(Scripted):
        def decide(self, proposal: Proposal) -> Decision:
            if not self.seen:
                stop_motion(made.robot, made.cancel, None, "Esc")
            return super().decide(proposal)

    operator = Presser([Approve("me"), End("enough", "me")])
    events = replace(made, operator=operator).run()
    assert operator.seen[1].kind is ProposalKind.STOP_RELEASE
    assert not only(events, ev.StepStarted)


def test_that_answers_under_which_a_stop_comes_do_not_count(setting) -> None:
    made = setting()

    class Presser(Scripted):
        def review(self, review: AnswerReview) -> tuple[Answer, ...]:
            stop_motion(made.robot, made.cancel, None, "Esc")
            return ()

    events = replace(made, operator=Presser([End("enough", "me")])).run()
    assert not only(events, ev.AnswersReviewed) and not only(events, ev.StepStarted)
    assert events[-1].reason == "enough"


def test_that_a_plan_under_whose_offer_a_stop_comes_is_offered_again(setting) -> None:
    made = setting(blind=frozenset({"closed"}))
    is_open = Answer(CLOSED, Verdict.NO, BeliefSource.OPERATOR, turn=1, by="me")

    class Presser(Scripted):
        def accept_plan(self, revision: PlanChange) -> bool | None:
            if not made.cancel.reason:
                stop_motion(made.robot, made.cancel, None, "Esc")
                return None
            return True

    operator = Presser([Correct((is_open,), "me"), Proceed(1, "me"), End("enough", "me")])
    events = replace(made, operator=operator).run()
    assert [e.change.reason.cause for e in only(events, ev.PlanOffered)] == [Cause.CORRECTED] * 2
    assert [p.accepted for p in only(events, ev.PlanMade)] == [True, True]


def test_that_what_a_halted_step_touched_is_asked_again(setting) -> None:
    made = setting()
    operator = Scripted([Approve("me"), Proceed(1, "me")])
    events = replace(made, robot=HaltsItself(made.robot), operator=operator).run()
    assert (
        operator.seen[1].kind is ProposalKind.STOP_RELEASE
        and operator.seen[1].explanation == "protective stop"
    )
    doubted = only(events, ev.QuestionsAsked)[1].queries
    assert {q.atom for q in doubted} == {CLOSED}
    assert steps(events) == [OPEN, OPEN, TAKE]


def test_that_a_stop_while_the_operator_decides_voids_the_approval_though_it_is_released(setting) -> None:
    """As when the arm stops by itself, and somebody else releases it before the person has approved."""
    made = setting()

    class Late(Scripted):
        def decide(self, proposal: Proposal) -> Decision:
            if not self.seen:
                made.robot.release_stop(made.robot.halt())
            return super().decide(proposal)

    before = made.robot.truth()
    operator = Late([Approve("me"), End("enough", "me")])
    events = replace(made, operator=operator).run()
    (halted,) = only(events, ev.StepFinished)
    assert halted.result.status is StepStatus.HALTED and "a stop came" in halted.result.detail
    assert operator.seen[1].kind is ProposalKind.STOP_RELEASE, "a person has to look"
    assert made.robot.truth() == before


class Blind(HaltsItself):
    """Its camera sends nothing at the first `halts` looks after a step, and another console may be there."""

    acted = left = 0

    def do(self, step: Step, permit: Permit, cancel: StopToken) -> StepResult:
        self.acted += 1
        return self.robot.do(step, permit, cancel)

    def look(self, cancel: StopToken) -> Frame:
        if self.acted and self.halts:
            self.halts -= 1
            raise NoPicture("No picture for 5 s from the overhead camera. Check its cable.")
        return self.robot.look(cancel)

    def halt_if_in_control(self) -> int:
        self.left += 1
        return self.robot.halt()


def test_that_without_a_picture_it_stands_until_a_person_goes_on_and_one_has_come(setting) -> None:
    made = setting()
    operator = Scripted([Approve("me"), Proceed(1, "me"), Proceed(2, "me")])
    robot = Blind(made.robot, halts=2)
    events = replace(made, robot=robot, operator=operator).run()
    released = [p for p in operator.seen if p.kind is ProposalKind.STOP_RELEASE]
    assert [p.stop_number for p in released] == [1, 2]
    assert "overhead camera" in released[0].explanation
    assert steps(events) == [OPEN, TAKE], "nothing is done blind, and nothing is done twice"
    assert events[-1].result is ev.EpisodeResult.SUCCEEDED
    asked = [{q.atom for q in e.queries} for e in only(events, ev.QuestionsAsked)]
    assert CLOSED in asked[1], "the step's effects are asked of the picture that came"


def test_that_without_a_picture_a_person_may_end_it(setting) -> None:
    made = setting()
    operator = Scripted([Approve("me"), End("enough", "me")])
    events = replace(made, robot=Blind(made.robot), operator=operator).run()
    assert (events[-1].result, events[-1].reason) == (ev.EpisodeResult.ENDED, "enough")


def test_that_without_a_picture_nothing_goes_on_where_nobody_looks(setting) -> None:
    made = setting()
    events = replace(made, robot=Blind(made.robot)).run()
    assert (events[-1].result, steps(events)) == (ev.EpisodeResult.ENDED, [OPEN])
    assert "overhead camera" in events[-1].reason


def test_that_an_end_halts_only_what_is_its_own(setting) -> None:
    """No person asked for a stop, and another program may be at work with the robot."""
    made = setting()
    robot = Blind(made.robot, halts=0)
    replace(made, robot=robot).run()
    assert robot.left == 1
    assert do(made.robot, OPEN).status is StepStatus.HALTED


def test_that_an_end_from_outside_is_taken_at_once(setting) -> None:
    made = setting()
    made.cancel.end("the window was closed")
    events = made.run()
    assert (events[-1].result, events[-1].reason) == (ev.EpisodeResult.ENDED, "the window was closed")
    assert steps(events) == []


def test_that_an_end_while_the_model_is_asked_is_taken_in_that_turn(setting) -> None:
    gate = Gate(SUPERVISION_PRESETS["Watch"])
    made = setting(operator=gate)
    events = []
    for event in made.start():
        events.append(event)
        if isinstance(event, ev.QuestionsAsked):
            gate.end("enough", "me")
    assert (events[-1].result, events[-1].reason) == (ev.EpisodeResult.ENDED, "enough")
    assert not only(events, ev.ActionProposed)


class Broken:
    """Raises wherever it is asked to do something."""

    name = "broken"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def answer(self, *_: object) -> ModelCall:
        raise self.error

    def plan(self, *_: object) -> Plan:
        raise self.error


@pytest.mark.parametrize("part", ["answerer", "planner"])
@pytest.mark.parametrize("error", [RobotError("It broke: mend it."), ZeroDivisionError("oh")])
def test_that_a_broken_part_ends_the_episode_and_leaves_the_robot_halted(setting, part, error) -> None:
    made = setting()
    for event in replace(made, **{part: Broken(error)}).start():
        halted = do(made.robot, OPEN).status if isinstance(event, ev.EpisodeEnded) else None  # already then
    assert event.result is ev.EpisodeResult.CRASHED
    assert str(error) in event.reason
    assert halted is StepStatus.HALTED or part == "planner"  # which breaks while nothing can move
    assert do(made.robot, OPEN).status is StepStatus.HALTED


def test_that_the_operator_is_asked_when_the_model_stays_away(setting) -> None:
    class Knows(Scripted):
        def review(self, review: AnswerReview) -> tuple[Answer, ...]:
            truth = made.robot.truth()
            return tuple(
                replace(a, verdict=Verdict.from_bool(a.atom in truth), source=BeliefSource.OPERATOR, by="me")
                for a in review.answers
            )

    made = setting()
    away = Broken(AnswererError("The model does not answer: check the address."))
    events = replace(made, answerer=away, operator=Knows()).run()
    assert only(events, ev.Notice)[0].text.startswith("The model does not answer")
    assert events[-1].true_goal is True


def test_that_closing_the_iterator_halts_the_robot(setting) -> None:
    made = setting()
    events = made.start()
    while not isinstance(next(events), ev.ActionProposed):
        pass
    events.close()
    assert do(made.robot, OPEN).status is StepStatus.HALTED


def test_that_a_stop_ends_what_a_policy_counts_through(setting) -> None:
    class Endless(DKPrompt):
        def act(self, context: Context) -> Action:
            made.cancel.end("enough")
            while True:
                work_in_force().spend()

    made = setting()
    events = replace(made, policy=Endless(tiny.folder(), made.problem)).run()
    assert (events[-1].result, events[-1].reason) == (ev.EpisodeResult.ENDED, "enough")
    assert not only(events, ev.ActionProposed)
