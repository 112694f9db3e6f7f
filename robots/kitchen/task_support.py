"""List what the kitchen can be asked to do: the ten skills of the household, and what they act on."""

from __future__ import annotations

from core.domains import DomainSpec, Task
from core.errors import BadValue
from core.planning_model import Action
from robots.kitchen.household.objects import household_objects
from robots.kitchen.household.skills import HOUSEHOLD_SKILLS
from robots.kitchen.household.state import PREDICATES, initial_state
from robots.task_support import missing_features


def unsupported_reasons(domain_spec: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return why the robot cannot run this task, one sentence for each reason; empty if it can."""

    def has_skill(action: Action) -> bool:
        known = domain_spec.skills.get(action.name)
        return known is not None and known.skill in HOUSEHOLD_SKILLS

    own = {p.name: len(p.parameters) for p in task.problem.domain.predicates}
    reasons = missing_features("The kitchen", domain_spec, task, own | PREDICATES, has_skill)
    try:
        initial_state(task.simulated_problem, household_objects(task.simulated_problem))
    except BadValue as error:
        reasons += (str(error),)
    return reasons
