"""From a problem to a plan in this process: few objects first, then all, then the other engine."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

from core.cancel import Cancel
from core.errors import MissingPackage
from core.planning import semantics
from core.planning.engines.engine import Limits
from core.planning.engines.fast_downward import FastDownward, better, translated
from core.planning.engines.pyperplan import Pyperplan
from core.planning.engines.registry import make_engine
from core.planning.ground import State
from core.planning.prices import cost
from core.planning.relevance import restricted
from core.planning.table import Table, TooLarge, make_table, static_facts
from core.problem import Plan, PlanStatus, Problem, Step

DIRECT = 130  # ground operators up to which all objects are searched at once
QUICK = 200  # expansions that may be spent where the caller waits
PATIENT = 2_000  # expansions after which pyperplan gives way to Fast Downward
PATIENCE = 1_500_000  # and looks at an operator; some seconds
HOPELESS = 2_000  # ground operators above which pyperplan needs seconds for one expansion
LARGE = 20_000  # ground operators above which Fast Downward's translator does the grounding
LARGEST = 300_000  # ground operators above which nothing is tried without it
LONGEST = 60.0  # seconds, where no limit is given
GROUNDING = 8.0  # seconds that our grounding may take where there is another
TRIMMED = 1_000  # steps up to which a plan is tried without each of them
_KEPT = 16  # tables


class Search:
    """Keeps tables and what engines built of them. Not for several threads at once."""

    def __init__(self, engine: str, options: Mapping[str, str] | None = None) -> None:
        self.engine = make_engine(engine, options)
        self._relax = self.engine if isinstance(self.engine, Pyperplan) else Pyperplan()
        self._tables: dict[tuple[str, State], Table] = {}
        self._other: FastDownward | None = None
        with suppress(MissingPackage):
            self._other = self.engine if isinstance(self.engine, FastDownward) else FastDownward()

    def quick(self, problem: Problem, limits: Limits, cancel: Cancel) -> Plan | None:
        """As `run`, but None where that would take long."""
        few = _at_most(QUICK, limits)
        try:
            plan = self._tried(problem, few, cancel, thorough=False)
        except TooLarge:
            return None
        return plan if plan and (plan.status is not PlanStatus.TIMEOUT or few == limits) else None

    def run(self, problem: Problem, limits: Limits, cancel: Cancel) -> Plan:
        """IMPOSSIBLE only when proven over all objects. Raises Cancelled, PlanningError."""
        end = time.monotonic() + (LONGEST if limits.seconds is None else limits.seconds)
        try:
            plan = self._tried(problem, limits, cancel, thorough=True)
            assert plan
        except TooLarge:
            why = f"More than {LARGEST:,} ground actions are too many to search."
            plan = Plan(PlanStatus.TIMEOUT, engine=self.engine.name, why=why)
        if plan.status is PlanStatus.TIMEOUT and self._other and limits.expansions > PATIENT:
            plan = self._translated(problem, end - time.monotonic(), cancel) or plan
        return plan

    def better(
        self, problem: Problem, plan: Plan, seconds: float, cancel: Cancel
    ) -> Iterator[tuple[tuple[Step, ...], bool]]:
        """Ever shorter plans than this one (or cheaper), and whether the last is proven to be the best.

        Raises Cancelled, PlanningError.
        """
        end = time.monotonic() + seconds
        if not plan.steps:
            yield plan.steps, True
            return
        try:
            table = self._table(problem, cancel)
        except TooLarge:
            table = None
        if self._other is None:
            if table and (steps := self._relax.shortest(table, problem.state, seconds, cancel)) is not None:
                yield steps if len(steps) < len(plan.steps) else plan.steps, True
            return
        task = None
        if table is None or len(table.operators) > HOPELESS:
            task = translated(problem, seconds / 2 if table else seconds, self._other.costs, cancel)
        if task is None and table is not None:
            task = self._other.task(table, problem.state)
        if task is None:
            return
        left = end - time.monotonic()
        for steps, proven in better(task, plan.steps, self._measure(problem), left, cancel):
            yield steps if proven else trimmed(problem, steps), proven

    def _measure(self, problem: Problem) -> Callable[[tuple[Step, ...]], float]:
        if not (self._other and self._other.costs):
            return lambda steps: float(len(steps))
        return lambda steps: cost(problem, steps) or 0.0

    def _translated(self, problem: Problem, seconds: float, cancel: Cancel) -> Plan | None:
        """Over what Fast Downward's translator finds can be reached; None where that took too long."""
        assert self._other
        end = time.monotonic() + seconds
        task = translated(problem, seconds, self._other.costs, cancel)
        if task is None:
            return None
        return self._other.solve(task, Limits(seconds=max(0.0, end - time.monotonic())), cancel)

    def _tried(self, problem: Problem, limits: Limits, cancel: Cancel, *, thorough: bool) -> Plan | None:
        table = self._table(problem, cancel)
        if len(table.operators) > DIRECT:
            relaxed = self._relax.relaxed(table, problem.state)
            if relaxed is None:
                why = "No way leads there, even if nothing were ever undone."
                return Plan(PlanStatus.IMPOSSIBLE, engine=self.engine.name, why=why)
            found = self._few_objects(problem, relaxed, limits, cancel)
            if found or not thorough:
                return found
        return self._all_objects(table, problem.state, limits, cancel)

    def _few_objects(
        self, problem: Problem, relaxed: tuple[Step, ...], limits: Limits, cancel: Cancel
    ) -> Plan | None:
        """A plan that uses few objects and is right over all of them, or None."""
        small = restricted(problem, relaxed)
        if len(small.objects) == len(problem.objects):
            return None
        table = self._table(small, cancel)
        plan = self.engine.search(table, small.state, self._patient(limits), cancel)
        right = plan.status is PlanStatus.FOUND and not semantics.check(problem, plan)
        return plan if right else None

    def _all_objects(self, table: Table, state: State, limits: Limits, cancel: Cancel) -> Plan:
        other = self._other if self.engine is self._relax else None
        first = limits
        if len(table.operators) > HOPELESS and self.engine is self._relax:
            first = _at_most(0 if other else QUICK, limits)
        elif other:
            first = self._patient(limits)
        plan = self.engine.search(table, state, first, cancel)
        if other and plan.status is PlanStatus.TIMEOUT and first != limits:
            seconds = (LONGEST if limits.seconds is None else limits.seconds) / 2  # then its own grounding
            plan = other.search(table, state, replace(limits, seconds=seconds), cancel)
        return plan

    def _patient(self, limits: Limits) -> Limits:
        """What is spent where there is something else to try; seconds only where nothing else counts."""
        if self.engine is not self._relax:
            return replace(limits, seconds=10.0 if limits.seconds is None else min(10.0, limits.seconds))
        if limits.expansions <= PATIENT:
            return limits
        return replace(limits, expansions=PATIENT, work=PATIENCE if self._other else None)

    def _table(self, problem: Problem, cancel: Cancel) -> Table:
        """Raises TooLarge, Cancelled."""
        key = (problem.digest, static_facts(problem))
        if key not in self._tables:
            most, seconds = (LARGE, GROUNDING) if self._other else (LARGEST, None)
            table = make_table(problem, most, cancel, seconds)
            while len(self._tables) >= _KEPT:
                self._tables.pop(next(iter(self._tables)))
            self._tables[key] = table
        return self._tables[key]


def _at_most(expansions: int, limits: Limits) -> Limits:
    return replace(limits, expansions=min(limits.expansions, expansions))


def trimmed(problem: Problem, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The plan without the steps that it does without (action elimination, Fink and Yang 1993)."""
    if len(steps) > (40 if problem.domain.axioms else TRIMMED):  # its cost grows with the square
        return steps
    number = 0
    while number < len(steps):
        state, kept = problem.state, list(steps[:number])
        for step in kept:
            state = semantics.apply(problem, state, step)
        for step in steps[number + 1 :]:
            if not semantics.applicable(problem, state, step):
                state = semantics.apply(problem, state, step)
                kept.append(step)
        if semantics.reached(problem, state):
            steps = tuple(kept)
        else:
            number += 1
    return steps
