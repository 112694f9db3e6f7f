"""From a problem to a plan in this process: few objects first, then all, then the other engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from core.cancel import Cancel
from core.errors import MissingPackage
from core.planning import semantics
from core.planning.engines.engine import SearchLimits
from core.planning.engines.fast_downward import FastDownward, improve_plan, translate_problem
from core.planning.engines.pyperplan import Pyperplan
from core.planning.engines.registry import make_engine
from core.planning.ground import State
from core.planning.grounded_task import GroundedTask, TooLarge, ground_task, static_facts
from core.planning.plan_cost import plan_cost
from core.planning.relevance import restrict_to_relevant
from core.planning_model import Plan, PlanStatus, Problem, Step

MAX_DIRECT_OPERATORS = 130  # ground operators up to which all objects are searched at once
QUICK_EXPANSIONS = 200  # expansions allowed while the caller waits
PYPERPLAN_EXPANSIONS = 2_000  # expansions after which Fast Downward takes over
PYPERPLAN_OPERATOR_CHECKS = 500_000  # or operator checks, about a second
MAX_PYPERPLAN_OPERATORS = 2_000  # ground operators above which pyperplan needs seconds for one expansion
MAX_OWN_GROUNDING = 20_000  # ground operators above which Fast Downward's translator does the grounding
MAX_OPERATORS = 300_000  # ground operators above which no search is tried without it
DEFAULT_SECONDS = 60.0  # used if no limit is given
GROUNDING_SECONDS = 8.0  # for our own grounding, if there is an alternative
MAX_ELIMINATION_STEPS = 1_000  # plan length up to which redundant steps are eliminated
_CACHED_TASKS = 16


class PlanSearch:
    """Caches tables and what engines built from them. Not thread-safe."""

    def __init__(self, engine: str, options: Mapping[str, str] | None = None) -> None:
        self.engine = make_engine(engine, options)
        self._relax = self.engine if isinstance(self.engine, Pyperplan) else Pyperplan()
        self._tables: dict[tuple[str, State], GroundedTask] = {}
        self._fallback: FastDownward | None = None
        with suppress(MissingPackage):
            self._fallback = self.engine if isinstance(self.engine, FastDownward) else FastDownward()

    def quick(self, problem: Problem, limits: SearchLimits, cancel: Cancel) -> Plan | None:
        """Plan like `run`, but return None if that would take long."""
        few = limits
        if limits.expansions > QUICK_EXPANSIONS:
            few = replace(limits, expansions=QUICK_EXPANSIONS, operator_checks=PYPERPLAN_OPERATOR_CHECKS)
        try:
            plan = self._attempt(problem, few, cancel, thorough=False)
        except TooLarge:
            return None
        return plan if plan and (plan.status is not PlanStatus.TIMEOUT or few == limits) else None

    def run(self, problem: Problem, limits: SearchLimits, cancel: Cancel) -> Plan:
        """Return a plan; IMPOSSIBLE only if proven over all objects. Raises Cancelled, PlanningError."""
        end = time.monotonic() + (DEFAULT_SECONDS if limits.seconds is None else limits.seconds)
        try:
            plan = self._attempt(problem, limits, cancel, thorough=True)
            assert plan
        except TooLarge:
            why = f"More than {MAX_OPERATORS:,} ground actions are too many to search."
            plan = Plan(PlanStatus.TIMEOUT, engine=self.engine.name, reason=why)
        left = end - time.monotonic()
        if plan.status is PlanStatus.TIMEOUT and left > 0 and limits.expansions > PYPERPLAN_EXPANSIONS:
            plan = self._search_translated(problem, replace(limits, seconds=left), cancel) or plan
        return plan

    def improve(
        self, problem: Problem, plan: Plan, seconds: float, cancel: Cancel
    ) -> Iterator[tuple[tuple[Step, ...], bool]]:
        """Yield ever shorter (or cheaper) plans than this one, and whether the latest is proven optimal.

        Raises Cancelled, PlanningError.
        """
        end = time.monotonic() + seconds
        if not plan.steps:
            yield plan.steps, True
            return
        try:
            table = self._task(problem, cancel)
        except TooLarge:
            table = None
        if self._fallback is None:
            if table and (steps := self._relax.shortest(table, problem.state, seconds, cancel)) is not None:
                yield steps if len(steps) < len(plan.steps) else plan.steps, True
            return
        task = None
        if table is None or len(table.operators) > MAX_PYPERPLAN_OPERATORS:
            task = translate_problem(problem, seconds / 2 if table else seconds, self._fallback.costs, cancel)
        if task is None and table is not None:
            task = self._fallback.task(table, problem.state)
        if task is None:
            return
        left = end - time.monotonic()
        for steps, proven in improve_plan(task, plan.steps, self._measure(problem), left, cancel):
            yield steps if proven else eliminate_redundant(problem, steps), proven

    def _measure(self, problem: Problem) -> Callable[[tuple[Step, ...]], float]:
        if not (self._fallback and self._fallback.costs):
            return lambda steps: float(len(steps))
        return lambda steps: plan_cost(problem, steps) or 0.0

    def _search_translated(self, problem: Problem, limits: SearchLimits, cancel: Cancel) -> Plan | None:
        """Search what Fast Downward's translator finds reachable; None without it, or if that is too long."""
        if self._fallback is None:
            return None
        seconds = DEFAULT_SECONDS if limits.seconds is None else limits.seconds
        end = time.monotonic() + seconds
        task = translate_problem(problem, seconds, self._fallback.costs, cancel)
        if task is None:
            return None
        return self._fallback.solve(task, replace(limits, seconds=max(0.0, end - time.monotonic())), cancel)

    def _attempt(
        self, problem: Problem, limits: SearchLimits, cancel: Cancel, *, thorough: bool
    ) -> Plan | None:
        table = self._task(problem, cancel)
        if len(table.operators) > MAX_DIRECT_OPERATORS:
            relaxed = self._relax.relaxed(table, problem.state)
            if relaxed is None:
                why = "No way leads there, even if nothing were ever undone."
                return Plan(PlanStatus.IMPOSSIBLE, engine=self.engine.name, reason=why)
            found = self._few_objects(problem, relaxed, limits, cancel)
            if found or not thorough:
                return found
        return self._all_objects(table, problem, limits, cancel)

    def _few_objects(
        self, problem: Problem, relaxed: tuple[Step, ...], limits: SearchLimits, cancel: Cancel
    ) -> Plan | None:
        """Return a plan that uses few objects and is valid over all of them, or None."""
        small = restrict_to_relevant(problem, relaxed)
        if len(small.objects) == len(problem.objects):
            return None
        table = self._task(small, cancel)
        plan = self.engine.search(table, small.state, self._first_limits(limits), cancel)
        right = plan.status is PlanStatus.FOUND and not semantics.plan_faults(problem, plan)
        return plan if right else None

    def _all_objects(
        self, table: GroundedTask, problem: Problem, limits: SearchLimits, cancel: Cancel
    ) -> Plan:
        large = len(table.operators) > MAX_PYPERPLAN_OPERATORS
        seconds = DEFAULT_SECONDS if limits.seconds is None else limits.seconds
        half = replace(limits, seconds=seconds / 2)  # the rest is for the other grounding
        if large and self._fallback and limits.expansions > PYPERPLAN_EXPANSIONS:
            plan = self._search_translated(problem, half, cancel)
            if plan and plan.status is not PlanStatus.TIMEOUT:
                return plan
            return self._fallback.search(table, problem.state, half, cancel)
        other = self._fallback if self.engine is self._relax else None
        first = self._first_limits(limits) if other else limits
        if large and self.engine is self._relax:
            first = _at_most(0 if other else QUICK_EXPANSIONS, limits)
        plan = self.engine.search(table, problem.state, first, cancel)
        if other and plan.status is PlanStatus.TIMEOUT and first != limits:
            plan = other.search(table, problem.state, half, cancel)
        return plan

    def _first_limits(self, limits: SearchLimits) -> SearchLimits:
        """Return the limits used while there is an alternative; seconds only if nothing else can be
        counted."""
        if self.engine is not self._relax:
            return replace(limits, seconds=10.0 if limits.seconds is None else min(10.0, limits.seconds))
        if limits.expansions <= PYPERPLAN_EXPANSIONS:
            return limits
        return replace(
            limits,
            expansions=PYPERPLAN_EXPANSIONS,
            operator_checks=PYPERPLAN_OPERATOR_CHECKS if self._fallback else None,
        )

    def _task(self, problem: Problem, cancel: Cancel) -> GroundedTask:
        """Return the grounded problem. Raises TooLarge, Cancelled."""
        key = (problem.digest, static_facts(problem))
        if key not in self._tables:
            most, seconds = (
                (MAX_OWN_GROUNDING, GROUNDING_SECONDS) if self._fallback else (MAX_OPERATORS, None)
            )
            table = ground_task(problem, most, cancel, seconds)
            while len(self._tables) >= _CACHED_TASKS:
                self._tables.pop(next(iter(self._tables)))
            self._tables[key] = table
        return self._tables[key]


def _at_most(expansions: int, limits: SearchLimits) -> SearchLimits:
    return replace(limits, expansions=min(limits.expansions, expansions))


def eliminate_redundant(problem: Problem, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """Return the plan without redundant steps (action elimination, Fink and Yang 1993)."""
    if len(steps) > (
        40 if problem.domain.axioms else MAX_ELIMINATION_STEPS
    ):  # the time is quadratic in the length
        return steps
    number, before = 0, problem.state
    while number < len(steps):
        state, kept = before, list(steps[:number])
        for step in steps[number + 1 :]:
            if not semantics.inapplicable_reasons(problem, state, step):
                state = semantics.apply(problem, state, step)
                kept.append(step)
        if semantics.goal_holds(problem, state):
            steps = tuple(kept)
        else:
            before = semantics.apply(problem, before, steps[number])
            number += 1
    return steps
