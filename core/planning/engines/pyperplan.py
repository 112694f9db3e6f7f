"""pyperplan's A* with the FF heuristic (Hoffmann and Nebel 2001), on a task that we construct ourselves.

pyperplan supports only STRIPS. Each negative condition gets a complementary fact. Conditional effects are
kept in the successors, and become one relaxed operator each for the heuristic. So does each rule for a
derived fact; the absence of such a fact is assumed to be always reachable.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import cached_property
from math import inf
from typing import Any
from weakref import WeakKeyDictionary

from core.planning.compiled import CompiledProblem
from core.planning.engines.engine import SearchLimits
from core.planning.fact_bits import BitOperator, State, places, union
from core.planning_model import Plan, PlanStatus, Step
from core.stop_token import StopToken
from core.work import work_in_force

_RULE = -1  # the name of relaxed operators made from rules


class Pyperplan:
    """Caches what it built per table. Not thread-safe."""

    name = "pyperplan"

    def __init__(self) -> None:
        self._built: WeakKeyDictionary[CompiledProblem, _SearchTask] = WeakKeyDictionary()

    def search(
        self,
        table: CompiledProblem,
        state: State,
        limits: SearchLimits,
        cancel: StopToken,
        *,
        optimal: bool = False,
    ) -> Plan:
        """Return a plan, with `optimal` one that is proven shortest (or cheapest)."""
        began = time.perf_counter()
        if not table.goal.possible:
            return Plan(PlanStatus.IMPOSSIBLE, (), self.name, reason="A fact of the goal can never change.")
        search = self._search(table)
        search.start_limits(limits, cancel)
        steps: tuple[Step, ...] = ()
        try:
            found = search.run(state, optimal)
        except _LimitReached as gave_up:
            status, reason = PlanStatus.TIMEOUT, str(gave_up)
        else:
            status = PlanStatus.IMPOSSIBLE if found is None else PlanStatus.FOUND
            reason = "Every state that can be reached was searched." if found is None else ""
            steps = tuple(op.step for op in found or ())
        return Plan(status, steps, self.name, time.perf_counter() - began, search.expanded, reason)

    def relaxed(self, table: CompiledProblem, state: State) -> tuple[Step, ...] | None:
        """Return an unordered plan of the delete relaxation. None proves that there is no plan at all."""
        return self._search(table).relaxed(state) if table.goal.possible else None

    def _search(self, table: CompiledProblem) -> _SearchTask:
        if table not in self._built:
            self._built[table] = _SearchTask(table)
        return self._built[table]


class _LimitReached(Exception):
    pass


class _SearchTask:
    """pyperplan's Task: `operators` are the relaxed ones; the successors are those of the table.

    States are bits; only the heuristic gets sets, with the complements of the facts that do not hold.
    """

    def __init__(self, table: CompiledProblem) -> None:
        from pyperplan.heuristics.relaxation import hFFHeuristic
        from pyperplan.task import Operator

        self.table = table
        self.name = "task"
        self._negated = _negated(table)
        first = len(table.facts)
        self._opposite = {fact: first + n for n, fact in enumerate(places(self._negated))}
        self.facts = range(first + len(self._opposite))
        self.goals = self._positive(table.goal.needs, table.goal.forbids)
        self.operators: list[Any] = []
        for name, op in enumerate(table.operators):  # all relaxed operators of one operator share its name
            work_in_force().spend(10 + len(op.effects))
            needs, changes = self._positive(op.needs, op.forbids), self._positive(op.adds, op.deletes)
            self.operators.append(Operator(name, needs, changes, ()))
            for when in sorted(op.effects, key=lambda effect: not effect.add):
                also = self._positive(when.needs, when.forbids)
                changed = self._positive(when.fact, 0) if when.add else self._positive(0, when.fact)
                self.operators += [Operator(name, needs | also, {fact}, ()) for fact in changed]
        for rule in table.rules.all:
            needs = self._positive(rule.needs, rule.forbids)
            self.operators.append(Operator(_RULE, needs, {rule.fact.bit_length() - 1}, ()))
        never = self._positive(0, table.rules.facts)
        self.operators += [Operator(_RULE, frozenset(), {fact}, ()) for fact in sorted(never)]
        self.initial_state = self.expanded = 0
        self._evaluations = inf  # that are left
        self._check: Callable[[], None] = lambda: None
        self._limit = 0
        self._h = self._priced(hFFHeuristic(self))

    def _priced(self, heuristic: Any) -> Any:
        """Give the relaxed operators their costs; pyperplan counts each as one."""
        if self.table.by_cost:
            for op in heuristic.operators:
                op.cost = 0 if op.name == _RULE else self.table.operators[op.name].cost
        return heuristic

    @cached_property
    def _admissible(self) -> Callable[[Any], float]:
        """Return an estimate that is never too high, so that the plan found is a best one."""
        from pyperplan.heuristics.relaxation import hMaxHeuristic

        found: Any = (lambda node: 0.0) if self.table.rules else self._priced(hMaxHeuristic(self))
        return found  # type: ignore[no-any-return]

    def start_limits(self, limits: SearchLimits, cancel: StopToken) -> None:
        """Start counting. The limits are checked before every expansion and every heuristic value."""
        self.expanded, self._limit = 0, limits.expansions
        checks = limits.operator_checks
        self._evaluations = inf if checks is None else checks // max(1, len(self.operators))
        end = time.monotonic() + limits.seconds

        def check() -> None:
            cancel.check()
            if time.monotonic() > end:
                raise _LimitReached(f"No plan after {limits.seconds:g} s.")

        self._check = check

    def run(self, state: State, optimal: bool) -> list[BitOperator] | None:
        from pyperplan.search.a_star import astar_search

        self.initial_state = self.table.mask(state)
        found: list[BitOperator] | None = astar_search(self, self._lower_bound if optimal else self._estimate)
        return found

    def relaxed(self, state: State) -> tuple[Step, ...] | None:
        if self._h(self._node(self.table.mask(state))) == inf:
            return None
        return tuple(self.table.operators[name].step for name in self._relaxed_plan())

    def _relaxed_plan(self) -> Iterable[int]:
        """Return the numbers of the operators in the relaxed plan of the latest heuristic value."""
        found: dict[int, None] = {}
        open_, seen = sorted(self.goals), set(self.goals)
        while open_:
            achiever = self._h.facts[open_.pop()].cheapest_achiever
            if achiever is not None:
                if achiever.name != _RULE:
                    found[achiever.name] = None
                new = sorted(achiever.preconditions - seen)
                open_ += new
                seen.update(new)
        return found

    def _positive(self, holds: int, fails: int) -> frozenset[int]:
        """Return facts as pyperplan has them: an opposite one, if there is one, for each that fails."""
        opposite = self._opposite
        return frozenset(places(holds)).union([opposite[f] for f in places(fails) if f in opposite])

    def _node(self, state: int) -> Any:
        from pyperplan.search.searchspace import make_root_node

        return make_root_node(self._positive(state, ~state & self._negated))

    def _estimate(self, node: Any) -> float:
        self._begin(node)
        self._evaluations -= 1
        if self._evaluations < 0:
            raise _LimitReached(f"No plan after {self.expanded:,} expansions.")
        estimate = float(self._h(self._node(node.state)))
        if self.table.by_cost and estimate < inf:
            estimate = sum(self.table.operators[name].cost for name in self._relaxed_plan())
        return estimate

    def _lower_bound(self, node: Any) -> float:
        self._begin(node)
        return float(self._admissible(self._node(node.state)))

    def _begin(self, node: Any) -> None:
        """Check the limits, and let the node count the cost of the way to it; pyperplan counts steps."""
        self._check()
        if self.table.by_cost and node.action is not None:
            node.g = node.parent.g + node.action.cost

    def goal_reached(self, state: int) -> bool:
        return self.table.goal.applicable(state)

    def get_successor_states(self, state: int) -> list[tuple[BitOperator, int]]:
        self._check()
        self.expanded += 1
        if self.expanded > self._limit:
            raise _LimitReached(f"No plan after {self._limit:,} expansions.")
        closed = self.table.closed
        return [(op, closed(op.apply(state))) for op in self.table.operators if op.applicable(state)]


def _negated(table: CompiledProblem) -> int:
    """Return the facts that some condition or the goal requires to be false."""
    found = union(op.forbids for op in (table.goal, *table.operators))
    found |= union(when.forbids for op in table.operators for when in op.effects)
    return found | union(rule.forbids for rule in table.rules.all)
