"""From a problem to a plan in this process, by the problem's size; and from a plan to ever better ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from core.errors import MissingPackage
from core.planning import semantics
from core.planning.compiled import CompiledProblem, ground_task, static_facts
from core.planning.elimination import eliminate_redundant
from core.planning.engines.downward import SasTask
from core.planning.engines.engine import SearchLimits
from core.planning.engines.fast_downward import (
    MAX_DIRECT_OPERATORS,
    FastDownward,
    improve_plan,
    translate_problem,
)
from core.planning.engines.pyperplan import Pyperplan
from core.planning.engines.registry import make_engine
from core.planning.fact_bits import State
from core.planning.plan_cost import plan_cost
from core.planning.relevance import restrict_to_relevant
from core.planning_model import Plan, PlanStatus, Problem, Step
from core.stop_token import StopToken
from core.work import TooMuchWork, Work

MAX_DIRECT_EFFECTS = 400  # conditional effects up to which a search over all objects comes first
QUICK_UNITS = 200_000  # of work while the caller waits
QUICK_EXPANSIONS = 200  # expansions allowed while the caller waits
PYPERPLAN_EXPANSIONS = 2_000  # expansions after which Fast Downward takes over
PYPERPLAN_OPERATOR_CHECKS = 500_000  # or operator checks, about a second
MAX_PYPERPLAN_OPERATORS = 2_000  # ground operators above which pyperplan needs seconds for one expansion
MAX_OWN_GROUNDING = 20_000  # ground operators above which Fast Downward's translator does the grounding
MAX_OPERATORS = 50_000  # ground operators above which no search is tried without it: two gigabytes
MAX_TRANSLATED_EFFECTS = 200  # conditional effects with which the translator takes a fraction of a second
GROUNDING_SECONDS = 8.0  # for our own grounding, if there is an alternative
_CACHED_TASKS = 16


class SearchResult(NamedTuple):
    """A plan, and whether it is a first one that further search soon makes better."""

    plan: Plan
    rough: bool = False


class PlanSearch:
    """Caches tables and what engines built from them. Not thread-safe."""

    def __init__(self, engine: str, options: Mapping[str, str] | None = None) -> None:
        self.engine = make_engine(engine, options)
        self._relax = self.engine if isinstance(self.engine, Pyperplan) else Pyperplan()
        self._tables: dict[tuple[str, State], CompiledProblem] = {}
        self._end = 0.0  # of the present search, on the monotonic clock
        self._translated: tuple[tuple[str, State], SasTask] | None = None  # the last one
        self._fallback: FastDownward | None = None
        with suppress(MissingPackage):
            self._fallback = self.engine if isinstance(self.engine, FastDownward) else FastDownward()

    def quick(self, problem: Problem, limits: SearchLimits, cancel: StopToken) -> SearchResult | None:
        """Plan like `run`, but return None if that would take this process long."""
        try:
            with Work(QUICK_UNITS, cancel=cancel):
                return self._quick(problem, limits, cancel)
        except TooMuchWork:
            return None

    def _quick(self, problem: Problem, limits: SearchLimits, cancel: StopToken) -> SearchResult | None:
        self._end = time.monotonic() + limits.seconds
        few = limits
        if limits.expansions > QUICK_EXPANSIONS:
            few = replace(limits, expansions=QUICK_EXPANSIONS, operator_checks=PYPERPLAN_OPERATOR_CHECKS)
        table = self._task(problem, cancel)
        delegates = self._delegates(limits)
        if plan := self._few_objects(table, problem, few, delegates, cancel):
            return SearchResult(plan)
        if len(table.operators) > MAX_DIRECT_OPERATORS:
            return self._large(table, problem, limits, cancel) if delegates else None
        if self.engine is self._fallback:
            return self._direct(table, problem, limits, cancel)
        plan = self.engine.search(table, problem.state, few, cancel)
        return _result(table, plan) if plan.status is not PlanStatus.TIMEOUT or few == limits else None

    def run(self, problem: Problem, limits: SearchLimits, cancel: StopToken) -> SearchResult:
        """Return a plan; IMPOSSIBLE only if proven over all objects. Raises Cancelled, PlanningError."""
        self._end = time.monotonic() + limits.seconds
        try:
            table = self._task(problem, cancel)
        except TooMuchWork as error:
            if self._delegates(limits):
                return self._large(None, problem, limits, cancel)
            return SearchResult(Plan(PlanStatus.TIMEOUT, engine=self.engine.name, reason=str(error)))
        delegates = self._delegates(limits)
        if plan := self._few_objects(table, problem, limits, delegates, cancel):
            return SearchResult(plan)
        if delegates and len(table.operators) > MAX_DIRECT_OPERATORS:
            return self._large(table, problem, limits, cancel)
        return self._direct(table, problem, limits, cancel)

    def improve(
        self, problem: Problem, plan: Plan, seconds: float, cancel: StopToken
    ) -> Iterator[tuple[tuple[Step, ...], bool]]:
        """Yield ever shorter (or cheaper) plans than this one, and whether the latest is proven optimal.

        Raises Cancelled, PlanningError.
        """
        self._end, measure = time.monotonic() + seconds, _measure(problem)
        if not plan.steps:
            yield plan.steps, True
            return
        try:
            table = self._task(problem, cancel)
        except TooMuchWork:
            table = None
        if self._fallback is None:
            if table and (steps := self._relax.best(table, problem.state, seconds, cancel)) is not None:
                yield min(plan.steps, steps, key=measure), True
            return
        task = self._sas_task(table, problem, cancel)
        if task is None:
            return
        for steps, proven in improve_plan(task, plan.steps, measure, self._left, cancel):
            yield steps if proven else eliminate_redundant(problem, steps), proven

    @property
    def _left(self) -> float:
        """Return the seconds left to the present search."""
        return max(0.0, self._end - time.monotonic())

    def _delegates(self, limits: SearchLimits) -> bool:
        """Return True if large problems are Fast Downward's, which cannot count expansions."""
        return self._fallback is not None and limits.expansions > PYPERPLAN_EXPANSIONS

    def _few_objects(
        self,
        table: CompiledProblem,
        problem: Problem,
        limits: SearchLimits,
        delegates: bool,
        cancel: StopToken,
    ) -> Plan | None:
        """Return a large problem's plan that uses few objects and is valid over all of them, IMPOSSIBLE, or
        None.

        Where plans are to be cheap the objects that are left out may be what makes them so.
        """
        if table.by_cost and delegates:
            return None
        if len(table.operators) <= MAX_DIRECT_OPERATORS and _effect_count(table) <= MAX_DIRECT_EFFECTS:
            return None
        relaxed = self._relax.relaxed(table, problem.state)
        if relaxed is None:
            reason = "No way leads there, even if nothing were ever undone."
            return Plan(PlanStatus.IMPOSSIBLE, engine=self.engine.name, reason=reason)
        small = restrict_to_relevant(problem, relaxed)
        if len(small.all_objects) == len(problem.all_objects):
            return None
        part = self._task(small, cancel)
        if delegates and len(part.operators) > MAX_DIRECT_OPERATORS:
            return None
        first = self._first_limits(replace(limits, seconds=self._left))
        plan = self.engine.search(part, small.state, first, cancel)
        right = plan.status is PlanStatus.FOUND and not semantics.plan_faults(problem, plan)
        return plan if right else None

    def _large(
        self, table: CompiledProblem | None, problem: Problem, limits: SearchLimits, cancel: StopToken
    ) -> SearchResult:
        """Return the first plan of Fast Downward, IMPOSSIBLE or TIMEOUT."""
        assert self._fallback
        task = self._sas_task(table, problem, cancel)
        if task is None:
            reason = f"Not grounded after {limits.seconds:g} s."
            return SearchResult(Plan(PlanStatus.TIMEOUT, engine=self._fallback.name, reason=reason))
        plan = self._fallback.first(task, replace(limits, seconds=self._left), cancel)
        return SearchResult(plan, rough=plan.status is PlanStatus.FOUND)

    def _sas_task(self, table: CompiledProblem | None, problem: Problem, cancel: StopToken) -> SasTask | None:
        """Return the task for Fast Downward; None if it cannot be grounded in time.

        Its translator finds variables with many values, with which its searches are better. With many
        conditional effects it takes seconds to minutes, and our own grounding does not.
        """
        assert self._fallback
        key = problem.digest, problem.state
        if self._translated and self._translated[0] == key:
            return self._translated[1]
        task = None
        if table is None or _effect_count(table) <= MAX_TRANSLATED_EFFECTS:
            most = self._left / 2 if table else self._left
            task = translate_problem(problem, most, cancel)
        if task is None and table is not None:
            return self._fallback.task(table, problem.state)
        if task is not None:
            self._translated = key, task
        return task

    def _direct(
        self, table: CompiledProblem, problem: Problem, limits: SearchLimits, cancel: StopToken
    ) -> SearchResult:
        """Search over all objects with the engine; what is too hard is Fast Downward's."""
        limits = replace(limits, seconds=self._left)
        if self.engine is not self._fallback:
            first = self._first_limits(limits)
            if len(table.operators) > MAX_PYPERPLAN_OPERATORS and self.engine is self._relax:
                first = replace(first, expansions=min(first.expansions, QUICK_EXPANSIONS))
            plan = self.engine.search(table, problem.state, first, cancel)
            if not self._fallback or plan.status is not PlanStatus.TIMEOUT or first == limits:
                return _result(table, plan)
        limits = replace(limits, seconds=self._left)
        shortest = self._fallback.shortest(table, problem.state, limits, cancel)
        return SearchResult(shortest) if shortest else self._large(table, problem, limits, cancel)

    def _first_limits(self, limits: SearchLimits) -> SearchLimits:
        """Return the limits used while there is an alternative."""
        if self.engine is not self._relax:
            return replace(limits, seconds=min(10.0, limits.seconds))
        if limits.expansions <= PYPERPLAN_EXPANSIONS:
            return limits
        return replace(
            limits,
            expansions=PYPERPLAN_EXPANSIONS,
            operator_checks=PYPERPLAN_OPERATOR_CHECKS if self._fallback else None,
        )

    def _task(self, problem: Problem, cancel: StopToken) -> CompiledProblem:
        """Return the grounded problem. Raises TooMuchWork, Cancelled."""
        key = (problem.digest, static_facts(problem))
        if key not in self._tables:
            most, seconds = MAX_OPERATORS, max(1.0, self._left)
            if self._fallback:
                most, seconds = MAX_OWN_GROUNDING, min(GROUNDING_SECONDS, seconds)
            table = ground_task(problem, most, cancel, seconds)
            while len(self._tables) >= _CACHED_TASKS:
                self._tables.pop(next(iter(self._tables)))
            self._tables[key] = table
        return self._tables[key]


def _result(table: CompiledProblem, plan: Plan) -> SearchResult:
    """Return what pyperplan found: where costs count, its first plan may be far from the cheapest."""
    return SearchResult(plan, rough=table.by_cost and plan.status is PlanStatus.FOUND)


def _measure(problem: Problem) -> Callable[[tuple[Step, ...]], float]:
    if problem.by_cost:
        return lambda steps: plan_cost(problem, steps) or 0.0
    return len


def _effect_count(table: CompiledProblem) -> int:
    return sum(len(op.effects) for op in table.operators)
