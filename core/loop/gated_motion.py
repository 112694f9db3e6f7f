"""The gate and the motions: what is proposed, what is decided about it, and what the robot then does."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from dataclasses import replace
from functools import partial

from core import events as ev
from core.arm.arm_capabilities import ReportsHindrance, halt_if_in_control
from core.arm.step_candidates import ProvidesCandidates, StepCandidate, best_step
from core.errors import Cancelled, MotionRefused, NoPicture, PlanningError, RobotError, RobotNotReady
from core.events import EpisodeResult
from core.loop.agent import Agent, EpisodeOver
from core.loop.domain_changes import ChangeRefused, admit, changed_event, known_after, refuse
from core.loop.permit_issuer import PermitIssuer
from core.loop.repeated_failures import FailureHistory
from core.loop.replanning import unlike_start
from core.operator import (
    AcceptEdited,
    Approve,
    Choose,
    Correct,
    Decision,
    End,
    Proceed,
    Proposal,
    ProposalKind,
    RefuseSuggestion,
    Replan,
    StopRaised,
    TellSituation,
    Undo,
)
from core.permit import Permit
from core.planning_model import Step
from core.policy import (
    BeliefCorrected,
    BeliefRestored,
    ChangeDomain,
    Context,
    DomainChangeDecided,
    DoSteps,
    GiveUp,
    LookFrom,
    PlanRequested,
    ProceedRequested,
    StepDone,
    StepHalted,
)
from core.ports import Frame, StepResult, StepStatus
from core.reason import Cause, Reason, RepeatedFailure
from core.stop_token import Late

log = logging.getLogger(__name__)


class GatedMotion:
    """Lets the robot do what passed the gate, on the permit for it. Belongs to the loop's thread."""

    def __init__(self, agent: Agent, issuer: PermitIssuer, failure_limit: int) -> None:
        self.agent, self.issuer = agent, issuer
        self.robot, self.operator, self.cancel = agent.robot, agent.operator, agent.cancel
        self.candidate_source = self.robot if isinstance(self.robot, ProvidesCandidates) else None
        self.proposals = 0
        self.failure_limit, self.failures = failure_limit, FailureHistory()
        self.judged: StepDone | None = None  # the last step that `failures` knows of

    # --- the gate ----------------------------------------------------------------------------------------

    def pass_gate(self, action: GatedAction) -> Generator[ev.Event, None, tuple[Step, Permit] | None]:
        """Return the step to do with its permit, or None if the policy must act again first."""
        proposal, agent = self.propose(action), self.agent
        yield ev.ActionProposed(proposal)
        decision, permit = self.issuer.decide(self.operator, proposal)
        yield ev.DecisionMade(proposal.number, agent.context.turn, self.noted(decision))
        agent.fault = agent.alert = ""
        if action.reason.cause is Cause.NO_ANSWER:
            agent.questioner.go_on()
        match decision:
            case Approve() if isinstance(action, LookFrom):
                yield from self.look_from(action.viewpoint, permit)
            case Approve() if isinstance(action, ChangeDomain):
                yield from self.change_domain(action)
            case AcceptEdited(changes, by) if isinstance(action, ChangeDomain):
                try:
                    yield from self.change_domain(admit(agent.context, action, changes, by))
                except ChangeRefused as fault:  # the old domain stays, and the policy suggests again
                    yield ev.Notice("fault", str(fault))
            case RefuseSuggestion() if isinstance(action, ChangeDomain):
                yield from self.refuse_change(action)
            case Approve():
                if proposal.failing is not None:
                    self.failures = self.failures.approve(proposal.failing.step)
                step = best_step(proposal.candidates) or proposal.step
                return (step, permit) if step is not None and permit is not None else None
            case Choose(step):
                if faults := agent.context.problem.step_faults(step):
                    yield ev.Notice("fault", f"{step} cannot be done: {'; '.join(faults)}.")
                elif permit is not None:
                    return step, permit
            case Correct() | Undo() | Replan() | TellSituation():
                yield from self.correct(decision)
            case StopRaised(_, reason):
                raise Cancelled(reason)
            case End(reason, by):
                raise EpisodeOver(result_when_ended(proposal, by), reason)
            case Proceed():  # no stop is in force: wait at the gate again
                if isinstance(action, ChangeDomain):
                    yield from self.refuse_change(action)
                elif isinstance(action, GiveUp):
                    yield from agent.apply_observation(ProceedRequested())
        return None

    def correct(self, decision: Correct | Undo | Replan | TellSituation) -> Iterator[ev.Event]:
        match decision:
            case Correct(answers):
                self.agent.undo.append(BeliefRestored(self.agent.context.belief, answers))
                yield from self.agent.apply_observation(BeliefCorrected(answers))
            case Undo() if self.agent.undo:
                yield from self.agent.undo_latest()
            case TellSituation(sentence, by):
                yield from self.agent.notice(sentence, by)
            case Replan():
                yield from self.agent.read_sensors()
                yield from self.agent.apply_observation(PlanRequested())

    def noted(self, decision: Decision) -> Decision:
        """Return a decision for the log: an undo with what it takes back."""
        if isinstance(decision, Undo) and self.agent.undo:
            return replace(decision, answers=self.agent.undo[-1].undone)
        return decision

    def take_corrections(self) -> Iterator[ev.Event]:
        """Let what a person submitted meanwhile count now, in the turn in which it was given."""
        while (decision := self.operator.next_correction()) is not None:
            yield ev.DecisionMade(0, self.agent.context.turn, self.noted(decision))
            if isinstance(decision, End):
                raise EpisodeOver(ev.EpisodeResult.ENDED, decision.reason)
            yield from self.correct(decision)

    def propose(self, action: GatedAction) -> Proposal:
        self.proposals += 1
        context, failing = self.agent.context, None
        options: tuple[StepCandidate, ...] = ()
        if context.last_step is not self.judged:
            self.judged, self.failures = context.last_step, self.failures.after(context)
        if isinstance(action, DoSteps) and action.steps:
            options = self.step_candidates(action.steps[0])
            failing = self.failures.repeated(action.steps[0], self.failure_limit)
        return make_proposal(self.proposals, context, self.name_hindrance(action), options, failing)

    def name_hindrance(self, action: GatedAction) -> GatedAction:
        """Return the action; where there is no plan, with what is in the way: as the robot knows, or else as
        the task's beginning shows.
        """
        if not isinstance(action, GiveUp) or action.reason.cause is not Cause.NO_PLAN:
            return action
        try:
            hindrance = self.robot.hindrance() if isinstance(self.robot, ReportsHindrance) else ""
            agent = self.agent
            hindrance = hindrance or unlike_start(agent.context, agent.planner, agent.cancel)
        except (RobotError, PlanningError) as error:
            hindrance = str(error)
        return replace(action, reason=replace(action.reason, note=hindrance)) if hindrance else action

    def step_candidates(self, step: Step) -> tuple[StepCandidate, ...]:
        """Return the candidates that the robot sees; none if it cannot look now and will choose when it
        acts."""
        try:
            return self.candidate_source.candidates(step) if self.candidate_source else ()
        except RobotError as error:
            log.warning("no options for %s: %s", step, error)
            return ()

    def change_domain(self, action: ChangeDomain) -> Iterator[ev.Event]:
        """Let a changed domain be in force, which can be undone until the next motion."""
        agent, before = self.agent, self.agent.context
        decided = DomainChangeDecided(True, action.problem, action.suggestion, known_after(before, action))
        yield changed_event(action, before.turn, decided)
        agent.undo.append(BeliefRestored(before.belief, (), before.problem, before.knowledge))
        yield from agent.apply_observation(decided)

    def refuse_change(self, action: ChangeDomain) -> Iterator[ev.Event]:
        before = self.agent.context
        decided = DomainChangeDecided(False, before.problem, action.suggestion, refuse(before, action))
        yield changed_event(action, before.turn, decided)
        yield from self.agent.apply_observation(decided)

    # --- acting and stopping -----------------------------------------------------------------------------

    def picture(self, look: Callable[[], Frame]) -> Frame:
        """Take a picture. Without one a person sees why, and looks again or ends the episode."""
        try:
            return look()
        except NoPicture as error:
            self.cancel.stop(halt_if_in_control(self.robot), str(error))
            raise Cancelled(self.cancel.reason) from error

    def look_from(self, viewpoint: str, permit: Permit | None) -> Iterator[ev.Event]:
        source = self.agent.viewpoint_source
        if source is None or permit is None:
            frame = self.picture(lambda: self.robot.look(self.cancel))
        else:
            try:
                frame = self.picture(lambda: source.look_from(viewpoint, permit, self.cancel))
            except MotionRefused as refused:
                raise self.halted(str(refused)) from refused
        yield from self.agent.see(self.agent.context.turn, frame, from_elsewhere=True)

    def act(self, step: Step, permit: Permit) -> Iterator[ev.Event]:
        agent = self.agent
        if agent.steps >= agent.max_steps:
            raise EpisodeOver(ev.EpisodeResult.STEP_LIMIT, self.step_limit_reason())
        self.cancel.check()
        agent.steps += 1
        agent.undo.clear()
        turn = agent.context.turn
        yield ev.StepStarted(turn, step)
        try:
            outcome = self.robot.do(step, permit, self.cancel)
        except MotionRefused as refused:  # a stop came first, or the program is wrong: a person must look
            reason = self.cancel.reason if self.cancel.is_set() else str(refused)
            outcome = StepResult(StepStatus.HALTED, reason)
        situation = agent.ground_truth.situation if agent.ground_truth else ""
        yield ev.StepFinished(turn, step, outcome, situation)
        if outcome.status is StepStatus.HALTED:
            yield from agent.apply_observation(StepHalted(step))
            raise self.halted(outcome.detail or "the robot halted by itself")
        yield from agent.apply_observation(StepDone(step, outcome))

    def halted(self, reason: str) -> Cancelled:
        """Return the interruption; without a stop the robot halted by itself, so a person must look."""
        if not self.cancel.is_set():
            self.cancel.stop(halt_if_in_control(self.robot), reason)
        return Cancelled(self.cancel.reason)

    def step_limit_reason(self) -> str:
        """Return that the limit is reached, and what kept failing until then."""
        worst, limit = self.failures.worst(), self.failure_limit
        more = f" {worst.sentence().rstrip('.')}." if worst is not None and 0 < limit <= worst.count else ""
        return f"The limit of {self.agent.max_steps} step{'s' * (self.agent.max_steps > 1)} is reached.{more}"

    def wait_for_release(self) -> Iterator[ev.Event]:
        """Wait after a stop: nothing moves until a person releases it or ends the episode."""
        turn = self.agent.context.turn
        while (stop := self.cancel.active_stop) and not self.cancel.ended:
            self.proposals += 1
            proposal = Proposal(
                self.proposals,
                turn,
                ProposalKind.STOP_RELEASE,
                None,
                self.cancel.reason,
                self.agent.context.belief,
                stop,
                late=isinstance(self.cancel.reason, Late),
            )
            yield ev.ActionProposed(proposal)
            decision: Decision = self.operator.decide(proposal)
            yield ev.DecisionMade(proposal.number, turn, self.noted(decision))
            match decision:
                case Proceed(up_to):
                    try:
                        self.robot.release_stop(up_to)
                    except RobotNotReady as error:
                        yield ev.Notice("fault", str(error))
                    else:
                        self.cancel.release(up_to)
                case Correct() | Undo() | Replan() | TellSituation():
                    yield from self.correct(decision)
                case End(reason):
                    raise EpisodeOver(ev.EpisodeResult.ENDED, reason)
        if self.cancel.ended:
            raise EpisodeOver(ev.EpisodeResult.ENDED, self.cancel.reason)


GatedAction = DoSteps | LookFrom | GiveUp | ChangeDomain  # the actions that must pass the gate


def make_proposal(
    number: int,
    context: Context,
    action: GatedAction,
    options: tuple[StepCandidate, ...] = (),
    failing: RepeatedFailure | None = None,
) -> Proposal:
    """Return the proposal for an action.

    A step outside the domain becomes a call for help, never a motion.
    """
    reason, note = action.reason, action.reason.note
    propose = partial(Proposal, number, context.turn, belief=context.belief, reason=reason)
    match action:
        case DoSteps((step, *_)) if faults := context.problem.step_faults(step):
            note = f"The method wants {step}, but {'; '.join(faults)}."
            broken = Reason(Cause.FAULT, step=step, note=note)
            return propose(ProposalKind.HELP_NEEDED, explanation=note, reason=broken)
        case DoSteps((step, *_)):
            return propose(ProposalKind.STEP, step, note, candidates=options, failing=failing)
        case LookFrom(viewpoint):
            return propose(ProposalKind.VIEWPOINT, Step("look_from", (viewpoint,)), note)
        case ChangeDomain(_, difference, suggestion=suggestion):
            return propose(ProposalKind.DOMAIN_CHANGE, explanation=difference, suggestion=suggestion)
    if reason.cause is Cause.KEPT:
        note = "You rejected the new plan, and there is no other."
    return propose(ProposalKind.HELP_NEEDED, explanation=note or "There is no plan from what is believed.")


def result_when_ended(proposal: Proposal, by: str) -> EpisodeResult:
    """Return the episode's result when it is ended at this proposal; `by` is empty if no person ended it."""
    if proposal.kind is not ProposalKind.HELP_NEEDED or by:
        return EpisodeResult.ENDED
    ends = {
        Cause.FAULT: EpisodeResult.CRASHED,
        Cause.NO_ANSWER: EpisodeResult.ENDED,
        Cause.UNCERTAIN: EpisodeResult.STEP_LIMIT,  # of a goal that is likely, with no step left
    }
    return ends.get(proposal.reason.cause, EpisodeResult.NO_PLAN)
