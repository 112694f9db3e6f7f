"""Checks of what a robot's world lacks for a domain, in sentences for people. Imports nothing heavy."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from core.domains import DomainSpec, Task
from core.errors import BadValue
from core.planning_model import Action
from core.text.plural import plural


def missing_features(
    robot: str,
    domain_spec: DomainSpec,
    task: Task,
    predicates: Mapping[str, int],
    has_skill: Callable[[Action], bool],
) -> tuple[str, ...]:
    """Return one sentence for each predicate and action of the planner's domain that the robot's world lacks.

    `predicates` maps the known predicates to their number of arguments; predicates used only for bookkeeping
    need not be known. `has_skill` tells whether the robot has a skill for an action.
    """
    domain = task.problem.domain
    unknown: Collection[str] = [
        f"knows no predicate {p.name!r} with {plural(len(p.parameters), 'argument')}"
        for p in domain.predicates
        if predicates.get(p.name) != len(p.parameters) and p.name not in domain_spec.bookkeeping
    ]
    unable = [f"has no skill for the action {a.name!r}" for a in domain.actions if not has_skill(a)]
    return tuple(f"{robot} {reason}." for reason in (*unknown, *unable))


def raise_unsupported(reasons: Collection[str]) -> None:
    """Raise BadValue for the first reason, if there is one; one that names no way out gets one."""
    for reason in reasons:
        if reason.count(": ") > reason.startswith(("Task ", "Action ")):
            raise BadValue(reason)
        raise BadValue(f"{reason.rstrip('.')}: choose the symbolic robot, which runs every domain.")
