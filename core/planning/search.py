"""From a problem to a plan in this process, by the problem's size; and from a plan to ever better ones."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import NamedTuple

from core.errors import MissingPackage
from core.planning import semantics
from core.planning.compiled import CompiledProblem, ground_task, plan_cost, static_facts
from core.planning.elimination import eliminate_redundant
from core.planning.engines.downward import SasTask, translate_problem
from core.planning.engines.engine import SearchLimits
from core.planning.engines.fast_downward import MAX_DIRECT_OPERATORS, FastDownward, improve_plan
from core.planning.engines.pyperplan import Pyperplan
from core.planning.engines.registry import make_engine
from core.planning.fact_bits import State
from core.planning_model import Literal, Plan, PlanStatus, Problem, Step
from core.stop_token import StopToken
from core.work import TooMuchWork, Work

MAX_DIRECT_EFFECTS = 400  # conditional effects up to which a search over all objects comes first
QUICK_UNITS = 200_000  # of work while somebody waits: some tenths of a second
QUICK_EXPANSIONS = 200  # expansions while somebody waits
PYPERPLAN_EXPANSIONS = 2_000  # expansions after which Fast Downward takes over
PYPERPLAN_OPERATOR_CHECKS = 500_000  # or operator checks, about a second
MAX_PYPERPLAN_OPERATORS = 2_000  # ground operators above which pyperplan needs seconds for one expansion
MAX_OWN_GROUNDING = 20_000  # ground operators above which Fast Downward's translator does the grounding
MAX_OPERATORS = 300_000  # ground operators above which no search is tried without it
MAX_OWN_PROOF = 1_000  # ground operators up to which pyperplan may improve a plan in the caller's process
MAX_TRANSLATED_EFFECTS = 200  # conditional effects with which the translator takes a fraction of a second
GROUNDING_SECONDS = 8.0  # for our own grounding, if there is an alternative
_CACHED_TASKS = 16
_Key = tuple[str, State]


class SearchResult(NamedTuple):
    """A plan, and whether it is a first one that further search soon makes better."""

    plan: Plan
    rough: bool = False


class _Request(NamedTuple):
    problem: Problem
    limits: SearchLimits
    cancel: StopToken
    waiting: bool = False  # somebody, so that what takes long is given up: TooMuchWork


class PlanSearch:
    """Caches tables and what engines built from them. Not thread-safe."""

    def __init__(self, engine: str, options: Mapping[str, str] | None = None) -> None:
        self.engine = make_engine(engine, options)
        self._relax = self.engine if isinstance(self.engine, Pyperplan) else Pyperplan()
        self._tables: dict[_Key, CompiledProblem] = {}
        self._too_large: set[_Key] = set()  # to be grounded while somebody waits
        self._end = 0.0  # of the present search, on the monotonic clock
        self._translated: tuple[_Key, SasTask] | None = None  # the last one
        self._fallback: FastDownward | None = None
        with suppress(MissingPackage):
            self._fallback = self.engine if isinstance(self.engine, FastDownward) else FastDownward()

    def quick(self, problem: Problem, limits: SearchLimits, cancel: StopToken) -> SearchResult | None:
        """Plan like `run`, but return None if that would take this process long."""
        key = _key(problem)
        if key in self._too_large:
            return None
        self._end, asked = time.monotonic() + limits.seconds, _Request(problem, limits, cancel, waiting=True)
        try:
            with Work(QUICK_UNITS, cancel=cancel):
                return self._plan(self._task(problem, cancel), asked)
        except TooMuchWork:
            if key not in self._tables:
                self._too_large.add(key)
            return None

    def run(self, problem: Problem, limits: SearchLimits, cancel: StopToken) -> SearchResult:
        """Return a plan; IMPOSSIBLE only if proven over all objects. Raises Cancelled, PlanningError."""
        self._end, asked = time.monotonic() + limits.seconds, _Request(problem, limits, cancel)
        try:
            table = self._task(problem, cancel)
        except TooMuchWork as error:
            if self._delegates(limits):
                return self._large(None, asked)
            return SearchResult(Plan(PlanStatus.TIMEOUT, engine=self.engine.name, reason=str(error)))
        return self._plan(table, asked)

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
            if table:
                limits = SearchLimits(10**9, seconds)
                best = self._relax.search(table, problem.state, limits, cancel, optimal=True)
                if best.status is PlanStatus.FOUND:
                    yield min(plan.steps, best.steps, key=measure), True
            return
        task = self._sas_task(table, problem, cancel)
        if task is None:
            return
        for steps, proven in improve_plan(task, plan.steps, measure, self._left, cancel):
            yield steps if proven else eliminate_redundant(problem, steps), proven

    def improves_quickly(self, problem: Problem) -> bool:
        """Return True if improving a plan of this problem takes this process little."""
        table = self._tables.get(_key(problem))
        return table is not None and (self._fallback is not None or len(table.operators) <= MAX_OWN_PROOF)

    # --- by the problem's size -------------------------------------------------------------------------

    @property
    def _left(self) -> float:
        """Return the seconds left to the present search."""
        return max(0.0, self._end - time.monotonic())

    def _delegates(self, limits: SearchLimits) -> bool:
        """Return True if large problems are Fast Downward's, which cannot count expansions."""
        return self._fallback is not None and limits.expansions > PYPERPLAN_EXPANSIONS

    def _plan(self, table: CompiledProblem, asked: _Request) -> SearchResult:
        if plan := self._few_objects(table, asked):
            return SearchResult(plan)
        if len(table.operators) > MAX_DIRECT_OPERATORS:
            if self._delegates(asked.limits):
                return self._large(table, asked)
            if asked.waiting and asked.limits.operator_checks is None:
                raise TooMuchWork
        return self._direct(table, asked)

    def _few_objects(self, table: CompiledProblem, asked: _Request) -> Plan | None:
        """Return a large problem's plan that uses few objects and is valid over all of them, IMPOSSIBLE, or
        None.

        Where plans are to be cheap the objects that are left out may be what makes them so.
        """
        problem, delegates = asked.problem, self._delegates(asked.limits)
        if table.by_cost and delegates:
            return None
        if len(table.operators) <= MAX_DIRECT_OPERATORS and _effect_count(table) <= MAX_DIRECT_EFFECTS:
            return None
        relaxed = self._relax.relaxed(table, problem.state)
        if relaxed is None:
            reason = "No way leads there, even if nothing were ever undone."
            return Plan(PlanStatus.IMPOSSIBLE, engine=self.engine.name, reason=reason)
        small = restrict_to_relevant(problem, relaxed)
        names = {thing.name for thing in small.all_objects}
        if len(names) == len(problem.all_objects):
            return None
        if delegates and sum(names.issuperset(op.step.args) for op in table.operators) > MAX_DIRECT_OPERATORS:
            return None  # before they are grounded, which takes longer
        plan = self._first(self._task(small, asked.cancel), asked._replace(problem=small))
        right = plan.status is PlanStatus.FOUND and not semantics.plan_faults(problem, plan)
        return plan if right else None

    def _direct(self, table: CompiledProblem, asked: _Request) -> SearchResult:
        """Search over all objects with the engine; what is too hard is Fast Downward's."""
        problem, limits, cancel, _ = asked
        if self.engine is not self._fallback:
            plan = self._first(table, asked)
            bounded = limits.expansions <= PYPERPLAN_EXPANSIONS
            if not self._fallback or plan.status is not PlanStatus.TIMEOUT or bounded:
                return SearchResult(plan, rough=table.by_cost and plan.status is PlanStatus.FOUND)
        limits = replace(limits, seconds=self._left)
        shortest = self._fallback.shortest(table, problem.state, limits, cancel)
        return SearchResult(shortest) if shortest else self._large(table, asked)

    def _first(self, table: CompiledProblem, asked: _Request) -> Plan:
        """Search with the engine, within limits for which there is an alternative."""
        first = limits = replace(asked.limits, seconds=self._left)
        if self.engine is not self._relax:
            first = replace(limits, seconds=min(10.0, limits.seconds))
        elif limits.operator_checks is None:
            slow = asked.waiting or len(table.operators) > MAX_PYPERPLAN_OPERATORS
            most = QUICK_EXPANSIONS if slow else PYPERPLAN_EXPANSIONS
            if most < limits.expansions:
                checks = PYPERPLAN_OPERATOR_CHECKS if asked.waiting or self._fallback else None
                first = replace(limits, expansions=most, operator_checks=checks)
        plan = self.engine.search(table, asked.problem.state, first, asked.cancel)
        if asked.waiting and plan.status is PlanStatus.TIMEOUT and first.expansions < limits.expansions:
            raise TooMuchWork
        return plan

    def _large(self, table: CompiledProblem | None, asked: _Request) -> SearchResult:
        """Return the first plan of Fast Downward, IMPOSSIBLE or TIMEOUT."""
        assert self._fallback
        problem, limits, cancel, _ = asked
        task = self._sas_task(table, problem, cancel)
        if task is None:
            reason = f"Not grounded after {limits.seconds:g} s."
            return SearchResult(Plan(PlanStatus.TIMEOUT, engine=self._fallback.name, reason=reason))
        plan = self._fallback.first(task, replace(limits, seconds=self._left), cancel)
        return SearchResult(plan, rough=plan.status is PlanStatus.FOUND)

    # --- tables ------------------------------------------------------------------------------------------

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

    def _task(self, problem: Problem, cancel: StopToken) -> CompiledProblem:
        """Return the grounded problem. Raises TooMuchWork, Cancelled."""
        key = _key(problem)
        if key not in self._tables:
            most, seconds = MAX_OPERATORS, max(1.0, self._left)
            if self._fallback:
                most, seconds = MAX_OWN_GROUNDING, min(GROUNDING_SECONDS, seconds)
            table = ground_task(problem, most, cancel, seconds)
            while len(self._tables) >= _CACHED_TASKS:
                self._tables.pop(next(iter(self._tables)))
            self._tables[key] = table
        return self._tables[key]


def _key(problem: Problem) -> _Key:
    return problem.digest, static_facts(problem)


def _measure(problem: Problem) -> Callable[[tuple[Step, ...]], float]:
    if problem.by_cost:
        return lambda steps: plan_cost(problem, steps) or 0.0
    return len


def _effect_count(table: CompiledProblem) -> int:
    return sum(len(op.effects) for op in table.operators)


def restrict_to_relevant(problem: Problem, relaxed: Iterable[Step]) -> Problem:
    """Return the problem over the objects of its goal, of its axioms and of a relaxed plan.

    These include those that the plan's actions name; actions that name others are left out. It may have no
    plan where the whole problem has one; its plans must be validated over all objects.
    """
    domain, steps = problem.domain, tuple(relaxed)
    goals = (*problem.goal, *problem.goal_formulas)
    keep = {name for goal in goals for name in (goal.args if isinstance(goal, Literal) else goal.terms)}
    keep.update(*(step.args for step in steps), *(axiom.named_objects for axiom in domain.axioms))
    keep.update(*(domain.action(step.name).named_objects for step in steps))
    holders: dict[str, set[str]] = {}
    for atom in problem.state:
        if len(atom.args) > 1:
            holders.setdefault(atom.args[0], set()).update(atom.args)
    open_ = list(keep)
    while open_:
        more = holders.get(open_.pop(), set()) - keep
        keep |= more
        open_ += more
    constants = tuple(c for c in domain.constants if c.name in keep)
    actions = tuple(action for action in domain.actions if action.named_objects <= keep)
    if (constants, actions) != (domain.constants, domain.actions):
        domain = replace(domain, constants=constants, actions=actions)
    return replace(
        problem,
        domain=domain,
        objects=tuple(o for o in problem.objects if o.name in keep),
        state=frozenset(atom for atom in problem.state if keep.issuperset(atom.args)),
    )
