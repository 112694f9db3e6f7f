"""The planner that the loop uses."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.errors import PlanningError
from core.planning import semantics
from core.planning.compiled import plan_cost
from core.planning.elimination import eliminate_redundant
from core.planning.engines.engine import SearchLimits
from core.planning.engines.registry import ENGINES
from core.planning.expansion import check_expansion
from core.planning.fact_bits import State
from core.planning.planner_process import PlannerProcess
from core.planning.search import PlanSearch, SearchResult
from core.planning_model import CHEAPEST, Plan, PlanStatus, Problem, Step
from core.stop_token import StopToken
from core.work import Work

MAX_BOUNDED_CHECKS = 200_000  # of operators, for the heuristic of a bounded search
_MAX_CACHED_PLANS = 20_000


def make_planner(
    engine: str = "pyperplan",
    limits: SearchLimits | None = None,
    options: Mapping[str, str] | None = None,
    kind: type[ImprovingPlanner] | None = None,
) -> ImprovingPlanner:
    """Return a planner with one of `ENGINES` and its options. Raises UnknownName, BadValue, MissingPackage.

    Problems of the paper's size are solved in this process; larger or slower ones in a separate process.
    """
    read = ENGINES[engine].read_options(options or {})
    limits = limits or SearchLimits(20_000, getattr(read, "seconds", SearchLimits.seconds))
    return (kind or ImprovingPlanner)(engine, limits, options or {}, getattr(read, "costs", False))


class ImprovingPlanner:
    """Caches plans per problem and state. Not thread-safe."""

    def __init__(
        self, engine: str, limits: SearchLimits, options: Mapping[str, str], costs: bool = False
    ) -> None:
        """With `costs`, plans are to be cheap whatever a problem says."""
        self._limits, self._costs = limits, costs
        self._in_process = PlanSearch(engine, options)
        self._child_process = PlannerProcess(engine, options)
        self._memo: dict[tuple[str, State], Plan] = {}

    def plan(self, problem: Problem, cancel: StopToken) -> Plan:
        """Return a plan; the same problem gives the same plan. Raises Cancelled, PlanningError.

        Every plan has been validated over all objects by our own semantics.
        """
        *_, (plan, _) = self.plans(problem, cancel)
        return plan

    def plans(self, problem: Problem, cancel: StopToken) -> Iterator[tuple[Plan, bool]]:
        """Yield a plan, and better ones if it is worth looking for them; whether one is still looked for.

        The last one is the plan, and not looked beyond. Raises Cancelled, PlanningError.
        """
        cancel.check()
        began = time.perf_counter()
        problem = self._priced(problem)
        key = (problem.digest, problem.state)
        plan = self._memo.get(key)
        if plan is None:
            with Work(cancel=cancel):
                plan, rough = self._make(problem, self._limits, cancel)
            if rough and self._limits.improving_seconds:
                yield replace(plan, seconds=time.perf_counter() - began), True
                for better, _ in self.improve(problem, plan, self._limits.improving_seconds, cancel):
                    plan = better
                    yield replace(plan, seconds=time.perf_counter() - began), True
            if plan.status is not PlanStatus.TIMEOUT:
                while len(self._memo) >= _MAX_CACHED_PLANS:
                    self._memo.pop(next(iter(self._memo)))
                self._memo[key] = plan
        yield replace(plan, seconds=time.perf_counter() - began), False

    def improve(
        self, problem: Problem, plan: Plan, seconds: float, cancel: StopToken
    ) -> Iterator[tuple[Plan, bool]]:
        """Yield ever shorter (or cheaper) plans than this one, and whether the latest is proven optimal.

        Each one has been validated. Raises Cancelled, PlanningError.
        """
        problem = self._priced(problem)
        where = self._in_process if self._in_process.improves_quickly(problem) else self._child_process
        for steps, proven in where.improve(problem, plan, seconds, cancel):
            with Work(cancel=cancel):
                better = self._checked(problem, plan, steps)
            yield better, proven

    def plan_within(self, problem: Problem, expansions: int, cancel: StopToken) -> Plan:
        """Return a plan found within so many expansions, else TIMEOUT. Raises Cancelled, PlanningError."""
        cancel.check()
        problem = self._priced(problem)
        known = self._memo.get((problem.digest, problem.state))
        if known is not None:
            return known
        few = SearchLimits(expansions, operator_checks=MAX_BOUNDED_CHECKS)
        with Work(cancel=cancel):
            return self._make(problem, few, cancel).plan

    def close(self) -> None:
        """End the other process, if one was started. Idempotent."""
        self._child_process.close()

    def _make(self, problem: Problem, limits: SearchLimits, cancel: StopToken) -> SearchResult:
        check_problem(problem)
        if semantics.goal_holds(problem, problem.state):
            return SearchResult(Plan(PlanStatus.FOUND, engine=self._in_process.engine.name))
        found = self._in_process.quick(problem, limits, cancel)
        plan, rough = found or self._child_process.run(problem, limits, cancel)
        if plan.status is PlanStatus.IMPOSSIBLE and problem.by_cost:
            self._check_costs(problem, cancel)
        if plan.status is not PlanStatus.FOUND:
            return SearchResult(plan)
        return SearchResult(self._checked(problem, plan, eliminate_redundant(problem, plan.steps)), rough)

    def _checked(self, problem: Problem, plan: Plan, steps: tuple[Step, ...]) -> Plan:
        if faults := semantics.plan_faults(problem, steps):
            raise PlanningError(f"The engine {plan.engine} gave a wrong plan: {'; '.join(faults)}.")
        return replace(plan, steps=steps, cost=plan_cost(problem, steps))

    def _check_costs(self, problem: Problem, cancel: StopToken) -> None:
        """Raise PlanningError if there is a plan with a step whose cost has no value."""
        for step in self._make(replace(problem, metric=""), self._limits, cancel).plan.steps:
            if plan_cost(problem, (step,)) is None:
                raise PlanningError(f"The cost of {step} has no value: give it one, or plan without costs.")

    def _priced(self, problem: Problem) -> Problem:
        """Return the problem with the metric that the engine's option asks for."""
        return replace(problem, metric=CHEAPEST) if self._costs else problem


def check_problem(problem: Problem) -> None:
    """Raise PlanningError for a fact of the state that the problem cannot express.

    Raises BadDomain for a formula that is too large over its objects.
    """
    check_expansion(problem, problem.name)
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
