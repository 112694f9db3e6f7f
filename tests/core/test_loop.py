"""One turn after the other, with real parts on the domain of `tiny`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace

import pytest

from core import events as ev
from core.cancel import Cancel
from core.deciding import (
    Approve,
    Choose,
    Continue,
    Correct,
    Decision,
    End,
    Need,
    Operator,
    Proposal,
    Replan,
    Review,
    Revision,
    Undo,
)
from core.dials import Dials, Level
from core.errors import AnswererError, NoPicture, RobotError
from core.facts import Answer, Belief, Purpose, Query, Source, Verdict
from core.gate import Automatic, Gate, stop_motion
from core.loop import run_episode
from core.methods.dkprompt import DKPrompt
from core.planning.planner import make_planner
from core.ports import Answerer, Call, Ending, Frame, Outcome, Planner
from core.problem import Plan, Problem, Step
from robots.symbolic.robot import SymbolicRobot
from tests.core import tiny
from tests.core.tiny import CLOSED, HOLDING, INSIDE, OPEN, SHUT, TAKE


@dataclass
class Truthful:
    """Answers every question as the world is, but UNKNOWN to those in `blind`; keeps what it was asked."""

    robot: SymbolicRobot
    blind: frozenset[str] = frozenset()
    name: str = "truthful"
    asked: list[tuple[str, str]] = field(default_factory=list)

    def answer(self, frame: Frame, queries: Sequence[Query], turn: int, cancel: Cancel) -> Call:
        self.asked += [(frame.id + str(turn), q.text) for q in queries]
        truth = self.robot.truth()
        return Call(
            tuple(
                Answer(
                    q.atom,
                    Verdict.UNKNOWN if q.atom.predicate in self.blind else Verdict.of(q.atom in truth),
                    Source.MODEL,
                    turn=turn,
                )
                for q in queries
            ),
            by=self.name,
        )


@dataclass
class Scripted:
    """An operator who says one thing after the other, then lets everything pass."""

    decisions: list[Decision] = field(default_factory=list)
    consents: list[bool] = field(default_factory=list)
    seen: list[Proposal] = field(default_factory=list)

    def asks_model(self) -> bool:
        return True

    def review(self, review: Review) -> tuple[Answer, ...]:
        return review.answers

    def consent(self, revision: Revision) -> bool:
        return self.consents.pop(0) if self.consents else True

    def decide(self, proposal: Proposal) -> Decision:
        self.seen.append(proposal)
        return self.decisions.pop(0) if self.decisions else Automatic().decide(proposal)


@dataclass
class Setting:
    robot: SymbolicRobot
    answerer: Answerer
    operator: Operator
    cancel: Cancel = field(default_factory=Cancel)
    planner: Planner = field(default_factory=make_planner)
    problem: Problem = tiny.PROBLEM
    max_steps: int = 50

    def start(self) -> Iterator[ev.Event]:
        method = DKPrompt(tiny.folder(), self.problem)
        return run_episode(
            "get_key", self.problem, self.robot, self.answerer, self.planner, method, self.operator,
            self.cancel, self.max_steps,
        )  # fmt: skip

    def run(self) -> list[ev.Event]:
        return list(self.start())


@pytest.fixture
def setting() -> Iterator[Callable[..., Setting]]:
    robots = []

    def made(open_fails: float = 0.0, take_fails: float = 0.0, seed: int = 0, **parts: object) -> Setting:
        robot = SymbolicRobot(tiny.folder(open_fails, take_fails), tiny.TASK, seed=seed, pictures=False)
        robots.append(robot)
        operator = parts.pop("operator", None) or Automatic()
        answerer = Truthful(robot, parts.pop("blind", frozenset()))
        return replace(Setting(robot, answerer, operator), **parts)

    yield made
    for robot in robots:
        robot.close()


def only(events: list[ev.Event], kind: type) -> list:
    return [e for e in events if isinstance(e, kind)]


def steps(events: list[ev.Event]) -> list[Step]:
    return [e.step for e in only(events, ev.Acted)]


def test_that_with_nothing_going_wrong_the_plan_is_done_and_true(setting) -> None:
    events = setting().run()
    assert steps(events) == [OPEN, TAKE]
    assert events[-1] == ev.Ended(ev.Result.SUCCEEDED, "The goal is believed to be reached.", True, True)
    assert len(only(events, ev.Planned)) == 1


def test_that_effects_and_next_preconditions_are_asked_in_one_call(setting) -> None:
    events = setting().run()
    second = only(events, ev.Asked)[1]
    assert second.turn == 2
    assert {(q.atom, q.purpose) for q in second.queries} == {
        (CLOSED, Purpose.EFFECT),  # of open; also needed next, but asked once
        (INSIDE, Purpose.PRECONDITION),
    }


def test_that_nothing_is_asked_twice_of_one_picture(setting) -> None:
    made = setting(open_fails=0.6, take_fails=0.4, seed=3)
    made.run()
    assert len(made.answerer.asked) == len(set(made.answerer.asked))


def test_that_senses_are_read_and_never_asked(setting) -> None:
    events = setting().run()
    sensed = {a.atom.predicate for e in only(events, ev.Sensed) for a in e.answers}
    asked = {q.atom.predicate for e in only(events, ev.Asked) for q in e.queries}
    assert sensed == {"holding", "handempty"}
    assert asked == {"closed", "inside"}


def test_that_the_answer_that_caused_a_new_plan_is_named(setting) -> None:
    for seed in range(99):
        events = setting(open_fails=0.5, seed=seed).run()
        replans = only(events, ev.Planned)[1:]
        if replans:
            break
    revision = replans[0].revision
    assert revision.answer is not None and revision.answer.atom == CLOSED
    assert revision.old == (TAKE,) and revision.new.steps == (OPEN, TAKE)
    assert events[-1].true_goal is True


def test_that_an_unknown_answer_keeps_what_was_believed(setting) -> None:
    events = setting(blind=frozenset({"closed", "inside"})).run()
    assert steps(events) == [OPEN, TAKE]
    skipped = [c for e in only(events, ev.Believed) for c in e.changes if c.skipped]
    assert {c.source for c in skipped} <= {Source.GIVEN, Source.PREDICTED}


def test_that_what_the_robot_reports_is_not_read(setting) -> None:
    made = setting(open_fails=1.0, blind=frozenset({"closed"}), max_steps=3)
    events = made.run()
    reports = [e.outcome.ending for e in only(events, ev.Acted)]
    assert Ending.FAILED in reports
    assert steps(events)[:2] == [OPEN, TAKE]  # nobody saw that it stayed closed


def test_that_the_step_limit_ends_the_episode(setting) -> None:
    events = setting(open_fails=1.0, max_steps=4).run()
    assert events[-1].result is ev.Result.STEP_LIMIT
    assert len(steps(events)) == 4


def test_that_without_a_plan_the_automatic_operator_ends_it(setting) -> None:
    hopeless = tiny.PROBLEM.at({CLOSED})
    events = setting(problem=hopeless, operator=Automatic()).run()
    assert events[-1].result in (ev.Result.NO_PLAN, ev.Result.SUCCEEDED)
    assert steps(events) == []


def test_that_a_person_may_choose_another_step_and_the_loop_plans_from_there(setting) -> None:
    operator = Scripted([Approve("me"), Choose(SHUT, "me")])
    events = setting(operator=operator).run()
    assert steps(events) == [OPEN, SHUT, OPEN, TAKE]


def test_that_a_correction_changes_the_plan_and_can_be_undone(setting) -> None:
    is_open = Answer(CLOSED, Verdict.NO, Source.OPERATOR, turn=1, by="me")
    operator = Scripted([Correct((is_open,), "me"), Undo("me")])
    events = setting(operator=operator).run()
    proposed = [p.step for p in operator.seen]
    assert proposed[:3] == [OPEN, TAKE, OPEN]
    assert steps(events) == [OPEN, TAKE]


def test_that_a_person_may_keep_the_old_plan(setting) -> None:
    is_open = Answer(CLOSED, Verdict.NO, Source.OPERATOR, turn=1, by="me")
    operator = Scripted([Correct((is_open,), "me")], consents=[False])
    events = setting(operator=operator).run()
    assert [p.accepted for p in only(events, ev.Planned)] == [True, False]
    assert [p.step for p in operator.seen][:2] == [OPEN, OPEN]


def test_that_a_replan_asked_for_is_offered_even_when_it_is_the_same(setting) -> None:
    events = setting(operator=Scripted([Replan("me")])).run()
    assert only(events, ev.Offered)[0].revision.why == "asked for by you"
    assert steps(events) == [OPEN, TAKE]


def test_that_a_person_may_end_it(setting) -> None:
    events = setting(operator=Scripted([Approve("me"), End("enough", "me")])).run()
    assert (events[-1].result, events[-1].why) == (ev.Result.ENDED, "enough")
    assert steps(events) == [OPEN]


# --- stop, cancel, faults -------------------------------------------------------------------------------


def test_that_a_stop_at_the_gate_holds_until_it_is_released_and_the_episode_goes_on(setting) -> None:
    gate = Gate(Dials(Level.WATCH, Level.WATCH, Level.WATCH, Level.APPROVE))
    made = setting(operator=gate)
    kinds = []
    with ThreadPoolExecutor(1) as pool:
        for event in _driven(made, pool):
            kinds.append(event)
            match event:
                case ev.Proposed(Proposal(number=1)):
                    stop_motion(made.robot, made.cancel, gate, "Esc")
                    gate.reply(1, Approve("too late"))
                case ev.Proposed(Proposal(need=Need.RELEASE, number=n, stop=stop)):
                    assert made.robot.do(OPEN, Cancel()).ending is Ending.HALTED
                    gate.reply(n, Continue(stop, "me"))
                case ev.Proposed(Proposal(number=n)):
                    gate.reply(n, Approve("me"))
    assert steps(kinds) == [OPEN, TAKE]
    assert kinds[-1].result is ev.Result.SUCCEEDED


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
            if proposal.need is not Need.RELEASE:
                return Approve("me") if len(self.seen) > 3 else _stop(made, proposal)
            if len(self.seen) == 2:
                made.cancel.stop(made.robot.halt(), "again")  # pressed while the first is being released
            return Continue(proposal.stop, "me")

    operator = Presser()
    events = replace(made, operator=operator).run()
    released = [p.stop for p in operator.seen if p.need is Need.RELEASE]
    assert released == [1, 2]
    assert steps(events) == [OPEN, TAKE]


def _stop(made: Setting, proposal: Proposal) -> Decision:
    from core.deciding import Interrupted

    return Interrupted(stop_motion(made.robot, made.cancel, None, "Esc"), "Esc")


@dataclass
class HaltsItself:
    """A robot that halts in the middle of its first step, as after a protective stop."""

    robot: SymbolicRobot
    halts: int = 1

    def __getattr__(self, name: str) -> object:
        return getattr(self.robot, name)

    def do(self, step: Step, cancel: Cancel) -> Outcome:
        if self.halts:
            self.halts -= 1
            return Outcome(Ending.HALTED, "protective stop")
        return self.robot.do(step, cancel)


def test_that_what_a_halted_step_touched_is_asked_again(setting) -> None:
    made = setting()
    operator = Scripted([Approve("me"), Continue(1, "me")])
    events = replace(made, robot=HaltsItself(made.robot), operator=operator).run()
    assert operator.seen[1].need is Need.RELEASE and operator.seen[1].why == "protective stop"
    doubted = only(events, ev.Asked)[1].queries
    assert {q.atom for q in doubted} == {CLOSED}
    assert steps(events) == [OPEN, OPEN, TAKE]


class Blind(HaltsItself):
    """Its camera sends nothing at the first `halts` looks after a step, and another console may be there."""

    acted = left = 0

    def do(self, step: Step, cancel: Cancel) -> Outcome:
        self.acted += 1
        return self.robot.do(step, cancel)

    def look(self, cancel: Cancel) -> Frame:
        if self.acted and self.halts:
            self.halts -= 1
            raise NoPicture("No picture for 5 s from the overhead camera. Check its cable.")
        return self.robot.look(cancel)

    def leave(self) -> int:
        self.left += 1
        return self.robot.halt()


def test_that_without_a_picture_it_stands_until_a_person_goes_on_and_one_has_come(setting) -> None:
    made = setting()
    operator = Scripted([Approve("me"), Continue(1, "me"), Continue(2, "me")])
    robot = Blind(made.robot, halts=2)
    events = replace(made, robot=robot, operator=operator).run()
    released = [p for p in operator.seen if p.need is Need.RELEASE]
    assert [p.stop for p in released] == [1, 2]
    assert "overhead camera" in released[0].why
    assert steps(events) == [OPEN, TAKE], "nothing is done blind, and nothing is done twice"
    assert events[-1].result is ev.Result.SUCCEEDED
    asked = [{q.atom for q in e.queries} for e in only(events, ev.Asked)]
    assert CLOSED in asked[1], "the step's effects are asked of the picture that came"


def test_that_without_a_picture_a_person_may_end_it(setting) -> None:
    made = setting()
    operator = Scripted([Approve("me"), End("enough", "me")])
    events = replace(made, robot=Blind(made.robot), operator=operator).run()
    assert (events[-1].result, events[-1].why) == (ev.Result.ENDED, "enough")


def test_that_without_a_picture_nothing_goes_on_where_nobody_looks(setting) -> None:
    made = setting()
    events = replace(made, robot=Blind(made.robot)).run()
    assert (events[-1].result, steps(events)) == (ev.Result.ENDED, [OPEN])
    assert "overhead camera" in events[-1].why


def test_that_an_end_halts_only_what_is_its_own(setting) -> None:
    """No person asked for a stop, and another program may be at work with the robot."""
    made = setting()
    robot = Blind(made.robot, halts=0)
    replace(made, robot=robot).run()
    assert robot.left == 1
    assert made.robot.do(OPEN, Cancel()).ending is Ending.HALTED


def test_that_an_end_from_outside_is_taken_at_once(setting) -> None:
    made = setting()
    made.cancel.end("the window was closed")
    events = made.run()
    assert (events[-1].result, events[-1].why) == (ev.Result.ENDED, "the window was closed")
    assert steps(events) == []


class Broken:
    """Raises wherever it is asked to do something."""

    name = "broken"

    def __init__(self, error: Exception) -> None:
        self.error = error

    def answer(self, *_: object) -> Call:
        raise self.error

    def plan(self, *_: object) -> Plan:
        raise self.error


@pytest.mark.parametrize("part", ["answerer", "planner"])
@pytest.mark.parametrize("error", [RobotError("It broke: mend it."), ZeroDivisionError("oh")])
def test_that_a_broken_part_ends_the_episode_and_leaves_the_robot_halted(setting, part, error) -> None:
    made = setting()
    events = replace(made, **{part: Broken(error)}).run()
    assert events[-1].result is ev.Result.CRASHED
    assert str(error) in events[-1].why
    assert made.robot.do(OPEN, Cancel()).ending is Ending.HALTED


def test_that_the_operator_is_asked_when_the_model_stays_away(setting) -> None:
    class Knows(Scripted):
        def review(self, review: Review) -> tuple[Answer, ...]:
            truth = made.robot.truth()
            return tuple(
                replace(a, verdict=Verdict.of(a.atom in truth), source=Source.OPERATOR, by="me")
                for a in review.answers
            )

    made = setting()
    away = Broken(AnswererError("The model does not answer: check the address."))
    events = replace(made, answerer=away, operator=Knows()).run()
    assert only(events, ev.Noted)[0].text.startswith("The model does not answer")
    assert events[-1].true_goal is True


def test_that_closing_the_iterator_halts_the_robot(setting) -> None:
    made = setting()
    events = made.start()
    while not isinstance(next(events), ev.Proposed):
        pass
    events.close()
    assert made.robot.do(OPEN, Cancel()).ending is Ending.HALTED


def test_that_the_goal_believed_and_the_goal_in_truth_are_kept_apart(setting) -> None:
    made = setting()
    lie = Answer(HOLDING, Verdict.YES, Source.OPERATOR, turn=1, by="me")
    events = replace(made, operator=Scripted([Correct((lie,), "me")])).run()
    ended = events[-1]
    assert (ended.believed_goal, ended.true_goal, ended.missing) == (True, False, (HOLDING,))


def test_that_an_operators_word_outranks_the_models_about_the_same_turn() -> None:
    mine = Answer(CLOSED, Verdict.NO, Source.OPERATOR, turn=2)
    model = Answer(CLOSED, Verdict.YES, Source.MODEL, turn=2)
    belief = Belief.given({CLOSED}).told([mine]).told([model])
    assert belief.verdict(CLOSED) is Verdict.NO
    assert belief.told([replace(model, turn=3)]).verdict(CLOSED) is Verdict.YES
