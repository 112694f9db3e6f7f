"""Fast Downward's search (Helmert 2006), with our own grounding or with its own where that is smaller.

Its translator dominates a full call, so it is skipped where possible: the task is written in SAS+ once per
table, and only the initial state is replaced.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing
from weakref import WeakKeyDictionary

from core.planning.compiled import CompiledProblem
from core.planning.engines import downward
from core.planning.engines.downward import GAVE_UP, IMPOSSIBLE, SOLVED, SasTask, SearchRun
from core.planning.engines.engine import SearchLimits
from core.planning.engines.sas import SasEncoder
from core.planning.fact_bits import State
from core.planning_model import Plan, PlanStatus, Step
from core.stop_token import StopToken

MAX_DIRECT_OPERATORS = 130  # ground operators up to which an optimal search comes first
_POLL_SECONDS = 0.02  # polling interval in seconds
_LANDMARKS = "landmark_sum(lm_reasonable_orders_hps(lm_rhw()))"
_ABSTRACTION = (  # as in Fast Downward's documentation (Sievers 2018)
    "merge_and_shrink(shrink_strategy=shrink_bisimulation(greedy=false), "
    "merge_strategy=merge_sccs(order_of_sccs=topological, merge_selector=score_based_filtering("
    "scoring_functions=[goal_relevance(), dfp(), total_order()])), "
    "label_reduction=exact(before_shrinking=true, before_merging=false), "
    "max_states=50k, threshold_before_merge=1)"
)
PlanMeasure = Callable[[tuple[Step, ...]], float]  # of a plan; less is better


class FastDownward:
    """Caches the SAS+ text of each table."""

    name = "fast-downward"

    def __init__(self) -> None:
        downward.binary_folder()
        self._texts: WeakKeyDictionary[CompiledProblem, SasEncoder] = WeakKeyDictionary()

    def search(self, table: CompiledProblem, state: State, limits: SearchLimits, cancel: StopToken) -> Plan:
        """Return the shortest plan of a small task if it is found quickly, else the first one found.

        The limit on expansions is not supported.
        """
        plan = self.shortest(table, state, limits, cancel)
        return self.first(self.task(table, state), limits, cancel) if plan is None else plan

    def shortest(
        self, table: CompiledProblem, state: State, limits: SearchLimits, cancel: StopToken
    ) -> Plan | None:
        """Return a shortest plan or IMPOSSIBLE; None if the task is not small or `improving_seconds` pass."""
        if not table.goal.possible:
            return Plan(
                PlanStatus.IMPOSSIBLE, engine=self.name, reason="A fact of the goal can never change."
            )
        if len(table.operators) > MAX_DIRECT_OPERATORS or not limits.improving_seconds:
            return None
        task = self.task(table, state)
        most = min(limits.improving_seconds, limits.seconds)
        plan = self._run(task, optimal_search(task), most, cancel)
        return plan if plan.status is not PlanStatus.TIMEOUT else None

    def task(self, table: CompiledProblem, state: State) -> SasTask:
        """Return the task in SAS+."""
        if table not in self._texts:
            self._texts[table] = SasEncoder(table)
        return self._texts[table].task(table.mask(state))

    def first(self, task: SasTask, limits: SearchLimits, cancel: StopToken) -> Plan:
        """Return the first plan found until `limits.seconds`."""
        return self._run(task, first_search(task), limits.seconds, cancel)

    def _run(self, task: SasTask, search: str, seconds: float, cancel: StopToken) -> Plan:
        """Run one search. Raises Cancelled, PlanningError."""
        began = time.perf_counter()
        with closing(SearchRun(task, search)) as run:
            code = run.wait(seconds, cancel)
            steps: tuple[Step, ...] = ()
            reason, status = "", PlanStatus.TIMEOUT
            if code is None:
                reason = f"No plan after {seconds:g} s."
            elif code in SOLVED:
                status, steps = PlanStatus.FOUND, run.new_plans()[-1]
            elif code in IMPOSSIBLE:
                status, reason = PlanStatus.IMPOSSIBLE, "Every state that can be reached was searched."
            elif code in GAVE_UP:
                reason = "The memory was full before there was a plan."
            else:
                raise run.error(code)
            return Plan(status, steps, self.name, time.perf_counter() - began, run.expanded, reason)


def improve_plan(
    task: SasTask, plan: tuple[Step, ...], measure: PlanMeasure, seconds: float, cancel: StopToken
) -> Iterator[tuple[tuple[Step, ...], bool]]:
    """Yield ever better plans than this one, and whether the latest is proven optimal.

    One search improves on what it finds, the others try to prove optimality. Raises Cancelled.
    """
    end, best = time.monotonic() + seconds, measure(plan)
    runs = [SearchRun(task, anytime_search(task), 0.3)]
    try:
        for search in proofs(task):
            runs.append(SearchRun(task, search, 0.25, background=True))
        while time.monotonic() < end:
            cancel.check()
            codes = [runs[0].exit_code(_POLL_SECONDS), *(run.exit_code() for run in runs[1:])]
            for steps in runs[0].new_plans():
                if measure(steps) < best:
                    plan, best = steps, measure(steps)
                    yield plan, False
            for run, code in zip(runs[1:], codes[1:], strict=True):
                if code == 0 and (found := run.new_plans()):
                    yield found[-1], True  # this one even if as good: it does not depend on who was faster
                    return
            for run, code in zip(runs, codes, strict=True):
                if code is not None and code >= 30:
                    raise run.error(code)
            if None not in codes:
                return
    finally:
        for run in runs:
            run.close()


def optimal_search(task: SasTask) -> str:
    """Return a search for shortest or cheapest plans.

    lmcut does not support conditional effects, and with axioms only the blind heuristic is admissible.
    """
    estimate = "blind" if task.axioms else "hmax" if task.conditional else "lmcut"
    return f"astar({estimate}())"


def proofs(task: SasTask) -> list[str]:
    """Return searches that may prove in quite different tasks that a plan is the best."""
    return [optimal_search(task), *([] if task.axioms else [f"astar({_ABSTRACTION})"])]


def first_search(task: SasTask) -> str:
    """Return a search for any plan: LAMA's first (Richter and Westphal 2010).

    Finding landmarks takes seconds where many effects are conditional, and they ignore axioms.
    """
    kind = "eager_greedy" if task.conditional and not task.axioms else "lazy_greedy"
    unit = ", cost_type=one" if task.costs else ""
    return _with_estimates(task, "one", f"{kind}({{0}}, preferred={{0}}{unit})")


def anytime_search(task: SasTask) -> str:
    """Return a search for ever better plans: the rest of LAMA's sequence.

    It begins without a bound: to beat a good plan at once, its greediest search may take for ever.
    """
    kind = "eager_wastar" if task.conditional and not task.axioms else "lazy_wastar"
    rounds = ", ".join(f"{kind}({{0}}, preferred={{0}}, w={w})" for w in (5, 3, 2, 1))
    return _with_estimates(task, "plusone", f"iterated([{rounds}], repeat_last=true)")


def _with_estimates(task: SasTask, cost_type: str, search: str) -> str:
    """Return the search with the FF heuristic, and landmarks where they help."""
    landmarks = not (task.axioms or task.conditional)
    known = {"h": "ff()", **({"l": _LANDMARKS} if landmarks else {})}
    search = search.format(f"[{', '.join(known)}]")
    for name, estimate in known.items():
        priced = f"eval_modify_costs({estimate}, cost_type={cost_type})" if task.costs else estimate
        search = f"let({name}, {priced}, {search})"
    return search
