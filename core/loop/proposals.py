"""What a person reads at the gate for each action of a policy, and how an episode ends there."""

from __future__ import annotations

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
    turn, belief, reason, explanation = context.turn, context.belief, action.reason, action.reason.note
    match action:
        case DoSteps((step, *_)):
            if faults := context.problem.step_faults(step):
                explanation = f"The method wants {step}, but {'; '.join(faults)}."
                broken = Reason(Cause.FAULT, step=step, note=explanation)
                return Proposal(
                    number, turn, ProposalKind.HELP_NEEDED, None, explanation, belief, reason=broken
                )
            return Proposal(
                number,
                turn,
                ProposalKind.STEP,
                step,
                explanation,
                belief,
                candidates=options,
                reason=reason,
                failing=failing,
            )
        case LookFrom(viewpoint):
            return Proposal(
                number,
                turn,
                ProposalKind.VIEWPOINT,
                Step("look_from", (viewpoint,)),
                explanation,
                belief,
                reason=reason,
            )
        case ChangeDomain(_, difference, suggestion=suggestion):
            return Proposal(
                number,
                turn,
                ProposalKind.DOMAIN_CHANGE,
                None,
                difference,
                belief,
                reason=reason,
                suggestion=suggestion,
            )
    rejected = reason.cause is Cause.KEPT
    explanation = "You rejected the new plan, and there is no other." if rejected else explanation
    explanation = explanation or "There is no plan from what is believed."
    return Proposal(number, turn, ProposalKind.HELP_NEEDED, None, explanation, belief, reason=reason)


def result_when_ended(proposal: Proposal, by: str) -> EpisodeResult:
    """Return the episode's result when it is ended at this proposal; `by` is empty if no person ended it."""
    if proposal.kind is not ProposalKind.HELP_NEEDED or by:
        return EpisodeResult.ENDED
    return EpisodeResult.CRASHED if proposal.reason.cause is Cause.FAULT else EpisodeResult.NO_PLAN
