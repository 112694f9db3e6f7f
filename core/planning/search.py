"""From a problem to a plan in this process: few objects first, then all, then the other engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from core.cancel import Cancel
from core.errors import MissingPackage, UnknownName
from core.planning import semantics
from core.planning.engines.engine import Engine, Limits
from core.planning.engines.pyperplan import Pyperplan
from core.planning.ground import State
from core.planning.relevance import restricted
from core.planning.table import Table, TooLarge, make_table, static_facts
from core.problem import Plan, PlanStatus, Problem, Step

DIRECT = 130  # ground operators up to which all objects are searched at once
QUICK = 200  # expansions that may be spent where the caller waits
PATIENT = 2_000  # expansions after which pyperplan gives way to Fast Downward
HOPELESS = 2_000  # ground operators above which pyperplan needs seconds for one expansion
LARGEST = 300_000  # ground operators above which nothing is tried
_KEPT = 16  # tables


def _fast_downward() -> Engine:
    from core.planning.engines.fast_downward import FastDownward

    return FastDownward()


_ENGINES: dict[str, Callable[[], Engine]] = {"pyperplan": Pyperplan, "fast-downward": _fast_downward}
ENGINES = tuple(_ENGINES)


def make_engine(name: str) -> Engine:
    """Raises UnknownName, MissingPackage."""
    if name not in _ENGINES:
        raise UnknownName("engine", name, ENGINES)
    return _ENGINES[name]()


class Search:
    """Keeps tables and what engines built of them. Not for several threads at once."""

    def __init__(self, engine: str) -> None:
        self.engine = make_engine(engine)
        self._relax = self.engine if isinstance(self.engine, Pyperplan) else Pyperplan()
        self._tables: dict[tuple[str, State], Table] = {}
        try:
            self._fallback: Engine | None = make_engine("fast-downward")
        except MissingPackage:
            self._fallback = None

    def quick(self, problem: Problem, limits: Limits, cancel: Cancel) -> Plan | None:
        """As `run`, but None where that would take long."""
        few = _at_most(QUICK, limits)
        plan = self._tried(problem, few, cancel, thorough=False)
        return plan if plan and (plan.status is not PlanStatus.TIMEOUT or few == limits) else None

    def run(self, problem: Problem, limits: Limits, cancel: Cancel) -> Plan:
        """IMPOSSIBLE only when proven over all objects. Raises Cancelled, PlanningError."""
        try:
            plan = self._tried(problem, limits, cancel, thorough=True)
        except TooLarge:
            why = f"More than {LARGEST:,} ground actions are too many to search."
            return Plan(PlanStatus.TIMEOUT, engine=self.engine.name, why=why)
        assert plan
        return plan

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
        plan = self.engine.search(table, small.state, _at_most(PATIENT, limits), cancel)
        right = plan.status is PlanStatus.FOUND and not semantics.check(problem, plan)
        return plan if right else None

    def _all_objects(self, table: Table, state: State, limits: Limits, cancel: Cancel) -> Plan:
        other = self._fallback if self.engine is self._relax else None
        first = limits
        if len(table.operators) > HOPELESS and self.engine is self._relax:
            first = _at_most(0 if other else QUICK, limits)
        elif other:
            first = _at_most(PATIENT, limits)
        plan = self.engine.search(table, state, first, cancel)
        if other and plan.status is PlanStatus.TIMEOUT and first != limits:
            plan = other.search(table, state, limits, cancel)
        return plan

    def _table(self, problem: Problem, cancel: Cancel) -> Table:
        key = (problem.digest, static_facts(problem))
        if key not in self._tables:
            table = make_table(problem, LARGEST, cancel)
            while len(self._tables) >= _KEPT:
                self._tables.pop(next(iter(self._tables)))
            self._tables[key] = table
        return self._tables[key]


def _at_most(expansions: int, limits: Limits) -> Limits:
    return replace(limits, expansions=min(limits.expansions, expansions))


def trimmed(problem: Problem, steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """The plan without the steps that it does without (action elimination, Fink and Yang 1993)."""
    number = 0
    while number < len(steps):
        state, kept = problem.state, list(steps[:number])
        for step in kept:
            state = semantics.apply(problem, state, step)
        for step in steps[number + 1 :]:
            if not semantics.unmet(problem, state, step):
                state = semantics.apply(problem, state, step)
                kept.append(step)
        if semantics.reached(problem, state):
            steps = tuple(kept)
        else:
            number += 1
    return steps
