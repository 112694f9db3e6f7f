"""The episode loop: look, let the policy act, pass the gate, move. One generator; no thread, clock or Qt."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from core import events as ev
from core.arm.arm_capabilities import release_control
from core.arm.step_candidates import ProvidesCandidates, StepCandidate, best_step
from core.belief import Answer, Belief, BeliefSource, Contradiction, Verdict
from core.cancel import Cancel
from core.errors import AnswererError, Cancelled, NoPicture, RobotError, RobotNotReady
from core.loop.ground_truth import ground_truth_answers
from core.loop.proposals import GatedAction, make_proposal, result_when_ended
from core.loop.questioner import ConsistencyCheck, Questioner
from core.loop.repeated_failures import DEFAULT_FAILURE_LIMIT, FailureHistory
from core.loop.replanning import adopt_plan, describe_failure, make_plan
from core.operator import (
    Approve,
    Choose,
    Correct,
    Decision,
    End,
    Operator,
    Proceed,
    Proposal,
    ProposalKind,
    Replan,
    StopRaised,
    Undo,
)
from core.planning_model import Plan, PlanStatus, Problem, Step
from core.policy import (
    Action,
    AskModel,
    AskQuestions,
    BeliefCorrected,
    BeliefRestored,
    ChangeDomain,
    ClaimGoal,
    Context,
    DomainChangeDecided,
    DoSteps,
    GiveUp,
    GotPicture,
    GotSenses,
    LearningPolicy,
    LookFrom,
    MakePlan,
    Observation,
    PlanRequested,
    Policy,
    ProceedRequested,
    RemainingBudget,
    StepDone,
    StepHalted,
    UsesGroundTruth,
    advance,
    same_plan,
)
from core.ports import (
    Answerer,
    Frame,
    GroundTruth,
    Model,
    Planner,
    ProvidesBoxes,
    Robot,
    StepStatus,
    SupportsViewpoints,
)
from core.reason import Cause, Reason

log = logging.getLogger(__name__)

MAX_ACTIONS_WITHOUT_GATE = (
    100  # a policy's actions in a turn without passing the gate; then a person is asked
)
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
    consistency: ConsistencyCheck | None = None,
    model: Model | None = None,
    budget: Callable[[], RemainingBudget] = RemainingBudget,
    failure_limit: int = DEFAULT_FAILURE_LIMIT,
) -> Iterator[ev.Event]:
    """Yield events as they happen, until the goal is claimed or somebody ends the episode.

    Nothing moves without passing `operator.decide`. However it ends, the robot is halted. The iterator is
    advanced and closed by one thread only; `cancel` and `robot.halt` may be used from any. `model` is for a
    policy's requests other than queries; `budget` returns what is left of the model's limits. Once a step has
    failed `failure_limit` times for the same reason, a person decides about it; 0 turns that off.
    """
    questioner = Questioner(answerer, model, operator, consistency, robot, cancel)
    episode = _EpisodeLoop(
        problem, robot, questioner, planner, policy, operator, cancel, max_steps, budget, failure_limit
    )
    words = {**settings, "world": robot.embodiment.value, "robot": robot.name, "answerer": answerer.name}
    words["method"] = policy.name
    try:
        yield ev.EpisodeStarted(
            task,
            problem.domain.name,
            problem.all_objects,
            problem.goal,
            tuple(episode.context.belief),
            MappingProxyType(words),
        )
        yield from episode.run()
    except Exception as error:  # whatever failed, the episode's end must stay readable
        yield episode.crashed(describe_failure(error))
    finally:
        try:
            release_control(robot)
        except Exception:  # the episode has ended, and the stop was already reported
            log.exception("the robot cannot be halted")


class _EndEpisode(Exception):
    """Ends the episode from anywhere in a turn."""

    def __init__(self, result: ev.EpisodeResult, reason: str, probability: float | None = None) -> None:
        super().__init__(reason)
        self.result, self.reason, self.probability = result, reason, probability


class _EpisodeLoop:
    """The loop's state between two events. Belongs to the thread that advances the generator."""

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
        budget: Callable[[], RemainingBudget],
        failure_limit: int,
    ) -> None:
        self.robot, self.questioner, self.planner = robot, questioner, planner
        self.operator, self.cancel = operator, cancel
        self.follow(policy)
        self.max_steps, self.budget = max_steps, budget
        self.goal = problem.goal
        self.names = tuple(o.name for o in problem.all_objects)
        self.ground_truth = robot if isinstance(robot, GroundTruth) else None
        self.boxes = robot if isinstance(robot, ProvidesBoxes) else None
        self.viewpoint_source = robot if isinstance(robot, SupportsViewpoints) else None
        self.candidate_source = robot if isinstance(robot, ProvidesCandidates) else None
        self.context = Context(problem, policy.begin(problem))
        self.frame = Frame("")
        self.fault = ""  # a failure of the policy, until a person has been asked
        self.undo: list[Belief] = []  # the beliefs before each correction since the last motion
        self.steps = self.proposals = 0
        self.failure_limit, self.failures = failure_limit, FailureHistory()
        self.judged: StepDone | None = None  # the last step that `failures` knows of

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
        except _EndEpisode as over:
            yield self.ended(over.result, over.reason, over.probability)

    def one_turn(self, turn: int) -> Iterator[ev.Event]:
        self.cancel.check()
        yield from self.capture_frame(turn)
        yield from self.read_sensors()
        self.learn()
        actions_left = MAX_ACTIONS_WITHOUT_GATE
        while True:
            self.cancel.check()
            action = self.next_action() if actions_left else _give_up_when_stuck(self.policy)
            actions_left -= 1
            match action:
                case AskQuestions():
                    yield from self.ask(action)
                case AskModel():
                    reply = yield from self.questioner.consult(self.context, self.frame, action, self.policy)
                    yield from self.apply_observation(reply)
                case MakePlan():
                    got = yield from make_plan(self.context, action, self.planner, self.operator, self.cancel)
                    yield from self.apply_observation(got)
                case ClaimGoal(reason, probability):
                    raise _EndEpisode(ev.EpisodeResult.SUCCEEDED, reason.note or GOAL_BELIEVED, probability)
                case LookFrom() | DoSteps() | GiveUp() | ChangeDomain():
                    if isinstance(action, DoSteps) and not (yield from self.adopt_steps(action)):
                        continue
                    step = yield from self.pass_gate(action)
                    if step is not None:
                        yield from self.act(step)
                        return
                    actions_left = MAX_ACTIONS_WITHOUT_GATE

    def learn(self) -> None:
        """Let a learning policy replace itself; if it fails, a person is asked."""
        if self.learner is None:
            return
        try:
            self.follow(self.learner.learn(self.context))
        except Exception as error:
            self.fault = describe_failure(error)

    def follow(self, policy: Policy) -> None:
        """Use this policy from now on, and cache its optional protocols (isinstance on one takes 20 us)."""
        self.policy = policy
        self.learner = policy if isinstance(policy, LearningPolicy) else None
        self.told = policy if isinstance(policy, UsesGroundTruth) else None

    def adopt_steps(self, action: DoSteps) -> Generator[ev.Event, None, bool]:
        """Return True if these steps are the plan; a plan of the policy's own is offered to the operator
        first."""
        plan = Plan(PlanStatus.FOUND, action.steps, self.policy.name)
        if same_plan(self.context.plan, plan):
            return True
        got = yield from adopt_plan(self.context, plan, action.reason, self.operator, self.cancel)
        yield from self.apply_observation(got)
        return got.accepted

    def refresh(self) -> None:
        """Update what may have changed in the context outside the policy."""
        now = self.context
        given = self.budget()
        left = RemainingBudget(self.max_steps - self.steps, given.calls, given.dollars)
        viewpoints = self.viewpoint_source.viewpoints if self.viewpoint_source else ()
        dials = self.operator.supervision
        if (left, viewpoints, dials) != (now.remaining, now.viewpoints, now.supervision):
            self.context = replace(now, remaining=left, supervision=dials, viewpoints=viewpoints)

    def next_action(self) -> Action:
        """Return what the policy wants next; a policy that failed asks for help."""
        if not self.fault:
            self.refresh()
            try:
                return self.policy.act(self.context)
            except Exception as error:
                self.fault = describe_failure(error)
        return GiveUp(Reason(Cause.FAULT, note=f"The method {self.policy.name} broke: {self.fault}"))

    def apply_observation(
        self, observation: Observation, contradictions: tuple[Contradiction, ...] = ()
    ) -> Iterator[ev.Event]:
        """Update the policy's belief with an observation."""
        old = self.context.belief
        new = (
            observation.belief
            if isinstance(observation, BeliefRestored)
            else self.updated_belief(observation)
        )
        self.context = advance(self.context, observation, new)
        changes = new.changes_since(old)
        hypotheses = new.hypotheses if new.hypotheses != old.hypotheses else None
        if changes or contradictions or hypotheses is not None:
            yield ev.BeliefChanged(self.context.turn, changes, contradictions, hypotheses)

    def updated_belief(self, observation: Observation) -> Belief:
        try:
            return self.policy.update(self.context, observation)
        except Exception as error:  # the belief stays, and a person is asked
            self.fault = describe_failure(error)
            return self.context.belief

    def ended(
        self, result: ev.EpisodeResult, reason: str, probability: float | None = None
    ) -> ev.EpisodeEnded:
        truth = self.ground_truth.truth() if self.ground_truth else None
        missing = () if truth is None else tuple(g.atom for g in self.goal if (g.atom in truth) != g.positive)
        believed = self.context.problem.is_goal(self.context.belief.state)
        return ev.EpisodeEnded(
            result, reason, believed, None if truth is None else not missing, missing, probability
        )

    def crashed(self, reason: str) -> ev.EpisodeEnded:
        """Halt the robot, then report the crash; a robot that cannot halt is mentioned in the report."""
        try:
            release_control(self.robot)
            return self.ended(ev.EpisodeResult.CRASHED, reason)
        except Exception as error:
            log.exception("the robot broke too")
            return ev.EpisodeEnded(ev.EpisodeResult.CRASHED, f"{reason} The robot does not answer: {error}")

    # --- seeing and asking -------------------------------------------------------------------------------

    def capture_frame(self, turn: int, viewpoint: str = "") -> Iterator[ev.Event]:
        """Capture a picture. Without one a person sees why, and looks again or ends the episode."""
        try:
            if viewpoint and self.viewpoint_source:
                self.frame = self.viewpoint_source.look_from(viewpoint, self.cancel)
            else:
                self.frame = self.robot.look(self.cancel)
        except NoPicture as error:
            self.cancel.stop(release_control(self.robot), str(error))
            raise Cancelled(self.cancel.reason) from error
        boxes = self.boxes.boxes(self.names) if self.boxes else ()
        yield ev.FrameCaptured(turn, self.frame, boxes)
        yield from self.apply_observation(
            GotPicture(turn, self.frame.id, self.frame.viewpoint, not viewpoint)
        )

    def read_sensors(self) -> Iterator[ev.Event]:
        turn = self.context.turn
        sensed = tuple(
            Answer(atom, Verdict.from_bool(holds), BeliefSource.SENSOR, turn=turn, by=self.robot.name)
            for atom, holds in sorted(self.robot.sense().items())
        )
        if self.told:
            state = self.context.belief.state
            sensed += tuple(ground_truth_answers(self.robot, self.told.ground_truth_predicates, state, turn))
        if sensed:
            yield ev.SensorsRead(turn, sensed)
            yield from self.apply_observation(GotSenses(sensed))

    def ask(self, action: AskQuestions) -> Iterator[ev.Event]:
        try:
            answers, found = yield from self.questioner.ask(self.context, self.frame, action)
        except AnswererError as error:
            raise _EndEpisode(ev.EpisodeResult.ENDED, str(error)) from error
        yield from self.apply_observation(answers, found)

    # --- the gate ----------------------------------------------------------------------------------------

    def pass_gate(self, action: GatedAction) -> Generator[ev.Event, None, Step | None]:
        """Return the step to do, or None if the policy must act again first."""
        proposal = self.propose(action)
        yield ev.ActionProposed(proposal)
        decision = self.operator.decide(proposal)
        yield ev.DecisionMade(proposal.number, self.context.turn, decision)
        self.fault = ""
        match decision:
            case Approve() if isinstance(action, LookFrom):
                yield from self.capture_frame(self.context.turn, action.viewpoint)
            case Approve() if isinstance(action, ChangeDomain):
                yield from self.change_domain(action, True)
            case Approve():
                if proposal.failing is not None:
                    self.failures = self.failures.approve(proposal.failing.step)
                return best_step(proposal.candidates) or proposal.step
            case Choose(step):
                if faults := self.context.problem.step_faults(step):
                    yield ev.Notice("fault", f"{step} cannot be done: {'; '.join(faults)}.")
                else:
                    return step
            case Correct(answers):
                self.undo.append(self.context.belief)
                yield from self.apply_observation(BeliefCorrected(answers))
            case Undo():
                if self.undo:
                    yield from self.apply_observation(BeliefRestored(self.undo.pop()))
            case Replan():
                yield from self.apply_observation(PlanRequested())
            case StopRaised(_, why):
                raise Cancelled(why)
            case End(why, by):
                raise _EndEpisode(result_when_ended(proposal, by), why)
            case Proceed():  # no stop is in force: wait at the gate again
                if isinstance(action, ChangeDomain):
                    yield from self.change_domain(action, False)
                elif isinstance(action, GiveUp):
                    yield from self.apply_observation(ProceedRequested())
        return None

    def propose(self, action: GatedAction) -> Proposal:
        self.proposals += 1
        options = (
            self.step_candidates(action.steps[0]) if isinstance(action, DoSteps) and action.steps else ()
        )
        if self.context.last_step is not self.judged:
            self.judged, self.failures = self.context.last_step, self.failures.after(self.context)
        failing = (
            self.failures.repeated(action.steps[0], self.failure_limit)
            if isinstance(action, DoSteps) and action.steps
            else None
        )
        return make_proposal(self.proposals, self.context, action, options, failing)

    def step_candidates(self, step: Step) -> tuple[StepCandidate, ...]:
        """Return the candidates that the robot sees; none if it cannot look now and will choose when it
        acts."""
        try:
            return self.candidate_source.candidates(step) if self.candidate_source else ()
        except RobotError:
            log.warning("no options for %s", step, exc_info=True)
            return ()

    def change_domain(self, action: ChangeDomain, accepted: bool) -> Iterator[ev.Event]:
        turn, problem = self.context.turn, action.problem
        yield ev.DomainChanged(turn, action.difference, action.pddl, accepted, action.reason)
        yield from self.apply_observation(
            DomainChangeDecided(accepted, problem if accepted else self.context.problem)
        )

    # --- acting and stopping -----------------------------------------------------------------------------

    def act(self, step: Step) -> Iterator[ev.Event]:
        if self.steps >= self.max_steps:
            raise _EndEpisode(ev.EpisodeResult.STEP_LIMIT, self.step_limit_reason())
        self.cancel.check()
        self.steps += 1
        self.undo.clear()
        turn = self.context.turn
        yield ev.StepStarted(turn, step)
        outcome = self.robot.do(step, self.cancel)
        situation = self.ground_truth.situation if self.ground_truth else ""
        yield ev.StepFinished(turn, step, outcome, situation)
        if outcome.status is StepStatus.HALTED:
            yield from self.apply_observation(StepHalted(step))
            if not self.cancel.is_set():  # the robot halted by itself, so a person must look
                self.cancel.stop(release_control(self.robot), outcome.detail or "the robot halted by itself")
            raise Cancelled(self.cancel.reason)
        yield from self.apply_observation(StepDone(step, outcome))

    def step_limit_reason(self) -> str:
        """Return that the limit is reached, and what kept failing until then."""
        worst = self.failures.worst()
        often = worst is not None and 0 < self.failure_limit <= worst.count
        more = f" {worst.sentence().rstrip('.')}." if worst is not None and often else ""
        return f"The limit of {self.max_steps} steps is reached.{more}"

    def wait_for_release(self) -> Iterator[ev.Event]:
        """Wait after a stop: nothing moves until a person releases it or ends the episode."""
        turn = self.context.turn
        while (stop := self.cancel.active_stop) and not self.cancel.ended:
            self.proposals += 1
            proposal = Proposal(
                self.proposals,
                turn,
                ProposalKind.STOP_RELEASE,
                None,
                self.cancel.reason,
                self.context.belief,
                stop,
            )
            yield ev.ActionProposed(proposal)
            decision: Decision = self.operator.decide(proposal)
            yield ev.DecisionMade(proposal.number, turn, decision)
            match decision:
                case Proceed(up_to):
                    try:
                        self.robot.release_stop(up_to)
                    except RobotNotReady as error:
                        yield ev.Notice("fault", str(error))
                    else:
                        self.cancel.release(up_to)
                case End(why):
                    raise _EndEpisode(ev.EpisodeResult.ENDED, why)
        if self.cancel.ended:
            raise _EndEpisode(ev.EpisodeResult.ENDED, self.cancel.reason)


def _give_up_when_stuck(policy: Policy) -> GiveUp:
    why = (
        f"The method {policy.name} took {MAX_ACTIONS_WITHOUT_GATE} actions without a motion: "
        "correct the belief, or end."
    )
    return GiveUp(Reason(Cause.FAULT, note=why))
