"""Say, before anything of it moves, that a plan is not the one that a person approved on the sheet. Pure."""

from __future__ import annotations

from app.presentation.decision_section import DecisionSection
from core.events import Event, PlanMade
from core.planning_model import Plan, PlanStatus
from core.policy import same_plan

_WORD, _GO_ON = "WHY IT PAUSED", "Look at the plan; Enter goes on."


def not_as_approved(approved: Plan, event: Event) -> DecisionSection | None:
    """Return why a plan that was made is another one, None if it is the approved one to the last move.

    Only those moves were seen as a ghost. An arm that sees the things itself may take one otherwise though
    the steps are the same, and it moves back from each place, so that its camera sees it.
    """
    if not isinstance(event, PlanMade) or same_plan(approved.steps, event.plan):
        return None
    if event.plan.status is not PlanStatus.FOUND or approved.steps != event.plan.steps:
        lines = ("It has other steps than the rehearsal that you approved.", _GO_ON)
    else:
        lines = ("Its steps are the same, but the arm moves otherwise, by what it sees now.", _GO_ON)
    return DecisionSection(_WORD, "Not the plan that you saw", lines, "doubt")
