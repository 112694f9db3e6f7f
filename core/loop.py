"""The loop: look, let the policy act, pass the gate, move. One generator; no thread, no clock, no Qt."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
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
    Undo,
)
from core.errors import AnswererError, Cancelled, NoPicture, RobotError, RobotNotReady
from core.facts import Answer, Belief, Contradiction, Source, Verdict
from core.options import Option, Options, best
from core.policy import (
    Action,
    AskModel,
    AskQuestions,
    BeliefCorrected,
    BeliefRestored,
    Budget,
    ChangeDecided,
    ChangeDomain,
    ClaimGoal,
    Context,
    DoSteps,
    GiveUp,
    GotPicture,
    GotSenses,
    Learns,
    LetGoOn,
    LookFrom,
    MakePlan,
    Observation,
    PlanRequested,
    Policy,
    StepDone,
    StepHalted,
    TakesTruth,
    advance,
    same_plan,
)
from core.ports import Answerer, Boxes, Ending, Frame, Model, Planner, Robot, Truth, Viewpoints
from core.problem import Plan, PlanStatus, Problem, Step
from core.proposing import Gated, proposal_of, result_of_ending
from core.questioner import Consistency, Questioner
from core.reason import Cause, Reason
from core.replanning import adopt, make_plan, what_broke
from core.truth import told_by

log = logging.getLogger(__name__)

PATIENCE = 100  # actions of a policy in a turn without passing the gate; then a person is asked
GOAL_BELIEVED = "The goal is believed to be reached."


def run_episode(
    task: str,
    problem: Problem,
    robot: Robot,
    answerer: Answerer,
    planner: Planner,
    policy: Policy,
    operator: Operator,
    cancel: Cancel,
    max_steps: int = 50,
    settings: Mapping[str, str] = MappingProxyType({}),
    *,
    consistency: Consistency | None = None,
    model: Model | None = None,
    budget: Callable[[], Budget] = Budget,
) -> Iterator[ev.Event]:
    """Yield what happens, as it happens, until the goal is claimed or somebody ends it.

    Nothing moves without passing `operator.decide`. However it ends, the robot is halted. The iterator
    is advanced and closed by one thread only; `cancel` and `robot.halt` may come from any. `model` is for
    what a policy asks besides questions; `budget` tells what is left of the model's limits.
    """
    questioner = Questioner(answerer, model, operator, consistency, robot, cancel)
    episode = _Episode(problem, robot, questioner, planner, policy, operator, cancel, max_steps, budget)
    words = {**settings, "world": robot.world.value, "robot": robot.name, "answerer": answerer.name}
    words["method"] = policy.name
    try:
        yield ev.Started(
            task,
            problem.domain.name,
            problem.everything,
            problem.goal,
            tuple(episode.context.belief),
            MappingProxyType(words),
        )
        yield from episode.run()
    except Exception as error:  # whatever broke, the episode ends as one that a person can read
        yield episode.crashed(what_broke(error))
    finally:
        try:
            leave(robot)
        except Exception:  # the episode has ended, and whoever pressed stop has been told
            log.exception("the robot cannot be halted")


class _Over(Exception):
    """Ends the episode from anywhere in a turn."""

    def __init__(self, result: ev.Result, why: str, probability: float | None = None) -> None:
        super().__init__(why)
        self.result, self.why, self.probability = result, why, probability


class _Episode:
    """The loop's memory between two events. Belongs to the thread that advances the generator."""

    def __init__(
        self,
        problem: Problem,
        robot: Robot,
        questioner: Questioner,
        planner: Planner,
        policy: Policy,
        operator: Operator,
        cancel: Cancel,
        max_steps: int,
        budget: Callable[[], Budget],
    ) -> None:
        self.robot, self.questioner, self.planner = robot, questioner, planner
        self.operator, self.cancel = operator, cancel
        self.follow(policy)
        self.max_steps, self.budget = max_steps, budget
        self.goal = problem.goal
        self.names = tuple(o.name for o in problem.everything)
        self.truth = robot if isinstance(robot, Truth) else None
        self.boxes = robot if isinstance(robot, Boxes) else None
        self.looker = robot if isinstance(robot, Viewpoints) else None
        self.chooser = robot if isinstance(robot, Options) else None
        self.context = Context(problem, policy.begin(problem))
        self.frame = Frame("")
        self.fault = ""  # what broke in the policy, until a person has been asked
        self.undo: list[Belief] = []  # the beliefs before each correction since the last motion
        self.steps = self.proposals = 0

    # --- the episode -------------------------------------------------------------------------------------

    def run(self) -> Iterator[ev.Event]:
        turn = 0
        try:
            while True:
                turn += 1
                try:
                    yield from self.one_turn(turn)
                except Cancelled:
                    yield from self.wait_for_release()
        except _Over as over:
            yield self.ended(over.result, over.why, over.probability)

    def one_turn(self, turn: int) -> Iterator[ev.Event]:
        self.cancel.check()
        yield from self.look(turn)
        yield from self.sense()
        self.learn()
        patience = PATIENCE
        while True:
            self.cancel.check()
            action = self.next_action() if patience else _stuck(self.policy)
            patience -= 1
            match action:
                case AskQuestions():
                    yield from self.ask(action)
                case AskModel():
                    reply = yield from self.questioner.consult(
                        self.context, self.frame, action, self.policy
                    )
                    yield from self.observe(reply)
                case MakePlan():
                    got = yield from make_plan(
                        self.context, action, self.planner, self.operator, self.cancel
                    )
                    yield from self.observe(got)
                case ClaimGoal(reason, probability):
                    raise _Over(ev.Result.SUCCEEDED, reason.note or GOAL_BELIEVED, probability)
                case LookFrom() | DoSteps() | GiveUp() | ChangeDomain():
                    if isinstance(action, DoSteps) and not (yield from self.in_force(action)):
                        continue
                    step = yield from self.pass_gate(action)
                    if step is not None:
                        yield from self.act(step)
                        return
                    patience = PATIENCE

    def learn(self) -> None:
        """Let a policy that learns put a wiser one in its place; if it breaks, a person is asked."""
        if self.learner is None:
            return
        try:
            self.follow(self.learner.learn(self.context))
        except Exception as error:
            self.fault = what_broke(error)

    def follow(self, policy: Policy) -> None:
        """Let it act from now on. What else it offers is asked once: asking a protocol takes 20 us."""
        self.policy = policy
        self.learner = policy if isinstance(policy, Learns) else None
        self.told = policy if isinstance(policy, TakesTruth) else None

    def in_force(self, action: DoSteps) -> Generator[ev.Event, None, bool]:
        """Whether these steps are the plan; those that the policy made itself are offered first."""
        plan = Plan(PlanStatus.FOUND, action.steps, self.policy.name)
        if same_plan(self.context.plan, plan):
            return True
        got = yield from adopt(self.context, plan, action.reason, self.operator, self.cancel)
        yield from self.observe(got)
        return got.accepted

    def refresh(self) -> None:
        """Tell the context what may have changed outside the policy."""
        now = self.context
        given = self.budget()
        left = Budget(self.max_steps - self.steps, given.calls, given.dollars)
        places = self.looker.viewpoints if self.looker else ()
        dials = self.operator.dials
        if (left, places, dials) != (now.left, now.viewpoints, now.dials):
            self.context = replace(now, left=left, dials=dials, viewpoints=places)

    def next_action(self) -> Action:
        """What the policy wants now; a policy that broke asks for help."""
        if not self.fault:
            self.refresh()
            try:
                return self.policy.act(self.context)
            except Exception as error:
                self.fault = what_broke(error)
        return GiveUp(Reason(Cause.FAULT, note=f"The method {self.policy.name} broke: {self.fault}"))

    def observe(
        self, seen: Observation, contradictions: tuple[Contradiction, ...] = ()
    ) -> Iterator[ev.Event]:
        """Let the policy take it in."""
        old = self.context.belief
        new = seen.belief if isinstance(seen, BeliefRestored) else self.updated(seen)
        self.context = advance(self.context, seen, new)
        changes = new.changes(old)
        hypotheses = new.hypotheses if new.hypotheses != old.hypotheses else None
        if changes or contradictions or hypotheses is not None:
            yield ev.Believed(self.context.turn, changes, contradictions, hypotheses)

    def updated(self, seen: Observation) -> Belief:
        try:
            return self.policy.update(self.context, seen)
        except Exception as error:  # the belief stays, and a person is asked
            self.fault = what_broke(error)
            return self.context.belief

    def ended(self, result: ev.Result, why: str, probability: float | None = None) -> ev.Ended:
        truth = self.truth.truth() if self.truth else None
        missing = () if truth is None else tuple(g.atom for g in self.goal if (g.atom in truth) != g.positive)
        believed = self.context.problem.is_goal(self.context.belief.state)
        return ev.Ended(result, why, believed, None if truth is None else not missing, missing, probability)

    def crashed(self, why: str) -> ev.Ended:
        """Halts before a word is said; a robot that cannot even do that is named."""
        try:
            leave(self.robot)
            return self.ended(ev.Result.CRASHED, why)
        except Exception as error:
            log.exception("the robot broke too")
            return ev.Ended(ev.Result.CRASHED, f"{why} The robot does not answer: {error}")

    # --- seeing and asking -------------------------------------------------------------------------------

    def look(self, turn: int, viewpoint: str = "") -> Iterator[ev.Event]:
        """Without a picture nothing goes on; a person sees why, and looks again or ends it."""
        try:
            if viewpoint and self.looker:
                self.frame = self.looker.look_from(viewpoint, self.cancel)
            else:
                self.frame = self.robot.look(self.cancel)
        except NoPicture as error:
            self.cancel.stop(leave(self.robot), str(error))
            raise Cancelled(self.cancel.why) from error
        boxes = self.boxes.boxes(self.names) if self.boxes else ()
        yield ev.Observed(turn, self.frame, boxes)
        yield from self.observe(GotPicture(turn, self.frame.id, self.frame.viewpoint, not viewpoint))

    def sense(self) -> Iterator[ev.Event]:
        turn = self.context.turn
        sensed = tuple(
            Answer(atom, Verdict.of(holds), Source.SENSOR, turn=turn, by=self.robot.name)
            for atom, holds in sorted(self.robot.sense().items())
        )
        if self.told:
            state = self.context.belief.state
            sensed += tuple(told_by(self.robot, self.told.from_truth, state, turn))
        if sensed:
            yield ev.Sensed(turn, sensed)
            yield from self.observe(GotSenses(sensed))

    def ask(self, action: AskQuestions) -> Iterator[ev.Event]:
        try:
            answers, found = yield from self.questioner.ask(self.context, self.frame, action)
        except AnswererError as error:
            raise _Over(ev.Result.ENDED, str(error)) from error
        yield from self.observe(answers, found)

    # --- the gate ----------------------------------------------------------------------------------------

    def pass_gate(self, action: Gated) -> Generator[ev.Event, None, Step | None]:
        """Returns the step to do, or None: the policy acts again first."""
        proposal = self.propose(action)
        yield ev.Proposed(proposal)
        decision = self.operator.decide(proposal)
        yield ev.Decided(proposal.number, self.context.turn, decision)
        self.fault = ""
        match decision:
            case Approve() if isinstance(action, LookFrom):
                yield from self.look(self.context.turn, action.viewpoint)
            case Approve() if isinstance(action, ChangeDomain):
                yield from self.change_domain(action, True)
            case Approve():
                return best(proposal.options) or proposal.step
            case Choose(step):
                if faults := self.context.problem.faults(step):
                    yield ev.Noted("fault", f"{step} cannot be done: {'; '.join(faults)}.")
                else:
                    return step
            case Correct(answers):
                self.undo.append(self.context.belief)
                yield from self.observe(BeliefCorrected(answers))
            case Undo():
                if self.undo:
                    yield from self.observe(BeliefRestored(self.undo.pop()))
            case Replan():
                yield from self.observe(PlanRequested())
            case Interrupted(_, why):
                raise Cancelled(why)
            case End(why, by):
                raise _Over(result_of_ending(proposal, by), why)
            case Continue():  # no stop is in force: stand at the gate again
                if isinstance(action, ChangeDomain):
                    yield from self.change_domain(action, False)
                elif isinstance(action, GiveUp):
                    yield from self.observe(LetGoOn())
        return None

    def propose(self, action: Gated) -> Proposal:
        self.proposals += 1
        options = self.offered(action.steps[0]) if isinstance(action, DoSteps) and action.steps else ()
        return proposal_of(self.proposals, self.context, action, options)

    def offered(self, step: Step) -> tuple[Option, ...]:
        """The ways to do it that the robot sees; where it cannot look now, it chooses when it acts."""
        try:
            return self.chooser.options(step) if self.chooser else ()
        except RobotError:
            log.warning("no options for %s", step, exc_info=True)
            return ()

    def change_domain(self, action: ChangeDomain, accepted: bool) -> Iterator[ev.Event]:
        turn, problem = self.context.turn, action.problem
        yield ev.DomainChanged(turn, action.difference, action.pddl, accepted, action.reason)
        yield from self.observe(ChangeDecided(accepted, problem if accepted else self.context.problem))

    # --- acting and stopping -----------------------------------------------------------------------------

    def act(self, step: Step) -> Iterator[ev.Event]:
        if self.steps >= self.max_steps:
            raise _Over(ev.Result.STEP_LIMIT, f"The limit of {self.max_steps} steps is reached.")
        self.cancel.check()
        self.steps += 1
        self.undo.clear()
        turn = self.context.turn
        yield ev.Acting(turn, step)
        outcome = self.robot.do(step, self.cancel)
        situation = self.truth.situation if self.truth else ""
        yield ev.Acted(turn, step, outcome, situation)
        if outcome.ending is Ending.HALTED:
            yield from self.observe(StepHalted(step))
            if not self.cancel.is_set():  # the robot halted by itself: a person has to see it
                self.cancel.stop(leave(self.robot), outcome.detail or "the robot halted by itself")
            raise Cancelled(self.cancel.why)
        yield from self.observe(StepDone(step, outcome))

    def wait_for_release(self) -> Iterator[ev.Event]:
        """After a stop: nothing moves until a person has released it, or ends the episode."""
        turn = self.context.turn
        while (stop := self.cancel.stopped) and not self.cancel.ended:
            self.proposals += 1
            proposal = Proposal(
                self.proposals, turn, Need.RELEASE, None, self.cancel.why, self.context.belief, stop
            )
            yield ev.Proposed(proposal)
            decision: Decision = self.operator.decide(proposal)
            yield ev.Decided(proposal.number, turn, decision)
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


def _stuck(policy: Policy) -> GiveUp:
    why = f"The method {policy.name} took {PATIENCE} actions without a motion: correct the belief, or end."
    return GiveUp(Reason(Cause.FAULT, note=why))
