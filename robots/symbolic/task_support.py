"""List what the symbolic robot can be asked to do: whatever its world models."""

from __future__ import annotations

from core.domains import DomainSpec, Task


def unsupported_reasons(domain_spec: DomainSpec, task: Task) -> tuple[str, ...]:
    """Return why the robot cannot run this task, one sentence for each reason; empty if it can.

    Without a world model of its own, the robot runs the task's own problem, which it always supports. Only a
    separate world model may lack something.
    """
    domain, world = task.problem.domain, task.simulated_problem.domain
    predicates = {p.name: len(p.parameters) for p in world.predicates}
    actions = {a.name: len(a.parameters) for a in world.actions}
    missing = [
        f"predicate {p.name}"
        for p in domain.predicates
        if predicates.get(p.name) != len(p.parameters) and p.name not in domain_spec.bookkeeping
    ]
    missing += [f"action {a.name}" for a in domain.actions if actions.get(a.name) != len(a.parameters)]
    return tuple(
        f"Task {task.name}: its world has no {name} of this kind; add it to the world's domain file."
        for name in missing
    )
