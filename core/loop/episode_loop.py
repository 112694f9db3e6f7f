"""The episode loop: look, let the policy act, pass the gate, move. One generator; no thread, clock or Qt."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

from core import events as ev
from core.arm.arm_capabilities import halt_if_in_control
from core.belief import Atom, Belief
from core.errors import Cancelled, RobotError
from core.knowledge.changes import NO_KNOWLEDGE, Knowledge
from core.loop.agent import Agent, EpisodeOver
from core.loop.gated_motion import GatedMotion
from core.loop.permit_issuer import PermitIssuer
from core.loop.questioner import ConsistencyCheck, Questioner
from core.loop.repeated_failures import DEFAULT_FAILURE_LIMIT
from core.loop.replanning import describe_failure
from core.operator import Operator
from core.planners import Planner
from core.planning_model import Problem
from core.policy import (
    AskModel,
    AskQuestions,
    ChangeDomain,
    ClaimGoal,
    Context,
    DoSteps,
    GiveUp,
    HasOwnGoal,
    LookFrom,
    MakePlan,
    Policy,
    RemainingBudget,
)
from core.ports import Answerer, Model, Robot
from core.reason import Cause, Reason
from core.stop_token import StopToken

log = logging.getLogger(__name__)

MAX_ACTIONS_WITHOUT_GATE = (
    100  # a policy's actions in a turn without passing the gate; then a person is asked
)
MAX_REQUESTS_WITHOUT_GATE = 400  # to a language model, which are counted apart: a situation takes up to 130
GOAL_BELIEVED = "The goal is believed to be reached."


def run_episode(
    task: str,
    problem: Problem,
    robot: Robot,
    answerer: Answerer,
    planner: Planner,
    policy: Policy,
    operator: Operator,
    cancel: StopToken,
    max_steps: int = 50,
    settings: Mapping[str, str] = MappingProxyType({}),
    *,
    consistency: ConsistencyCheck | None = None,
    model: Model | None = None,
    budget: Callable[[], RemainingBudget] = RemainingBudget,
    failure_limit: int = DEFAULT_FAILURE_LIMIT,
    permits: PermitIssuer | None = None,
    knowledge: Knowledge = NO_KNOWLEDGE,
    first_belief: Belief | None = None,
    notices: Sequence[str] = (),
) -> Iterator[ev.Event]:
    """Yield events as they happen, until the goal is claimed or somebody ends the episode.

    The robot moves only on the permits that `permits` issues for what `operator.decide` lets pass; None
    claims the robot's for this episode. However it ends, the robot is halted. The iterator is advanced and
    closed by one thread only; `cancel` and `robot.halt` may be used from any. `model` is for a policy's
    requests other than queries; `budget` returns what is left of the model's limits. Once a step has failed
    `failure_limit` times for the same reason, a person decides about it; 0 turns that off. `knowledge` is
    what was learnt about the domain before, and `problem` has it already. The episode begins with
    `first_belief`; without, with the policy's own. `notices` are what a person should know as it begins.
    """
    issuer = permits or PermitIssuer(robot.permits, robot.embodiment)
    try:
        questioner = Questioner(answerer, model, operator, consistency, robot, cancel)
        begun = policy.begin(problem) if first_belief is None else first_belief
        first = Context(problem, begun, knowledge=knowledge)
        agent = Agent(first, robot, questioner, planner, policy, operator, cancel, max_steps, budget)
        episode = _EpisodeLoop(agent, GatedMotion(agent, issuer, failure_limit))
        words = {**settings, "world": robot.embodiment.value, "robot": robot.name, "answerer": answerer.name}
        words["method"] = policy.name
        try:
            yield ev.EpisodeStarted(
                task,
                problem.domain.name,
                problem.all_objects,
                problem.goal,
                tuple(agent.context.belief),
                MappingProxyType(words),
                agent.context.belief.hypotheses,
                knowledge.changes,
            )
            for text in notices:
                yield ev.Notice("doubt", text)
            yield from episode.run()
        except Exception as error:  # whatever failed, the episode's end must stay readable
            yield episode.crashed(describe_failure(error))
        finally:
            try:
                halt_if_in_control(robot)
            except Exception:  # the episode has ended, and the stop was already reported
                log.exception("the robot cannot be halted")
    finally:
        if permits is None:
            issuer.close()


class _EpisodeLoop:
    """The turns. Belongs to the thread that advances the generator."""

    def __init__(self, agent: Agent, gated: GatedMotion) -> None:
        self.agent, self.gated = agent, gated
        self.robot, self.cancel = agent.robot, agent.cancel
        self.goal = agent.context.problem.goal

    def run(self) -> Iterator[ev.Event]:
        turn = 0
        try:
            while True:
                turn += 1
                try:
                    yield from self.one_turn(turn)
                except Cancelled:
                    yield from self.gated.wait_for_release()
        except EpisodeOver as over:
            yield self.ended(over.result, over.reason, over.probability)

    def one_turn(self, turn: int) -> Iterator[ev.Event]:
        agent, gated = self.agent, self.gated
        self.cancel.check()
        yield from agent.see(turn, gated.picture(lambda: self.robot.look(self.cancel)))
        yield from agent.read_sensors()
        agent.learn()
        actions_left, requests_left = MAX_ACTIONS_WITHOUT_GATE, MAX_REQUESTS_WITHOUT_GATE
        while True:
            self.cancel.check()
            stuck = not (actions_left and requests_left)
            action = _give_up_when_stuck(agent.policy) if stuck else agent.next_action()
            if isinstance(action, AskModel):
                requests_left -= 1
            else:
                actions_left -= 1
            match action:
                case AskQuestions():
                    yield from agent.ask(action)
                case AskModel():
                    yield from agent.consult(action)
                case MakePlan():
                    yield from agent.plan(action)
                case ClaimGoal(reason, probability):
                    raise EpisodeOver(ev.EpisodeResult.SUCCEEDED, reason.note or GOAL_BELIEVED, probability)
                case LookFrom() | DoSteps() | GiveUp() | ChangeDomain():
                    if not isinstance(action, DoSteps) or (yield from agent.adopt_steps(action)):
                        passed = yield from gated.pass_gate(action)
                        if passed is not None:
                            yield from gated.act(*passed)
                            return
                        actions_left, requests_left = MAX_ACTIONS_WITHOUT_GATE, MAX_REQUESTS_WITHOUT_GATE
            yield from gated.take_corrections()

    def ended(
        self, result: ev.EpisodeResult, reason: str, probability: float | None = None
    ) -> ev.EpisodeEnded:
        own = isinstance(policy := self.agent.policy, HasOwnGoal) and policy.has_own_goal
        truth = None if own else self.last_truth()
        missing = () if truth is None else tuple(g.atom for g in self.goal if (g.atom in truth) != g.positive)
        believed = self.agent.context.problem.is_goal(self.agent.context.belief.state)
        return ev.EpisodeEnded(
            result, reason, believed, None if truth is None else not missing, missing, probability
        )

    def last_truth(self) -> frozenset[Atom] | None:
        """Return the truth at the end; None if this robot knows none, or is out of reach by now."""
        try:
            return self.agent.ground_truth.truth() if self.agent.ground_truth else None
        except RobotError as error:
            log.warning("the truth at the end is not known: %s", error)
            return None

    def crashed(self, reason: str) -> ev.EpisodeEnded:
        """Halt the robot, then report the crash; a robot that cannot halt is mentioned in the report."""
        try:
            halt_if_in_control(self.robot)
            return self.ended(ev.EpisodeResult.CRASHED, reason)
        except Exception as error:
            log.exception("the robot broke too")
            return ev.EpisodeEnded(ev.EpisodeResult.CRASHED, f"{reason} The robot does not answer: {error}")


def _give_up_when_stuck(policy: Policy) -> GiveUp:
    reason = (
        f"The method {policy.name} took {MAX_ACTIONS_WITHOUT_GATE} actions without a motion: "
        "correct the belief, or end."
    )
    return GiveUp(Reason(Cause.FAULT, note=reason))
