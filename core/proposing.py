"""What a person reads at the gate for each thing that a policy wants, and how an episode ends there. Pure."""

from __future__ import annotations

from core.deciding import Need, Proposal
from core.events import Result
from core.options import Option
from core.policy import ChangeDomain, Context, DoSteps, GiveUp, LookFrom
from core.problem import Step
from core.reason import Cause, Reason

Gated = DoSteps | LookFrom | GiveUp | ChangeDomain  # what passes the gate


def proposal_of(number: int, context: Context, action: Gated, options: tuple[Option, ...] = ()) -> Proposal:
    """A step that is none of the domain's is a call for help: the robot never gets it."""
    turn, belief, reason, why = context.turn, context.belief, action.reason, action.reason.note
    match action:
        case DoSteps((step, *_)):
            if faults := context.problem.faults(step):
                why = f"The method wants {step}, but {'; '.join(faults)}."
                broken = Reason(Cause.FAULT, step=step, note=why)
                return Proposal(number, turn, Need.HELP, None, why, belief, reason=broken)
            return Proposal(number, turn, Need.STEP, step, why, belief, options=options, reason=reason)
        case LookFrom(viewpoint):
            return Proposal(
                number, turn, Need.LOOK, Step("look_from", (viewpoint,)), why, belief, reason=reason
            )
        case ChangeDomain(_, difference):
            return Proposal(number, turn, Need.CHANGE, None, difference, belief, reason=reason)
    why = why or "There is no plan from what is believed."
    return Proposal(number, turn, Need.HELP, None, why, belief, reason=reason)


def result_of_ending(proposal: Proposal, by: str) -> Result:
    """A person ends it; where nobody is, it ends for want of a plan, or of a part that works."""
    if proposal.need is not Need.HELP or by:
        return Result.ENDED
    return Result.CRASHED if proposal.reason.cause is Cause.FAULT else Result.NO_PLAN
