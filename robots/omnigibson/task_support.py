"""List what OmniGibson can be asked to do: the household's skills, in the five tasks that are activities."""

from __future__ import annotations

from core.domains import DomainSpec, Task
from robots.kitchen.task_support import unsupported_reasons as household_reasons
from robots.omnigibson.activities import ACTIVITIES


def unsupported_reasons(domain_spec: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return why the robot cannot run this task, one sentence for each reason; empty if it can."""
    reasons = tuple(r.replace("The kitchen", "OmniGibson") for r in household_reasons(domain_spec, task))
    if not reasons and task.name not in ACTIVITIES:
        known = ", ".join(sorted(ACTIVITIES))
        reasons = (f"OmniGibson has no activity for the task {task.name!r}; it has: {known}.",)
    return reasons
