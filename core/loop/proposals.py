"""Word each action of a policy for the gate, and how an episode ends there."""

from __future__ import annotations

from functools import partial

from core.arm.step_candidates import StepCandidate
from core.events import EpisodeResult
from core.operator import Proposal, ProposalKind
from core.planning_model import Step
from core.policy import ChangeDomain, Context, DoSteps, GiveUp, LookFrom
from core.reason import Cause, Reason, RepeatedFailure

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
    ends = {Cause.FAULT: EpisodeResult.CRASHED, Cause.NO_ANSWER: EpisodeResult.ENDED}
    return ends.get(proposal.reason.cause, EpisodeResult.NO_PLAN)
