"""Check a domain folder by its tasks: which actions are reachable, and which goals."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass

from core.domains import DomainSpec
from core.errors import ConsoleError
from core.planning.compiled import CompiledProblem, ground_task
from core.planning.fact_bits import union
from core.planning.planner import make_planner
from core.planning_model import PlanStatus
from core.stop_token import StopToken
from core.work import TooMuchWork, Work, work_in_force

MAX_OPERATORS = 20_000  # ground operators above which reachability is not computed


@dataclass(frozen=True)
class ReachableActions:
    """The actions that are reachable in some task, ignoring deletes."""

    actions: frozenset[str] = frozenset()
    incomplete: bool = False  # a task was too large to check


def reachable_actions(domain_spec: DomainSpec) -> ReachableActions:
    found: set[str] = set()
    partly = False
    for task in domain_spec.tasks.values():
        try:
            with Work():
                table = ground_task(task.problem, MAX_OPERATORS, StopToken())
                found |= _actions(table, table.mask(task.problem.state))
        except TooMuchWork:
            partly = True
    return ReachableActions(frozenset(found), partly)


def _actions(table: CompiledProblem, known: int) -> set[str]:
    """Return the reachable actions. Facts only grow, so passes repeat until nothing is new."""
    waiting, done, work = list(table.operators), set[str](), work_in_force()
    while now := [op for op in waiting if not op.needs & ~known]:
        work.spend(len(waiting))
        waiting = [op for op in waiting if op.needs & ~known]
        done |= {op.step.name for op in now}
        for op in now:
            known |= union(when.fact for when in op.effects if when.add) | op.adds
    return done


def task_faults(domain_spec: DomainSpec, engine: str) -> Iterator[tuple[str, str, str]]:
    """Yield the subject, the problem and its consequence of each fault."""
    if not domain_spec.tasks:
        yield "tasks", "there is none", "nothing can be run"
        return
    with closing(make_planner(engine)) as planner:
        for task in domain_spec.tasks.values():
            about = f"task {task.name}"
            try:
                plan = planner.plan(task.problem, StopToken())
            except ConsoleError as error:
                yield about, str(error), "it cannot be planned"
                continue
            if plan.status is not PlanStatus.FOUND:
                reason = plan.reason.rstrip(".") or "no way leads to its goal"
                yield (
                    about,
                    f"no plan ({plan.status.value}): {reason}",
                    "an episode ends before its first step",
                )
            elif task.plan_length is not None and task.plan_length != len(plan.steps):
                lack = f"plan_length says {task.plan_length}, and the plan has {len(plan.steps)}"
                yield about, lack, "the list of tasks is wrong"
