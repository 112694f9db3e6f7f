"""The loop: look, ask, believe, plan, propose, act. One generator; no thread, no clock, no Qt."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator, Mapping
from types import MappingProxyType

from core import events as ev
from core.arms import leave
from core.cancel import Cancel
from core.deciding import (
    Approve,
    Choose,
    Continue,
    Correct,
    Decision,
    End,
    Interrupted,
    Need,
    Operator,
    Proposal,
    Replan,
    Review,
    Revision,
    Undo,
)
from core.errors import AnswererError, Cancelled, ConsoleError, NoPicture, RobotError, RobotNotReady
from core.facts import Answer, Atom, Belief, Contradiction, Query, Source, Verdict
from core.options import Option, Options, best
from core.ports import Answerer, Boxes, Call, Ending, Frame, Method, Moment, Planner, Robot, Truth, unanswered
from core.problem import Literal, PlanStatus, Problem, Step

log = logging.getLogger(__name__)


def run_episode(
    task: str,
    problem: Problem,
    robot: Robot,
    answerer: Answerer,
    planner: Planner,
    method: Method,
    operator: Operator,
    cancel: Cancel,
    max_steps: int = 50,
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[ev.Event]:
    """Yield what happens, as it happens, until the goal is believed or somebody ends it.

    Nothing moves without passing `operator.decide`. However it ends, the robot is halted. The iterator
    is advanced and closed by one thread only; `cancel` and `robot.halt` may come from any.
    """
    episode = _Episode(problem, robot, answerer, planner, method, operator, cancel, max_steps)
    words = {**settings, "world": robot.world.value, "robot": robot.name, "answerer": answerer.name}
    words["method"] = method.name
    try:
        yield ev.Started(
            task,
            problem.domain.name,
            problem.everything,
            problem.goal,
            tuple(episode.belief),
            MappingProxyType(words),
        )
        yield from episode.run()
    except Exception as error:  # whatever broke, the episode ends as one that a person can read
        why = str(error)
        if not isinstance(error, ConsoleError):
            log.exception("the episode broke")
            why = f"A part of the program broke ({type(error).__name__}: {error})."
        yield episode.crashed(why)
    finally:
        try:
            leave(robot)
        except Exception:  # the episode has ended, and whoever pressed stop has been told
            log.exception("the robot cannot be halted")


class _Over(Exception):
    """Ends the episode from anywhere in a turn."""

    def __init__(self, result: ev.Result, why: str) -> None:
        super().__init__(why)
        self.result, self.why = result, why


class _Episode:
    """The loop's memory between two events. Belongs to the thread that advances the generator."""

    def __init__(
        self,
        problem: Problem,
        robot: Robot,
        answerer: Answerer,
        planner: Planner,
        method: Method,
        operator: Operator,
        cancel: Cancel,
        max_steps: int,
    ) -> None:
        self.goal, self.robot, self.answerer, self.planner = problem.goal, robot, answerer, planner
        self.method, self.operator, self.cancel, self.max_steps = method, operator, cancel, max_steps
        self.names = tuple(o.name for o in problem.everything)
        self.truth = robot if isinstance(robot, Truth) else None
        self.boxes = robot if isinstance(robot, Boxes) else None
        self.belief = method.begin(problem)
        self.before: Belief | None = None  # the belief held before `done`
        self.done: Step | None = None
        self.plan: tuple[Step, ...] = ()
        self.stale = False  # the plan does not follow from what happened: plan again
        self.no_plan = ""  # why there is none
        self.undo: list[Belief] = []  # the beliefs before each correction since the last motion
        self.turn = self.steps = self.proposals = 0
        self.kept = False  # a person kept the old plan in this turn

    # --- the episode -------------------------------------------------------------------------------------

    def run(self) -> Iterator[ev.Event]:
        try:
            while True:
                try:
                    if self.turn == 0:
                        yield from self.replan((), "the first plan")
                    self.turn += 1
                    yield from self.one_turn()
                except Cancelled:
                    yield from self.stand_still()
        except _Over as over:
            yield self.ended(over.result, over.why)

    def one_turn(self) -> Iterator[ev.Event]:
        self.cancel.check()
        self.kept = False
        frame = self.look()
        boxes = self.boxes.boxes(self.names) if self.boxes else ()
        yield ev.Observed(self.turn, frame, boxes)
        yield from self.sense()
        asked: frozenset[Atom] = frozenset()
        while True:
            asked = yield from self.ask_and_plan(frame, asked)
            if self.method.reached(self.belief):
                raise _Over(ev.Result.SUCCEEDED, "The goal is believed to be reached.")
            step = yield from self.decide()
            if step is not None:
                yield from self.act(step)
                return

    def ended(self, result: ev.Result, why: str) -> ev.Ended:
        truth = self.truth.truth() if self.truth else None
        missing = () if truth is None else tuple(g.atom for g in self.goal if (g.atom in truth) != g.positive)
        believed = self.method.reached(self.belief)
        return ev.Ended(result, why, believed, None if truth is None else not missing, missing)

    def crashed(self, why: str) -> ev.Ended:
        """Halts before a word is said; a robot that cannot even do that is named."""
        try:
            leave(self.robot)
            return self.ended(ev.Result.CRASHED, why)
        except Exception as error:
            log.exception("the robot broke too")
            return ev.Ended(ev.Result.CRASHED, f"{why} The robot does not answer: {error}")

    # --- seeing ------------------------------------------------------------------------------------------

    def look(self) -> Frame:
        """Without a picture nothing goes on; a person sees why, and looks again or ends it."""
        try:
            return self.robot.look(self.cancel)
        except NoPicture as error:
            self.cancel.stop(leave(self.robot), str(error))
            raise Cancelled(self.cancel.why) from error

    def sense(self) -> Iterator[ev.Event]:
        sensed = tuple(
            Answer(atom, Verdict.of(holds), Source.SENSOR, turn=self.turn, by=self.robot.name)
            for atom, holds in sorted(self.robot.sense().items())
        )
        if sensed:
            yield ev.Sensed(self.turn, sensed)
            yield from self.believe(self.method.sense(self.belief, sensed, self.turn))

    def ask_and_plan(
        self, frame: Frame, asked: frozenset[Atom]
    ) -> Generator[ev.Event, None, frozenset[Atom]]:
        """Ask about this picture and plan again, until nothing new contradicts. Each atom is asked at
        most once a picture, so it ends."""
        while True:
            queries = self.method.questions(self.moment(asked))
            counted: tuple[Answer, ...] = ()
            if queries:
                asked |= {q.atom for q in queries}
                counted = yield from self.ask(frame, queries)
            else:
                yield from self.believe(self.method.believe(self.belief, (), self.turn))
            if self.method.reached(self.belief):
                return asked
            causes = () if self.kept else self.method.surprises(self.moment(asked))
            if not causes and not self.stale:
                return asked
            changed = yield from self.replan(causes, "", counted)
            self.before = self.done = None  # its missing effects are dealt with by this plan
            if not changed:
                return asked

    def ask(self, frame: Frame, queries: tuple[Query, ...]) -> Generator[ev.Event, None, tuple[Answer, ...]]:
        yield ev.Asked(self.turn, frame.id, queries)
        facts = self.facts(queries)
        call, away = self.called(frame, queries)
        if away:
            yield ev.Noted("fault", away)
        yield ev.Answered(self.turn, frame.id, call)
        if facts:
            yield ev.Revealed(self.turn, frame.id, facts)
        moment = self.moment(frozenset())
        contradictions = self.method.contradictions(moment, call.answers)
        review = Review(self.turn, frame, queries, call.answers, self.belief, contradictions, away)
        try:
            counted = self.operator.review(review)
        except AnswererError as error:
            raise _Over(ev.Result.ENDED, str(error)) from error
        self.cancel.check()
        if counted is not call.answers:
            yield ev.Reviewed(self.turn, counted)
            contradictions = self.method.contradictions(moment, counted)
        new = self.method.believe(self.belief, counted, self.turn)
        yield from self.believe(new, contradictions)
        return counted

    def called(self, frame: Frame, queries: tuple[Query, ...]) -> tuple[Call, str]:
        """What the model says; when it stays away all is UNKNOWN, and why."""
        if not self.operator.asks_model():
            return Call(unanswered(queries, self.turn, frame.id, ""), by="nobody"), ""
        try:
            return self.answerer.answer(frame, queries, self.turn, self.cancel), ""
        except AnswererError as error:
            return Call(unanswered(queries, self.turn, frame.id, str(error)), said=str(error)), str(error)

    def facts(self, queries: tuple[Query, ...]) -> tuple[ev.Fact, ...]:
        """What a simulator knows of what is asked; nothing where the world is real."""
        if self.truth is None:
            return ()
        truth, seen = self.truth.truth(), self.truth.seen
        return tuple(ev.Fact(q.atom, q.atom in truth, seen(q.atom)) for q in queries)

    def believe(self, new: Belief, contradictions: tuple[Contradiction, ...] = ()) -> Iterator[ev.Event]:
        changes = new.changes(self.belief)
        self.belief = new
        if changes or contradictions:
            yield ev.Believed(self.turn, changes, contradictions)

    def moment(self, asked: frozenset[Atom]) -> Moment:
        return Moment(self.turn, self.belief, self.before, self.done, self.plan, asked)

    # --- planning ----------------------------------------------------------------------------------------

    def replan(
        self, causes: tuple[Literal, ...], why: str, answers: tuple[Answer, ...] = ()
    ) -> Generator[ev.Event, None, bool]:
        """Returns whether another plan is in force."""
        new = self.planner.plan(self.method.problem(self.belief), self.cancel)
        first = self.turn == 0
        self.stale = False
        if not first and not why and new.status is PlanStatus.FOUND and new.steps == self.plan:
            return False
        revision = Revision(self.turn, self.plan, new, causes, self.culprit(causes, answers), why)
        accepted = True
        if new.status is PlanStatus.FOUND and not first:
            yield ev.Offered(revision)
            accepted = self.operator.consent(revision)
            self.cancel.check()
        yield ev.Planned(revision, accepted)
        self.kept = not accepted
        if accepted:
            self.plan, self.no_plan = new.steps, new.why
        return accepted

    def culprit(self, causes: tuple[Literal, ...], answers: tuple[Answer, ...]) -> Answer | None:
        """The answer that brought the first cause about."""
        for cause in causes:
            for answer in answers:
                if answer.atom == cause.atom:
                    return answer
            if evidence := self.belief.entry(cause.atom).evidence:
                return evidence
        return None

    # --- deciding and acting -----------------------------------------------------------------------------

    def decide(self) -> Generator[ev.Event, None, Step | None]:
        """Returns the step to do, or None: ask and plan again first."""
        proposal = self.propose()
        yield ev.Proposed(proposal)
        decision = self.operator.decide(proposal)
        yield ev.Decided(proposal.number, self.turn, decision)
        match decision:
            case Approve():
                return best(proposal.options) or proposal.step
            case Choose(step):
                return step
            case Correct(answers):
                self.undo.append(self.belief)
                yield from self.believe(self.method.believe(self.belief, answers, self.turn))
                self.stale, self.kept = True, False
            case Undo():
                if self.undo:
                    yield from self.believe(self.undo.pop())
                    self.stale, self.kept = True, False
            case Replan():
                yield from self.replan((), "asked for by you")
            case Interrupted(_, why):
                raise Cancelled(why)
            case End(why):
                no_plan = proposal.need is Need.HELP and not decision.by
                raise _Over(ev.Result.NO_PLAN if no_plan else ev.Result.ENDED, why)
            case Continue():
                pass  # no stop is in force: stand at the gate again
        return None

    def propose(self) -> Proposal:
        self.proposals += 1
        if not self.plan:
            why = self.no_plan or "There is no plan from what is believed."
            return Proposal(self.proposals, self.turn, Need.HELP, None, why, self.belief)
        why = "You kept the old plan." if self.kept else ""
        step = self.plan[0]
        return Proposal(
            self.proposals, self.turn, Need.STEP, step, why, self.belief, options=self.offered(step)
        )

    def offered(self, step: Step) -> tuple[Option, ...]:
        """The ways to do it that the robot sees; where it cannot look now, it chooses when it acts."""
        try:
            return self.robot.options(step) if isinstance(self.robot, Options) else ()
        except RobotError:
            log.warning("no options for %s", step, exc_info=True)
            return ()

    def act(self, step: Step) -> Iterator[ev.Event]:
        if self.steps >= self.max_steps:
            raise _Over(ev.Result.STEP_LIMIT, f"The limit of {self.max_steps} steps is reached.")
        self.cancel.check()
        self.steps += 1
        self.undo.clear()
        yield ev.Acting(self.turn, step)
        outcome = self.robot.do(step, self.cancel)
        situation = self.truth.situation if self.truth else ""
        yield ev.Acted(self.turn, step, outcome, situation)
        if outcome.ending is Ending.HALTED:
            self.before = self.done = None
            yield from self.believe(self.method.doubt(self.belief, step, self.turn))
            if not self.cancel.is_set():  # the robot halted by itself: a person has to see it
                self.cancel.stop(leave(self.robot), outcome.detail or "the robot halted by itself")
            raise Cancelled(self.cancel.why)
        self.before, self.done = self.belief, step
        self.plan = self.plan[1:] if self.plan and step == self.plan[0] else ()
        self.stale = not self.plan
        yield from self.believe(self.method.predict(self.belief, step, self.turn))

    # --- stopping ----------------------------------------------------------------------------------------

    def stand_still(self) -> Iterator[ev.Event]:
        """After a stop: nothing moves until a person has released it, or ends the episode."""
        while (stop := self.cancel.stopped) and not self.cancel.ended:
            self.proposals += 1
            proposal = Proposal(
                self.proposals, self.turn, Need.RELEASE, None, self.cancel.why, self.belief, stop
            )
            yield ev.Proposed(proposal)
            decision: Decision = self.operator.decide(proposal)
            yield ev.Decided(proposal.number, self.turn, decision)
            match decision:
                case Continue(up_to):
                    try:
                        self.robot.ready(up_to)
                    except RobotNotReady as error:
                        yield ev.Noted("fault", str(error))
                    else:
                        self.cancel.release(up_to)
                case End(why):
                    raise _Over(ev.Result.ENDED, why)
        if self.cancel.ended:
            raise _Over(ev.Result.ENDED, self.cancel.why)
