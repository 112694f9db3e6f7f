"""Making a plan in an episode, and putting it into force unless a person keeps the old one."""

from __future__ import annotations

import logging
from collections.abc import Generator

from core import events as ev
from core.cancel import Cancel
from core.deciding import Operator, Revision
from core.errors import Cancelled, ConsoleError
from core.policy import Context, GotPlan, MakePlan, same_plan
from core.ports import Planner
from core.problem import Plan, PlanStatus
from core.reason import Cause, Reason

log = logging.getLogger(__name__)

Planning = Generator[ev.Event, None, GotPlan]


def make_plan(
    context: Context, action: MakePlan, planner: Planner, operator: Operator, cancel: Cancel
) -> Planning:
    """A planner that breaks has made no plan, and a person sees why. Raises Cancelled."""
    try:
        plan = planner.plan(action.problem, cancel)
    except Cancelled:
        raise
    except Exception as error:
        plan = Plan(PlanStatus.FAILED, why=what_broke(error))
    asked_for = action.reason.cause is Cause.REQUESTED
    if context.planned and not asked_for and same_plan(context.plan, plan):
        return GotPlan(plan, changed=False)
    return (yield from adopt(context, plan, action.reason, operator, cancel))


def adopt(context: Context, plan: Plan, reason: Reason, operator: Operator, cancel: Cancel) -> Planning:
    """Put a plan into force; a person may keep the old one. Raises Cancelled."""
    revision = Revision(context.turn, context.plan, plan, reason)
    accepted = True
    if plan.status is PlanStatus.FOUND and context.planned:
        yield ev.Offered(revision)
        accepted = operator.consent(revision)
        cancel.check()
    yield ev.Planned(revision, accepted)
    return GotPlan(plan, accepted)


def what_broke(error: Exception) -> str:
    """In a sentence; the program's log gets the traceback of what is no error of ours."""
    if isinstance(error, ConsoleError):
        return str(error)
    log.error("a part of the program broke", exc_info=error)
    return f"A part of the program broke ({type(error).__name__}: {error})."
