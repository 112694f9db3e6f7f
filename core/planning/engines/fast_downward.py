"""Fast Downward's search (Helmert 2006), with our own grounding or with its own where that is smaller.

Its translator dominates a full call, so it is skipped where possible: the task is written in SAS+ once per
table, and only the initial state is replaced.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from weakref import WeakKeyDictionary

from core.cancel import Cancel
from core.planning.engines import downward
from core.planning.engines.downward import GAVE_UP, IMPOSSIBLE, SOLVED, SasTask, SearchRun
from core.planning.engines.engine import SearchLimits
from core.planning.engines.sas import SasEncoder
from core.planning.ground import State
from core.planning.grounded_task import GroundedTask
from core.planning_model import Plan, PlanStatus, Predicate, Problem, Step, Typed

MAX_OPTIMAL_OPERATORS = 1_000  # ground operators up to which an optimal search comes first
DEFAULT_SECONDS = 60.0  # without a limit it would run until the memory is full
_POLL_SECONDS = 0.02  # polling interval in seconds
_LANDMARKS = "let(l, landmark_sum(lm_reasonable_orders_hps(lm_rhw())), let(h, ff(), {}))"
PlanMeasure = Callable[[tuple[Step, ...]], float]  # of a plan; less is better


class FastDownward:
    """Caches the SAS+ text of each table. With `costs` it looks for cheap plans instead of short ones."""

    name = "fast-downward"

    def __init__(self, costs: bool = False) -> None:
        downward.binary_folder()
        self.costs = costs
        self._texts: WeakKeyDictionary[GroundedTask, SasEncoder] = WeakKeyDictionary()

    def search(self, table: GroundedTask, state: State, limits: SearchLimits, cancel: Cancel) -> Plan:
        """Search until `limits.seconds`; the limit on expansions is not supported."""
        if not table.solvable:
            return Plan(
                PlanStatus.IMPOSSIBLE, engine=self.name, reason="A fact of the goal can never change."
            )
        return self.solve(self.task(table, state), limits, cancel)

    def task(self, table: GroundedTask, state: State) -> SasTask:
        """Return the task in SAS+. Raises PlanningError if a cost has no value."""
        if table not in self._texts:
            self._texts[table] = SasEncoder(table, self.costs)
        return self._texts[table].task(table.facts(state))

    def solve(self, task: SasTask, limits: SearchLimits, cancel: Cancel) -> Plan:
        """Return the shortest plan if it is found quickly, else the first one found."""
        began = time.perf_counter()
        seconds = DEFAULT_SECONDS if limits.seconds is None else limits.seconds
        searches = [(satisficing_search(task), seconds)]
        if task.operators <= MAX_OPTIMAL_OPERATORS and limits.optimal_seconds:
            searches.insert(0, (optimal_search(task), min(limits.optimal_seconds, seconds)))
        for search, most in searches:
            plan = self._run(task, search, min(most, seconds - (time.perf_counter() - began)), cancel)
            if plan.status is not PlanStatus.TIMEOUT:
                break
        why = plan.reason
        if plan.status is PlanStatus.TIMEOUT and not why:
            why = f"No plan after {seconds:g} s."
        return Plan(plan.status, plan.steps, self.name, time.perf_counter() - began, plan.expanded, why)

    def _run(self, task: SasTask, search: str, seconds: float, cancel: Cancel) -> Plan:
        """Run one search. Raises Cancelled, PlanningError."""
        end = time.monotonic() + seconds
        run = SearchRun(task, search)
        try:
            while (code := run.exit_code(_POLL_SECONDS)) is None:
                cancel.check()
                if time.monotonic() > end:
                    return Plan(PlanStatus.TIMEOUT)
            if code in SOLVED:
                return Plan(PlanStatus.FOUND, run.new_plans()[-1], expanded=run.expanded)
            if code in IMPOSSIBLE:
                why = "Every state that can be reached was searched."
                return Plan(PlanStatus.IMPOSSIBLE, expanded=run.expanded, reason=why)
            if code in GAVE_UP:
                return Plan(PlanStatus.TIMEOUT, reason="The memory was full before there was a plan.")
            raise downward.exit_error(code, run.output())
        finally:
            run.close()


def improve_plan(
    task: SasTask, plan: tuple[Step, ...], measure: PlanMeasure, seconds: float, cancel: Cancel
) -> Iterator[tuple[tuple[Step, ...], bool]]:
    """Yield ever better plans than this one, and whether the latest is proven optimal.

    One search improves on what it finds, another one tries to prove optimality. Raises Cancelled.
    """
    end = time.monotonic() + seconds
    proof, improving = SearchRun(task, optimal_search(task), 0.4), SearchRun(task, anytime_search(task), 0.3)
    best = measure(plan)
    try:
        while time.monotonic() < end:
            cancel.check()
            code = proof.exit_code(_POLL_SECONDS)
            codes = code, improving.exit_code()
            for steps in improving.new_plans():
                if measure(steps) < best:
                    plan, best = steps, measure(steps)
                    yield plan, False
            if code == 0 and (found := proof.new_plans()):
                shorter = measure(found[-1]) < best
                yield found[-1] if shorter else plan, True
                return
            for broken in (run for run in (proof, improving) if (run.exit_code() or 0) >= 30):
                raise downward.exit_error(broken.exit_code() or 0, broken.output())
            if None not in codes:
                return
    finally:
        proof.close()
        improving.close()


def translate_problem(problem: Problem, seconds: float, costs: bool, cancel: Cancel) -> SasTask | None:
    """Translate the problem, grounded by reachability. Raises Cancelled, PlanningError, MissingPackage.

    Return None if that takes too long, or if the translator does not support such problems.
    """
    names = [t.name for t in problem.domain.types]
    broken = any(value != int(value) for _, value in problem.costs)
    domain = replace(problem.domain, predicates=tuple(map(_untyped, problem.domain.predicates)))
    if len(set(names)) < len(names) or "(either" in repr(domain) or (costs and broken):
        return None
    metric = "minimize (total-cost)" if costs else ""
    return downward.translate(replace(problem, domain=domain, metric=metric), seconds, cancel)


def _untyped(predicate: Predicate) -> Predicate:
    return Predicate(predicate.name, tuple(Typed(p.name) for p in predicate.parameters))


def optimal_search(task: SasTask) -> str:
    """Return a search for shortest or cheapest plans.

    lmcut does not support conditional effects, and with axioms only the blind heuristic is admissible.
    """
    estimate = "blind" if task.axioms else "hmax" if task.conditional else "lmcut"
    return f"astar({estimate}())"


def satisficing_search(task: SasTask) -> str:
    if task.axioms:  # landmarks ignore axioms
        return "let(h, ff(), lazy_greedy([h], preferred=[h]))"
    return _LANDMARKS.format("lazy_greedy([h, l], preferred=[h, l])")


def anytime_search(task: SasTask) -> str:
    """Return a search for a first plan and then ever better ones."""
    estimates = "[h]" if task.axioms else "[h, l]"
    rounds = [f"lazy_greedy({estimates}, preferred={estimates})"]
    rounds += [f"lazy_wastar({estimates}, preferred={estimates}, w={w})" for w in (5, 3, 2, 1)]
    search = f"iterated([{', '.join(rounds)}], repeat_last=true)"
    return f"let(h, ff(), {search})" if task.axioms else _LANDMARKS.format(search)
