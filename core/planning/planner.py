"""The planner that the loop talks to."""

from __future__ import annotations

import time
from dataclasses import replace
from math import prod

from core.cancel import Cancel
from core.errors import PlanningError
from core.planning import semantics
from core.planning.engines.engine import Limits
from core.planning.ground import State
from core.planning.process import Process
from core.planning.search import ENGINES, Search, trimmed
from core.ports import Planner
from core.problem import Plan, PlanStatus, Problem

__all__ = ["ENGINES", "Limits", "make_planner"]

ROOMY = 1_000  # ground operators, at most, of a problem that is tried in this process
_MEMO = 20_000  # plans


def make_planner(engine: str = "pyperplan", limits: Limits | None = None) -> Planner:
    """A planner with one of `ENGINES`. Problems of the paper's size are solved in this process; what is
    larger, or takes longer, goes to a process of its own.

    Raises UnknownName, MissingPackage.
    """
    return _Planner(engine, limits or Limits(20_000))


class _Planner:
    """Plans are kept per problem and state. Not for several threads at once."""

    def __init__(self, engine: str, limits: Limits) -> None:
        self._limits = limits
        self._here = Search(engine)
        self._there = Process(engine)
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
            plan = self._made(problem, cancel)
            if plan.status is not PlanStatus.TIMEOUT:
                while len(self._memo) >= _MEMO:
                    self._memo.pop(next(iter(self._memo)))
                self._memo[key] = plan
        return replace(plan, seconds=time.perf_counter() - began)

    def close(self) -> None:
        """End the other process, if one was started. Idempotent."""
        self._there.close()

    def _made(self, problem: Problem, cancel: Cancel) -> Plan:
        check_facts(problem)
        if semantics.reached(problem, problem.state):
            return Plan(PlanStatus.FOUND, engine=self._here.engine.name)
        plan = self._searched(problem, cancel)
        if plan.status is not PlanStatus.FOUND:
            return plan
        plan = replace(plan, steps=trimmed(problem, plan.steps))
        if faults := semantics.check(problem, plan):
            raise PlanningError(f"The engine {plan.engine} gave a wrong plan: {'; '.join(faults)}.")
        return plan

    def _searched(self, problem: Problem, cancel: Cancel) -> Plan:
        if _most_operators(problem) <= ROOMY and (plan := self._here.quick(problem, self._limits, cancel)):
            return plan
        return self._there.run(problem, self._limits, cancel)


def check_facts(problem: Problem) -> None:
    """Raises PlanningError for a fact of the state that the problem cannot speak of."""
    types = {o.name: o.type for o in problem.everything}
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
    """How many ground operators there are at most."""
    actions = problem.domain.actions
    return sum(prod(len(problem.of_type(p.type)) for p in a.parameters) for a in actions)
