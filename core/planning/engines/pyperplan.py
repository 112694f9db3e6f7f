"""pyperplan's A* with the FF heuristic (Hoffmann and Nebel 2001) on a task that we fill in ourselves.

pyperplan knows STRIPS only. Negative conditions get a complement fact each; conditional effects stay what
they are in the successors, and become one relaxed operator each for the heuristic. So does each rule by which
facts follow; that such a fact does not hold is taken to be within reach at any time.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from core.cancel import Cancel
from core.planning.engines.engine import SearchLimits
from core.planning.ground import State
from core.planning.ground_rules import Facts, NumberedRule
from core.planning.grounded_task import GroundedTask, NumberedOperator
from core.planning_model import Plan, PlanStatus, Step

_RULE = -1  # the name of whatever is no operator's


class Pyperplan:
    """Keeps what it built per table. Not for several threads at once."""

    name = "pyperplan"

    def __init__(self) -> None:
        self._built: WeakKeyDictionary[GroundedTask, _SearchTask] = WeakKeyDictionary()

    def search(self, table: GroundedTask, state: State, limits: SearchLimits, cancel: Cancel) -> Plan:
        began = time.perf_counter()
        if not table.solvable:
            return Plan(
                PlanStatus.IMPOSSIBLE, engine=self.name, reason="A fact of the goal can never change."
            )
        search = self._search(table)
        search.start_limits(limits, cancel)
        steps: tuple[Step, ...] = ()
        try:
            found = search.run(state)
        except _LimitReached as gave_up:
            status, why = PlanStatus.TIMEOUT, str(gave_up)
        else:
            status = PlanStatus.IMPOSSIBLE if found is None else PlanStatus.FOUND
            why = "Every state that can be reached was searched." if found is None else ""
            steps = tuple(op.step for op in found or ())
        return Plan(status, steps, self.name, time.perf_counter() - began, search.expanded, why)

    def shortest(
        self, table: GroundedTask, state: State, seconds: float, cancel: Cancel
    ) -> tuple[Step, ...] | None:
        """A plan that no other is shorter than; None where there was no time to prove it."""
        search = self._search(table)
        search.start_limits(SearchLimits(10**9, seconds), cancel)
        try:
            return tuple(op.step for op in search.run(state, exact=True) or ())
        except _LimitReached:
            return None

    def relaxed(self, table: GroundedTask, state: State) -> tuple[Step, ...] | None:
        """A plan as if nothing were ever undone, unordered. None: there is not even that, which proves
        that there is no plan."""
        return self._search(table).relaxed(state) if table.solvable else None

    def _search(self, table: GroundedTask) -> _SearchTask:
        if table not in self._built:
            self._built[table] = _SearchTask(table)
        return self._built[table]


class _LimitReached(Exception):
    pass


class _SearchTask:
    """pyperplan's Task: `operators` are the relaxed view, the successors come from the true ones."""

    def __init__(self, table: GroundedTask) -> None:
        from pyperplan.heuristics.blind import BlindHeuristic
        from pyperplan.heuristics.relaxation import hFFHeuristic, hMaxHeuristic
        from pyperplan.task import Operator

        self.table = table
        self.name = "task"
        self.opposite = _complements(table)
        self.successors = [_Successor(op, self.opposite) for op in table.operators]
        self.goals = table.goal | {self.opposite[f] for f in table.goal_forbids}
        self.operators: list[Any] = []
        self.rules, self._derived = table.rules, table.rules.facts
        for name, op in enumerate(self.successors):  # one name for all that is relaxed from one operator
            self.operators.append(Operator(name, op.needs, op.adds, ()))
            self.operators += [Operator(name, op.needs | needs, {fact}, ()) for needs, fact in op.relaxed]
        for rule in self.rules.all:
            self.operators.append(Operator(_RULE, self._relaxed_needs(rule), {rule.fact}, ()))
        never = sorted(self.opposite[fact] for fact in self._derived if fact in self.opposite)
        self.operators += [Operator(_RULE, frozenset(), {fact}, ()) for fact in never]
        self._opposites_derived = frozenset(never)
        facts = set(table.fact_numbers.values()) | set(self.opposite.values())
        self.facts = sorted(facts)
        self.initial_state: Facts = frozenset()
        self.expanded = 0
        self._work: int | None = None
        self._check: Callable[[], None] = lambda: None
        self._limit = 0
        self._h = hFFHeuristic(self)
        self._admissible: Callable[[Any], float]  # never above the truth, so that a plan is the shortest
        self._admissible = BlindHeuristic(self) if self.rules else _lazily(lambda: hMaxHeuristic(self))

    def start_limits(self, limits: SearchLimits, cancel: Cancel) -> None:
        """Start counting; looked at before every expansion and every heuristic value."""
        self.expanded, self._limit = 0, limits.expansions
        self._work = (
            None if limits.operator_checks is None else limits.operator_checks // max(1, len(self.operators))
        )
        end = None if limits.seconds is None else time.monotonic() + limits.seconds

        def check() -> None:
            cancel.check()
            if end is not None and time.monotonic() > end:
                raise _LimitReached(f"No plan after {limits.seconds:g} s.")

        self._check = check

    def run(self, state: State, exact: bool = False) -> list[_Successor] | None:
        from pyperplan.search.a_star import astar_search

        self.initial_state = self._facts(state)
        found: list[_Successor] | None = astar_search(self, self._lower_bound if exact else self._estimate)
        return found

    def relaxed(self, state: State) -> tuple[Step, ...] | None:
        from pyperplan.search.searchspace import make_root_node

        if self._h(make_root_node(self._facts(state))) == float("inf"):
            return None
        steps: dict[Step, None] = {}
        open_, seen = sorted(self.goals), set(self.goals)
        while open_:
            achiever = self._h.facts[open_.pop()].cheapest_achiever
            if achiever is not None:
                if achiever.name != _RULE:
                    steps[self.successors[achiever.name].step] = None
                new = sorted(achiever.preconditions - seen)
                open_ += new
                seen.update(new)
        return tuple(steps)

    def _facts(self, state: State) -> Facts:
        facts = self.table.facts(state)
        return self._with_derived(facts.union(o for fact, o in self.opposite.items() if fact not in facts))

    def _with_derived(self, state: Facts) -> Facts:
        """With what follows from it now, instead of what did before."""
        if not self.rules:
            return state
        facts = self.rules.closure(state - self._derived - self._opposites_derived)
        opposite = self.opposite
        return facts.union(opposite[f] for f in self._derived if f in opposite and f not in facts)

    def _relaxed_needs(self, rule: NumberedRule) -> Facts:
        return rule.needs.union(self.opposite[fact] for fact in sorted(rule.forbids))

    def _estimate(self, node: Any) -> float:
        self._check()
        if self._work is not None:
            self._work -= 1
            if self._work < 0:
                raise _LimitReached(f"No plan after {self.expanded:,} expansions.")
        return float(self._h(node))

    def _lower_bound(self, node: Any) -> float:
        self._check()
        return float(self._admissible(node))

    def goal_reached(self, state: Facts) -> bool:
        return self.goals <= state

    def get_successor_states(self, state: Facts) -> list[tuple[_Successor, Facts]]:
        self._check()
        self.expanded += 1
        if self.expanded > self._limit:
            raise _LimitReached(f"No plan after {self._limit:,} expansions.")
        if self.rules:
            return [(op, self._with_derived(op.apply(state))) for op in self.successors if op.needs <= state]
        return [(op, op.apply(state)) for op in self.successors if op.needs <= state]


class _Successor:
    """An operator in pyperplan's terms: only positive conditions, complements kept up to date."""

    __slots__ = (
        "adds",
        "deletes",
        "needs",
        "opposite",
        "plain_adds",
        "plain_deletes",
        "relaxed",
        "step",
        "whens",
    )

    def __init__(self, op: NumberedOperator, opposite: dict[int, int]) -> None:
        self.step, self.opposite = op.step, opposite
        self.needs = op.needs.union(opposite[f] for f in sorted(op.forbids))
        self.plain_adds, self.plain_deletes = op.adds, op.deletes
        self.adds, self.deletes = self._with_complements(op.adds, op.deletes)
        self.whens = [
            (when.needs.union(opposite[f] for f in sorted(when.forbids)), when.fact, when.add)
            for when in op.conditional_effects
        ]
        self.relaxed = [(needs, fact) for needs, fact, add in self.whens if add]
        self.relaxed += [(needs, opposite[f]) for needs, f, add in self.whens if not add and f in opposite]

    def apply(self, state: Facts) -> Facts:
        fired = [(fact, add) for needs, fact, add in self.whens if needs <= state]
        if not fired:
            return (state - self.deletes) | self.adds
        adds = self.plain_adds.union(fact for fact, add in fired if add)
        deletes = self.plain_deletes.union(fact for fact, add in fired if not add) - adds
        adds, deletes = self._with_complements(adds, deletes)
        return (state - deletes) | adds

    def _with_complements(self, adds: Facts, deletes: Facts) -> tuple[Facts, Facts]:
        """The same change with the complements changed the other way round."""
        opposite = self.opposite
        gone = [opposite[f] for f in adds if f in opposite]
        come = [opposite[f] for f in deletes if f in opposite]
        return adds.union(come), deletes.union(gone)


def _lazily(make: Callable[[], Callable[[Any], float]]) -> Callable[[Any], float]:
    """What is made when first asked."""
    made: list[Callable[[Any], float]] = []

    def ask(node: Any) -> float:
        if not made:
            made.append(make())
        return made[0](node)

    return ask


def _complements(table: GroundedTask) -> dict[int, int]:
    """A complement for every fact that a condition or the goal wants not to hold."""
    negated = set(table.goal_forbids)
    for op in table.operators:
        negated |= op.forbids
        for when in op.conditional_effects:
            negated |= when.forbids
    for rule in table.rules.all:
        negated |= rule.forbids
    first = len(table.fact_numbers)
    return {fact: first + place for place, fact in enumerate(sorted(negated))}
