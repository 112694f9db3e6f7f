"""The planner that the loop talks to."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import prod

from core.cancel import Cancel
from core.errors import PlanningError
from core.planning import semantics
from core.planning.engines.engine import SearchLimits
from core.planning.ground import State
from core.planning.planner_process import PlannerProcess
from core.planning.search import PlanSearch, eliminate_redundant
from core.planning_model import Plan, PlanStatus, Problem, Step

MAX_IN_PROCESS_OPERATORS = 1_000  # ground operators, at most, of a problem that is tried in this process
_MAX_CACHED_PLANS = 20_000  # plans


def make_planner(
    engine: str = "pyperplan", limits: SearchLimits | None = None, options: Mapping[str, str] | None = None
) -> ImprovingPlanner:
    """A planner with one of `ENGINES` and its options. Problems of the paper's size are solved in this
    process; what is larger, or takes longer, goes to a process of its own.

    Raises UnknownName, BadValue, MissingPackage.
    """
    return ImprovingPlanner(engine, limits or SearchLimits(20_000), options or {})


class ImprovingPlanner:
    """Plans are kept per problem and state. Not for several threads at once."""

    def __init__(self, engine: str, limits: SearchLimits, options: Mapping[str, str]) -> None:
        self._limits = limits
        self._in_process = PlanSearch(engine, options)
        self._child_process = PlannerProcess(engine, options)
        self._memo: dict[tuple[str, State], Plan] = {}

    def plan(self, problem: Problem, cancel: Cancel) -> Plan:
        """Same problem, same plan. Raises Cancelled, PlanningError.

        Every plan has been followed through over all objects by our own semantics.
        """
        cancel.check()
        began = time.perf_counter()
        key = (problem.digest, problem.state)
        plan = self._memo.get(key)
        if plan is None:
            plan = self._make(problem, cancel)
            if plan.status is not PlanStatus.TIMEOUT:
                while len(self._memo) >= _MAX_CACHED_PLANS:
                    self._memo.pop(next(iter(self._memo)))
                self._memo[key] = plan
        return replace(plan, seconds=time.perf_counter() - began)

    def improve(
        self, problem: Problem, plan: Plan, seconds: float, cancel: Cancel
    ) -> Iterator[tuple[Plan, bool]]:
        """Ever shorter plans (or cheaper ones) than this one, and whether the last is proven to be the best.

        Each has been followed through. Raises Cancelled, PlanningError.
        """
        where = (
            self._in_process if _most_operators(problem) <= MAX_IN_PROCESS_OPERATORS else self._child_process
        )
        for steps, proven in where.improve(problem, plan, seconds, cancel):
            yield replace(plan, steps=self._checked(problem, steps, "fast-downward")), proven

    def close(self) -> None:
        """End the other process, if one was started. Idempotent."""
        self._child_process.close()

    def _make(self, problem: Problem, cancel: Cancel) -> Plan:
        check_facts(problem)
        if semantics.goal_holds(problem, problem.state):
            return Plan(PlanStatus.FOUND, engine=self._in_process.engine.name)
        plan = self._search(problem, cancel)
        if plan.status is not PlanStatus.FOUND:
            return plan
        return replace(
            plan, steps=self._checked(problem, eliminate_redundant(problem, plan.steps), plan.engine)
        )

    def _checked(self, problem: Problem, steps: tuple[Step, ...], engine: str) -> tuple[Step, ...]:
        if faults := semantics.plan_faults(problem, steps):
            raise PlanningError(f"The engine {engine} gave a wrong plan: {'; '.join(faults)}.")
        return steps

    def _search(self, problem: Problem, cancel: Cancel) -> Plan:
        if _most_operators(problem) <= MAX_IN_PROCESS_OPERATORS and (
            plan := self._in_process.quick(problem, self._limits, cancel)
        ):
            return plan
        return self._child_process.run(problem, self._limits, cancel)


def check_facts(problem: Problem) -> None:
    """Raises PlanningError for a fact of the state that the problem cannot speak of."""
    types = {o.name: o.type for o in problem.all_objects}
    parameters = {p.name: p.parameters for p in problem.domain.predicates}
    for atom in sorted(problem.state):
        wanted = parameters.get(atom.predicate)
        if wanted is None or len(wanted) != len(atom.args):
            raise PlanningError(f"{atom} is no fact of the domain {problem.domain.name!r}.")
        for name, parameter in zip(atom.args, wanted, strict=True):
            if name not in types:
                raise PlanningError(f"{atom} names {name!r}, which is no object of {problem.name!r}.")
            if not problem.domain.is_a(types[name], parameter.type):
                raise PlanningError(f"{atom} cannot be: {name!r} is of type {types[name]!r}.")


def _most_operators(problem: Problem) -> int:
    """How many ground operators and rules there are at most."""
    bound = [a.parameters for a in problem.domain.actions] + [a.variables for a in problem.domain.axioms]
    return sum(prod(len(problem.of_type(v.type)) for v in variables) for variables in bound)
