"""Make a plan in an episode, and adopt it unless a person keeps the old one."""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterable
from time import monotonic

from core import events as ev
from core.belief import Atom
from core.errors import BadValue, Cancelled, ConsoleError
from core.operator import Operator, PlanChange
from core.planners import ImprovesPlans, Planner, PlansMotion
from core.planning_model import Plan, PlanStatus
from core.policy import Context, GotPlan, MakePlan, StepDone, same_plan
from core.reason import Cause, Reason
from core.scene import Scene
from core.stop_token import StopToken
from core.wish import WishOptions

log = logging.getLogger(__name__)

Planning = Generator[ev.Event, None, GotPlan]


def make_plan(
    context: Context,
    action: MakePlan,
    planner: Planner,
    operator: Operator,
    cancel: StopToken,
    scene: Scene | None = None,
) -> Planning:
    """Make a plan and adopt it. If the planner fails, there is none, with the cause. Raises Cancelled."""
    try:
        if action.wish is not None:
            if scene is None or not isinstance(planner, PlansMotion):
                raise BadValue("This robot tells no scene, so no motions are found: take another.")
            options = action.options or WishOptions()
            plan = planner.plan_motion(action.problem, action.wish, scene, options, cancel)
        elif isinstance(planner, ImprovesPlans):
            for plan, looking in planner.plans(action.problem, cancel):
                if looking:
                    yield ev.PlanImproving(context.turn, len(plan.steps))
        else:
            plan = planner.plan(action.problem, cancel)
    except Cancelled:
        raise
    except Exception as error:
        plan = Plan(PlanStatus.FAILED, reason=describe_failure(error))
    asked_for = action.reason.cause is Cause.REQUESTED
    if context.plan_count and not asked_for and same_plan(context.plan, plan):
        return GotPlan(plan, changed=False, reason=action.reason)
    return (yield from adopt_plan(context, plan, action.reason, operator, cancel))


def adopt_plan(
    context: Context, plan: Plan, reason: Reason, operator: Operator, cancel: StopToken
) -> Planning:
    """Adopt a plan unless a person keeps the old one or the offer is withdrawn. Raises Cancelled."""
    revision = PlanChange(context.turn, context.plan, plan, reason)
    accepted: bool | None = True
    if plan.status is PlanStatus.FOUND and context.plan_count:
        yield ev.PlanOffered(revision)
        accepted = operator.accept_plan(revision)
        if accepted is None or cancel.is_set():
            yield ev.OfferWithdrawn(context.turn)
            cancel.check()
            return GotPlan(plan, accepted=False, reason=reason)
    yield ev.PlanMade(revision, bool(accepted))
    return GotPlan(plan, bool(accepted), reason=reason)


def describe_failure(error: Exception) -> str:
    """Describe a failure in one sentence; unexpected errors are also logged with their traceback."""
    if isinstance(error, ConsoleError):
        return str(error)
    log.error("a part of the program broke", exc_info=error)
    return f"A part of the program broke ({type(error).__name__}: {error})."


MAX_FACTS = 12  # that are tried one by one, each with a plan of its own
SECONDS = 5.0  # after which no further one is tried
SHOWN = 4  # facts that the sentence names


def unlike_start(context: Context, planner: Planner, cancel: StopToken) -> str:
    """Return in a sentence what is believed otherwise than the task begins, if that leaves no plan, else "".

    Before the first step only: afterwards the steps have made the differences. Raises Cancelled.
    """
    made = next((seen for seen in reversed(context.history) if isinstance(seen, GotPlan)), None)
    begun = any(isinstance(seen, StepDone) for seen in context.history)
    if begun or made is None or made.plan.status is not PlanStatus.IMPOSSIBLE:
        return ""
    task, end = context.problem, monotonic() + SECONDS

    def has_plan(state: Iterable[Atom]) -> bool:
        return planner.plan(task.with_state(frozenset(state)), cancel).status is PlanStatus.FOUND

    believed = context.belief.state
    facts = sorted(believed ^ task.state, key=str)
    guilty = [fact for fact in facts[:MAX_FACTS] if monotonic() < end and has_plan(believed ^ {fact})]
    if not guilty and facts and monotonic() < end and has_plan(task.state):
        guilty = facts
    if not guilty:
        return ""
    found = [str(fact) + ("" if fact in believed else " does not hold") for fact in guilty]
    more = f", and {len(found) - SHOWN} more" if len(found) > SHOWN else ""
    return f"Not as the task begins: {', '.join(found[:SHOWN])}{more}. As it begins, there is a plan."
