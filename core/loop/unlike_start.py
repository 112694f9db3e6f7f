"""Name the facts for which there is no plan although the task, as it is written, has one."""

from __future__ import annotations

from collections.abc import Iterable
from time import monotonic

from core.belief import Atom
from core.planners import Planner
from core.planning_model import PlanStatus
from core.policy import Context, GotPlan, StepDone
from core.stop_token import StopToken

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
