"""What the kitchen can be asked to do: the predicates and the ten skills of the household."""

from __future__ import annotations

from core.domains import DomainSpec, Task
from core.errors import BadValue
from core.planning_model import Action
from robots.kitchen.household.objects import household_objects
from robots.kitchen.household.skills import HOUSEHOLD_SKILLS
from robots.kitchen.household.state import STATE_PREDICATES, initial_state
from robots.task_support import missing_features

PREDICATES = {
    "inview": 2, "found": 2, "inhand": 2, "handempty": 1, "inside": 2, "ontop": 2, "onfloor": 2,
    "inroom": 2, "insource": 2, "filled": 2, "filledsink": 2, "closed": 1, "turnedon": 1, "cooked": 1,
    "frozen": 1, "hot": 1, "halved": 1,
}  # fmt: skip
assert PREDICATES.keys() >= STATE_PREDICATES


def unsupported_reasons(folder: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return why the robot cannot run this task, one sentence for each reason; empty if it can."""

    def has_skill(action: Action) -> bool:
        known = folder.skills.get(action.name)
        return known is not None and known.skill in HOUSEHOLD_SKILLS

    reasons = missing_features("The kitchen", folder, task, PREDICATES, has_skill)
    try:
        initial_state(task.simulated_problem, household_objects(task.simulated_problem))
    except BadValue as error:
        reasons += (str(error),)
    return reasons
